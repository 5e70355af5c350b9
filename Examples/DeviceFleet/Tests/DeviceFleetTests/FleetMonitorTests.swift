import Bindery
import Foundation
import Testing

@testable import DeviceFleet

/// The background work, with a clock that the tests set.
struct FleetMonitorTests {
  private let store = Store(Fleet.example)
  private let device = Fleet.places.devices[id: Fleet.example.devices[0].id]

  private func check(at time: Date) async throws {
    try await FleetMonitor(timeout: 30, now: { time }).check(store)
  }

  @Test func `a device that misses its heartbeat goes offline once, and comes back`() async throws {
    let report = Report(at: .noon, firmware: "1.0.0")
    try await store.edit(device.heartbeat) { $0 = report }
    try await check(at: .noon + 30)
    #expect(try store.read(device.connection) == .online(report))
    try await check(at: .noon + 31)
    #expect(try store.read(device.connection) == .offline(since: .noon + 31, last: report))
    let revision = store.revision
    try await check(at: .noon + 60)
    #expect(store.revision == revision)
    let next = Report(at: .noon + 61, firmware: "1.0.0")
    try await store.edit(device.heartbeat) { $0 = next }
    #expect(try store.read(device.connection) == .online(next))
  }

  @Test func `a report from the future does not keep a device online`() async throws {
    try await store.edit(device.heartbeat) { $0 = Report(at: .noon + 3_600, firmware: "1.0.0") }
    try await check(at: .noon)
    #expect(try store.read(device.heartbeat)?.at == .noon)
    try await check(at: .noon + 31)
    #expect(try store.read(Fleet.places.summary.offline) == 1)
  }

  @Test func `a rollout is finished when all devices have its version`() async throws {
    try await store.commit { $0.rollout = .running(Wave(version: "2.0.0", percent: 100)) }
    for id in Fleet.example.devices.ids {
      try await check(at: .noon)
      #expect(try store.read(Fleet.places.rollout) == .running(Wave(version: "2.0.0", percent: 100)))
      try await store.edit(Fleet.places.devices[id: id].heartbeat) { $0 = Report(at: .noon, firmware: "2.0.0") }
    }
    try await check(at: .noon)
    #expect(try store.read(Fleet.places.rollout) == .finished(version: "2.0.0"))
  }
}
