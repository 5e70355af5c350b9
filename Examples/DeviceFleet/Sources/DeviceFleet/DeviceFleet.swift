import Bindery

/// The program: `swift run fleet serve --simulate 12` serves a fleet with its page on http://127.0.0.1:8080.
@main
struct DeviceFleet: ServiceCommand {
  static let name = "fleet"
  static let title = "Device fleet"
  static let summary = "the devices of a company, live"
  static let version = "1.0.0"
  static let initial = Fleet.example

  static let options: [CommandOption] = [
    .value(
      "--offline-after", "SECONDS", "Mark a device as offline after this time without a heartbeat. Default: 30.",
      section: "Fleet", isStored: true, check: { try check($0, in: 1...86_400) }, default: { _ in "30" }),
    .value("--simulate", "COUNT", "Simulate heartbeats, and at least this number of devices.", section: "Fleet") {
      try check($0, in: 1...1_000)
    },
  ]

  static func configure(_ service: inout ServiceConfiguration<Fleet>, _ launch: Launch) {
    service.example = .example
    service.files = FleetPage.files
  }

  static func background(_ service: Service<Fleet>, _ launch: Launch) async throws {
    let store = service.store
    let timeout = launch["--offline-after"].flatMap(Int.init) ?? 30
    let simulated = launch["--simulate"].flatMap(Int.init)
    try await withThrowingTaskGroup { group in
      group.addTask { try await FleetMonitor(timeout: .init(timeout)).run(store) }
      if let simulated {
        group.addTask {
          var simulation = Simulation(count: simulated)
          try await simulation.run(store)
        }
      }
      try await group.waitForAll()
    }
  }

  private static func check(_ text: String, in range: ClosedRange<Int>) throws {
    guard let number = Int(text), range.contains(number) else { throw InvalidNumber(text: text, range: range) }
  }
}

/// The error of an option that is not a number, or out of range.
struct InvalidNumber: Error, CustomStringConvertible {
  let text: String
  let range: ClosedRange<Int>

  var description: String { "expected a number from \(range.lowerBound) to \(range.upperBound), got “\(text)”" }
}
