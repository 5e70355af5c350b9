import BinderyCore
import BinderyJSON
import BinderyMenu
import BinderyService
import BinderySystem
import BinderyTestKit
import FoundationEssentials
import Synchronization
import Testing

/// The change of the day while the service runs.
struct MidnightTests {
  /// A clock that tests set.
  private final class ManualClock: Sendable {
    private let reading: Mutex<DayClock.Reading>

    init(_ reading: DayClock.Reading) { self.reading = Mutex(reading) }

    var clock: DayClock { DayClock { self.reading.withLock { $0 } } }

    func set(_ reading: DayClock.Reading) { self.reading.withLock { $0 = reading } }
  }

  /// Returns a reading in UTC.
  private static func reading(_ day: CalendarDay, toMidnight time: Duration) -> DayClock.Reading {
    let evening = Date(timeIntervalSince1970: Double(day.number * 86_400 + 19 * 3_600))
    return DayClock.Reading(today: day, evening: evening, timeToMidnight: time)
  }

  /// 2026-11-30, a Monday.
  private static let monday = CalendarDay(year: 2026, month: 11, day: 30)!

  @Test func `at midnight the label and the days change but not the selection`() async throws {
    let manual = ManualClock(Self.reading(Self.monday, toMidnight: .milliseconds(5)))
    let live = try LiveService(Menu(today: Self.monday, evening: manual.clock.now.evening))
    defer { live.stop() }
    let client = try CurlClient(live.address)
    let paths = [
      "today", "selectedDayLabel", "days", "days/2026-12-01", "customTimeOrDefault", "selectedDay", "dishes",
      "pinnedDish",
    ]
    let before = try paths.map { try client.get("/state/\($0)") }
    #expect(before[1].text == "\"Today\"")

    #expect(await manual.clock.tick(live.store) == .milliseconds(5))
    #expect(live.store.revision == 0)

    manual.set(Self.reading(Self.monday.advanced(by: 1), toMidnight: .seconds(86_400)))
    #expect(await manual.clock.tick(live.store) == .seconds(30))
    #expect(live.store.revision == 1)

    let after = try paths.map { try client.get("/state/\($0)") }
    #expect(after[0].text == "\"2026-12-01\"")
    #expect(after[1].text == "\"Monday\"")
    #expect(after[2].json?.elements.compactMap { $0["date"]?.string }.first == "2026-12-01")
    #expect(after[2].json?.count == 11)
    #expect(after[4].text == "\"2026-12-01T19:00:00.000Z\"")
    #expect(after[5].text == "\"2026-11-30\"")
    let hasChanged = zip(before, after).map { $0.etag != $1.etag }
    #expect(hasChanged == [true, true, true, false, true, false, false, false])
    #expect(try client.get("/state/days/2026-11-30").outcome == "404 no-such-element")

    let stale = try client.get("/state/selectedDayLabel", ["If-None-Match": try #require(before[1].etag)])
    #expect(stale.status == 200)
    #expect(stale.revision == 1)
  }

  @Test func `setting the clock back has no effect`() async throws {
    let manual = ManualClock(Self.reading(Self.monday.advanced(by: -1), toMidnight: .milliseconds(1)))
    let live = try LiveService(Menu(today: Self.monday, evening: Self.reading(Self.monday, toMidnight: .zero).evening))
    defer { live.stop() }
    let client = try SocketClient(live.address)
    let before = try client.get("/state")
    _ = await manual.clock.tick(live.store)
    let after = try client.get("/state")
    #expect(after.revision == 0)
    #expect(after.etag == before.etag)
  }

  @Test(
    arguments: [
      (.min, "0001-01-01"), (-62_135_596_800_000, "0001-01-01"), (-2_208_988_800_000, "1900-01-01"),
      (9_223_372_037_000, "2262-04-11"), (253_402_300_799_999, "9999-12-31"), (253_402_300_800_000, "9999-12-31"),
      (.max, "9999-12-31"),
    ] as [(Int64, String)])
  func `the day is the nearest representable one, whatever the clock shows`(_ time: Int64, _ day: String) async throws {
    let reading = DayClock.Reading(
      try #require(LocalClock(timeZone: "UTC")), at: Date(timeIntervalSince1970: Double(time) / 1_000))
    #expect(reading.today.description == day)
    let store = Store(Menu(today: reading.today, evening: reading.evening))
    let delay = await DayClock { reading }.tick(store)
    #expect((.milliseconds(1) ... .seconds(30)).contains(delay))
    #expect(!Menu.shape.stored(store.snapshot.root).isEmpty)
  }

  @Test(arguments: [(-5, 1), (0, 1), (1, 1), (29_999, 29_999), (86_400_000, 30_000)] as [(Int64, Int64)])
  func `the clock is read at midnight and at least every 30 seconds`(_ toMidnight: Int64, _ wait: Int64) async {
    let manual = ManualClock(Self.reading(Self.monday, toMidnight: .milliseconds(toMidnight)))
    let store = Store(Menu(today: Self.monday, evening: manual.clock.now.evening))
    #expect(await manual.clock.tick(store) == .milliseconds(wait))
  }
}
