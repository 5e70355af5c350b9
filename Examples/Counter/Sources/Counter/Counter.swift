import Bindery

/// The program: `swift run Counter serve` stores the state in `Counter.db` and serves it.
@main
struct Counter: ServiceCommand {
  /// The state of a new store.
  static let initial = CounterState()

  /// An option of the program, also `COUNTER_STEP_EVERY` in the environment.
  static let options: [CommandOption] = [
    .value(
      "--step-every", "SECONDS", "Add the step to the count at this interval.", section: "Counter",
      check: { text in guard (Int(text) ?? 0) > 0 else { throw InvalidInterval(text: text) } })
  ]

  /// Work beside the service: Swift code edits the same state as HTTP clients, through typed places.
  static func background(_ service: Service<CounterState>, _ launch: Launch) async throws {
    guard let seconds = launch["--step-every"].flatMap({ Int($0) }) else { return }
    while true {
      try await Task.sleep(for: .seconds(seconds))
      try await service.store.commit { $0.count += $0.step }
    }
  }
}

struct InvalidInterval: Error, CustomStringConvertible {
  let text: String
  var description: String { "expected a number of seconds for --step-every, got “\(text)”" }
}
