import Foundation

@testable import DeviceFleet

extension Fleet {
  /// The example while a rollout runs, with a device that is online, one with a fault, and one that is offline.
  static var busy: Fleet {
    var fleet = Fleet.example
    let reports = [
      Report(at: .noon, firmware: "1.1.0", battery: 80),
      Report(at: .noon, firmware: "1.0.0", health: .degraded(.overheating(celsius: 71))),
      Report(at: .noon - 60, firmware: "1.0.0", health: .degraded(.other(code: 3, text: "no signal"))),
    ]
    for (id, report) in zip(fleet.devices.ids, reports) { fleet.devices.edit(id: id) { $0.heartbeat = report } }
    fleet.devices.edit(id: fleet.devices[2].id) { $0.checkHeartbeat(since: .noon - 30, now: .noon) }
    fleet.rollout = .running(Wave(version: "1.1.0", percent: 50))
    return fleet
  }
}

extension Date {
  /// The time at which the tests begin.
  static let noon = Date(timeIntervalSince1970: 1_795_348_800)
}
