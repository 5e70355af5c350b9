import Bindery
import Foundation
import Testing

@testable import DeviceFleet

/// The rules of the model, in process.
struct FleetTests {
  private let store = Store(Fleet.busy)
  private let device = Fleet.places.devices[id: Fleet.example.devices[0].id]

  @Test func `the summary counts the devices in each condition`() throws {
    #expect(
      try store.read(Fleet.places.summary)
        == Summary(devices: 4, online: 2, offline: 1, neverSeen: 1, degraded: 2, updated: 1))
  }

  @Test func `a heartbeat brings a device online, but an older one is dropped`() async throws {
    let offline = Fleet.places.devices[id: Fleet.example.devices[2].id]
    let report = Report(at: .noon, firmware: "1.1.0")
    #expect(try await store.edit(offline.heartbeat) { $0 = report }.outcome == .applied)
    #expect(try store.read(offline.connection) == .online(report))
    #expect(try await store.edit(offline.heartbeat) { $0?.at = .noon - 1 }.outcome == .dropped)
    #expect(try store.read(offline.connection) == .online(report))
  }

  @Test func `a payload deep in nested enums has a place of its own`() async throws {
    let celsius = Fleet.places.devices[id: Fleet.example.devices[1].id].connection[case: Connection.online]
      .health[case: Health.degraded][case: Fault.overheating]
    #expect(celsius.path.hasSuffix("/connection/online/health/degraded/overheating/celsius"))
    #expect(try store.read(celsius) == 71)
    #expect(throws: Absence.self) { try store.read(device.connection[case: Connection.offline]) }
  }

  @Test func `an alert is acknowledged until the fault changes`() async throws {
    let id = Fleet.example.devices[1].id
    try await store.edit(Fleet.places.alerts[id: id].isAcknowledged) { $0 = true }
    #expect(try store.read(Fleet.places.devices[id: id].isAcknowledged))
    try await store.edit(Fleet.places.devices[id: id].heartbeat) { $0?.at += 1 }
    #expect(try store.read(Fleet.places.alerts[id: id].isAcknowledged))
    try await store.edit(Fleet.places.devices[id: id].heartbeat) { heartbeat in
      heartbeat?.at += 1
      heartbeat?.health = .degraded(.lowBattery)
    }
    #expect(try store.read(Fleet.places.alerts[id: id].isAcknowledged) == false)
  }

  @Test func `a device is installed only at a known site, and loses a site that is removed`() async throws {
    let error = await #expect(throws: CommitError.self) { try await store.edit(device.site) { $0 = "paris" } }
    #expect("\(try #require(error))".contains("no site has the code “paris”"))
    try await store.edit(Fleet.places.sites) { $0["berlin"] = nil }
    #expect(try store.read(device.site) == nil)
    #expect(try store.read(Fleet.places.devices[id: Fleet.example.devices[2].id].site) == "rome")
  }

  @Test func `a rollout is started by its version, and never goes back`() async throws {
    let percent = Fleet.places.rollout[case: Rollout.running].percent
    await #expect(throws: CommitError.self) { try await store.edit(percent) { $0 = 40 } }
    try await store.edit(Fleet.places.targetVersion) { $0 = "1.1.0" }
    #expect(try store.read(percent) == 50)
    try await store.edit(Fleet.places.targetVersion) { $0 = "2.0.0" }
    #expect(try store.read(percent) == 0)
    try await store.edit(Fleet.places.targetVersion) { $0 = nil }
    #expect(try store.read(Fleet.places.rollout) == .idle)
  }
}
