import Bindery
import FoundationEssentials

/// Devices that exist only in this program, so that a new fleet has something to show.
struct Simulation {
  /// The number of devices in the fleet, at least.
  let count: Int
  private var random = SystemRandomNumberGenerator()
  private var silentUntil: [Device.ID: Date] = [:]

  init(count: Int) { self.count = count }

  /// Sends heartbeats until the task is cancelled.
  mutating func run(_ store: Store<Fleet>) async throws {
    while true {
      // A full disk ends a heartbeat, but not the simulation.
      _ = try? await step(store, now: Date())
      try await Task.sleep(for: .seconds(1))
    }
  }

  /// Sends the heartbeats of one second, in one commit.
  private mutating func step(_ store: Store<Fleet>, now: Date) async throws {
    let fleet = store.snapshot.root
    var reports: [Device.ID: Report] = [:]
    for (index, device) in fleet.devices.enumerated() where silentUntil[device.id] ?? now <= now {
      guard Int.random(in: 0..<4, using: &random) == 0 else { continue }
      if Int.random(in: 0..<60, using: &random) == 0 {
        silentUntil[device.id] = now + .random(in: 40...90, using: &random)
      }
      let wave = fleet.rollout.wave
      let isDue = wave.map { index * 100 < $0.percent * fleet.devices.count } ?? false
      reports[device.id] = report(after: device.heartbeat, installing: isDue ? wave?.version : nil, now: now)
    }
    let missing = max(0, count - fleet.devices.count)
    let sites = fleet.sites.keys.sorted()
    try await store.commit { [reports] fleet in
      for number in 0..<missing {
        let site = sites.isEmpty ? nil : sites[number % sites.count]
        try fleet.devices.append(Device(id: UUID(), name: "Sensor \(fleet.devices.count + 1)", site: site))
      }
      for (id, report) in reports { fleet.devices.edit(id: id) { $0.heartbeat = report } }
    }
  }

  private mutating func report(after last: Report?, installing version: String?, now: Date) -> Report {
    let faults: [Fault] = [
      .overheating(celsius: .random(in: 70...95, using: &random).rounded()),
      .other(code: 17, text: "sensor does not respond"), .other(code: 42, text: "clock is wrong"),
    ]
    var report = last ?? Report(at: now, firmware: "1.0.0", battery: .random(in: 40...100, using: &random))
    report.at = now
    if let version { report.firmware = version }
    report.battery = report.battery.map { $0 > 3 ? $0 - .random(in: 0...1, using: &random) : 100 }
    switch (report.health, Int.random(in: 0..<40, using: &random)) {
    case (.good, 0): report.health = .degraded(faults.randomElement(using: &random) ?? .lowBattery)
    case (.good, _) where report.battery ?? 100 < 10: report.health = .degraded(.lowBattery)
    case (.degraded, 0...3): report.health = .good
    default: break
    }
    return report
  }
}
