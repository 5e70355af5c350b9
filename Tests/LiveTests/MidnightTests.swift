import BinderyCore
import BinderyJSON
import BinderyMenu
import BinderyTestKit
import FoundationEssentials
import Synchronization
import Testing

/// The day changes while the service runs.
struct MidnightTests {
  /// What the clock on the wall shows, to be turned by hand.
  private final class Wall: Sendable {
    private let reading: Mutex<DayClock.Reading>

    init(_ reading: DayClock.Reading) { self.reading = Mutex(reading) }

    var clock: DayClock { DayClock { self.reading.withLock { $0 } } }

    func show(_ reading: DayClock.Reading) { self.reading.withLock { $0 = reading } }
  }

  /// The 30th of November 2026 is a Monday.
  private static func reading(_ day: Day, toMidnight milliseconds: Int64) -> DayClock.Reading {
    let evening = Date(timeIntervalSince1970: Double(day.number * 86_400 + 19 * 3_600))
    return DayClock.Reading(today: day, evening: evening, millisecondsToMidnight: milliseconds)
  }

  private static let monday = Day(year: 2026, month: 11, day: 30)!

  @Test func `at midnight the label and the days change and the selection does not`() throws {
    let wall = Wall(Self.reading(Self.monday, toMidnight: 5))
    let live = try LiveService(Menu(today: Self.monday, evening: wall.clock.now.evening))
    defer { live.stop() }
    let client = try CurlClient(live.address)
    let paths = [
      "today", "selectedDayLabel", "days", "days/2026-12-01", "customTimeOrDefault", "selectedDay", "dishes",
      "pinnedDish",
    ]
    let before = try paths.map { try client.get("/state/\($0)") }
    #expect(before[1].text == "\"Today\"")

    #expect(wall.clock.tick(live.store) == 5)
    #expect(live.store.revision == 0)

    wall.show(Self.reading(Self.monday.advanced(by: 1), toMidnight: 86_400_000))
    #expect(wall.clock.tick(live.store) == 30_000)
    #expect(live.store.revision == 1)

    let after = try paths.map { try client.get("/state/\($0)") }
    #expect(after[0].text == "\"2026-12-01\"")
    #expect(after[1].text == "\"Monday\"")
    #expect(after[2].json?.elements.compactMap { $0["date"]?.string }.first == "2026-12-01")
    #expect(after[2].json?.count == 11)
    #expect(after[4].text == "\"2026-12-01T19:00:00.000Z\"")
    #expect(after[5].text == "\"2026-11-30\"")
    let hasMoved = zip(before, after).map { $0.etag != $1.etag }
    #expect(hasMoved == [true, true, true, false, true, false, false, false])
    #expect(try client.get("/state/days/2026-11-30").outcome == "404 no-such-element")

    let stale = try client.get("/state/selectedDayLabel", ["If-None-Match": try #require(before[1].etag)])
    #expect(stale.status == 200)
    #expect(stale.revision == 1)
  }

  @Test func `a clock that is set back changes nothing`() throws {
    let wall = Wall(Self.reading(Self.monday.advanced(by: -1), toMidnight: 1))
    let live = try LiveService(Menu(today: Self.monday, evening: Self.reading(Self.monday, toMidnight: 0).evening))
    defer { live.stop() }
    let client = try SocketClient(live.address)
    let before = try client.get("/state")
    _ = wall.clock.tick(live.store)
    let after = try client.get("/state")
    #expect(after.revision == 0)
    #expect(after.etag == before.etag)
  }

  @Test(arguments: [(-5, 1), (0, 1), (1, 1), (29_999, 29_999), (86_400_000, 30_000)] as [(Int64, Int64)])
  func `the clock is looked at by midnight, and twice a minute`(_ toMidnight: Int64, _ wait: Int64) {
    let wall = Wall(Self.reading(Self.monday, toMidnight: toMidnight))
    let store = Store(Menu(today: Self.monday, evening: wall.clock.now.evening))
    #expect(wall.clock.tick(store) == wait)
  }
}
