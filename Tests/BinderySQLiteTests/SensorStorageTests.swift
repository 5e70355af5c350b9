import BinderyCore
import BinderyFuzzTargets
import BinderyJournal
import BinderySQLite
import BinderyTestKit
import FoundationEssentials
import Testing

struct SensorStorageTests {
  @Test func `every kind of value survives a restart, in a snapshot and in revisions`() throws {
    let folder = try TemporaryFolder()
    var first = Sensor()
    first.delay = .some(.some(nil))
    first.levels = [-0.0, 1.5]
    var second = first
    second.gain = 0.1
    second.peak = .leastNonzeroMagnitude
    second.homepage = URL(string: "HTTP://a/%7e")
    second.mirror = .some(.none)
    second.firmware = Data([255])
    second.key = Data()
    second.interval = .nanoseconds(-1)
    second.delay = .seconds(5)
    second.tags = ["cafe\u{301}", ""]
    second.levels = nil
    second.links = [try #require(URL(string: "a:")), try #require(URL(string: "b:"))]
    second.mode = .café
    second.range = .wide
    second.modes = [.measuring, .idle]
    second.color = Sensor.Color(red: 0, green: 1, blue: 2)
    second.share.points = 100
    do {
      let storage = try SQLiteStorage(folder("store.db"))
      defer { storage.close() }
      let root = try Recovery(from: storage) { first }.root
      try storage.append([Revision(number: 1, at: 0, from: root, to: second, Sensor.shape)])
    }
    do {
      let storage = try SQLiteStorage(folder("store.db"))
      defer { storage.close() }
      let recovery = try #require(try Recovery<Sensor>(of: storage))
      #expect(recovery.revision == 1)
      #expect(recovery.root == second)
      #expect(Sensor.shape.areSame(recovery.root, second))
      #expect(Sensor.shape.areSame(try Sensor.shape.restore(Sensor.shape.stored(first)), first))
    }
  }
}
