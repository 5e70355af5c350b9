import BinderySystem
import Testing

struct ClockTests {
  @Test func `the clock of a thread counts its own work only`() throws {
    let start = Clock.threadNanoseconds
    let thread = try Thread {
      let start = Clock.threadNanoseconds
      while Clock.threadNanoseconds - start < 50_000_000 {}
    }
    thread.join()
    #expect((0..<50_000_000).contains(Clock.threadNanoseconds - start))
  }

  private static let firstMillisecond: Int64 = -62_135_596_800_000
  private static let lastMillisecond: Int64 = 253_402_300_799_999

  @Test(
    arguments: [
      (0, 0, 0), (1_795_287_600, 123_456_789, 1_795_287_600_123), (-1, 999_000_000, -1),
      (-2_208_988_800, 0, -2_208_988_800_000), (9_223_372_037, 0, 9_223_372_037_000),
      (253_402_300_800, 0, lastMillisecond),
      (.max, 999_999_999, lastMillisecond), (-62_135_596_801, 0, firstMillisecond), (.min, 0, firstMillisecond),
    ] as [(Int64, Int64, Int64)])
  func `the wall clock shows a time in the years 1 to 9999`(_ seconds: Int64, _ nanoseconds: Int64, _ expected: Int64) {
    #expect(Clock.wallMilliseconds(seconds: seconds, nanoseconds: nanoseconds) == expected)
  }

  @Test func `the monotonic clock never decreases and begins after one day`() {
    let first = Clock.monotonicNanoseconds
    #expect(first >= 86_400_000_000_000)
    #expect(Clock.monotonicNanoseconds >= first)
    #expect(Clock.monotonicMilliseconds >= first / 1_000_000)
  }

  @Test(arguments: [.min, -62_135_596_800_000, 0, 253_402_300_799_999, .max] as [Int64])
  func `local time is calculated for every clock`(_ milliseconds: Int64) throws {
    let zone = try #require(LocalTime(selecting: "UTC"))
    let (year, month, day) = zone.date(atMilliseconds: milliseconds)
    let midnight = zone.milliseconds(year: year, month: month, day: day, hour: 0)
    let next = zone.milliseconds(year: year, month: month, day: day + 1, hour: 0)
    #expect(next >= midnight || year < 1 || year > 9_999)
    #expect(zone.milliseconds(year: .max, month: .max, day: .max, hour: 0) > 0)
    #expect(zone.milliseconds(year: .min, month: .min, day: .min, hour: 0) < 0)
  }

  @Test(arguments: [
    "", "Europe", "zone.tab", "tzdata.zi", "../zoneinfo/UTC", "/usr/share/zoneinfo/UTC", "Europe/Nowhere",
  ])
  func `a directory or a table of the tz database is not a time zone`(_ name: String) {
    #expect(LocalTime(selecting: name) == nil)
  }
}
