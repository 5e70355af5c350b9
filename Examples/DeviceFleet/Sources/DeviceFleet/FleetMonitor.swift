import Bindery
import FoundationEssentials

/// Marks devices as offline that have missed their heartbeats, and finishes a rollout that has reached all devices.
struct FleetMonitor: Sendable {
  /// The time without a heartbeat after which a device is offline.
  let timeout: TimeInterval
  /// Returns the current time. Tests pass a clock of their own.
  var now: @Sendable () -> Date = { Date() }

  /// Checks the fleet once per second, until the task is cancelled.
  func run(_ store: Store<Fleet>) async throws {
    while true {
      try await Task.sleep(for: .seconds(1))
      // If the store cannot write now, because the disk is full, the next check repeats the change.
      _ = try? await check(store)
    }
  }

  /// Checks the fleet. A check that changes nothing creates no revision.
  func check(_ store: Store<Fleet>) async throws {
    let now = now()
    try await store.commit { fleet in
      for device in fleet.devices {
        var checked = device
        checked.checkHeartbeat(since: now - timeout, now: now)
        if checked != device { fleet.devices.edit(id: device.id) { $0 = checked } }
      }
      if case .running(let wave) = fleet.rollout, wave.percent == 100, fleet.summary.updated == fleet.devices.count {
        fleet.rollout = .finished(version: wave.version)
      }
    }
  }
}
