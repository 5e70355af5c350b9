package import BinderyCore
package import BinderySystem
package import FoundationEssentials

/// Updates the date in the menu. The date is an input of the state, so that getters stay pure.
package struct DayClock: Sendable {
  /// The local date, 19:00 on that date, and the time until the next day.
  package struct Reading: Sendable {
    /// The local date.
    package let today: Day
    /// 19:00 on that date.
    package let evening: Date
    /// The time until the next day, in milliseconds.
    package let millisecondsToMidnight: Int64

    /// Creates a reading.
    package init(today: Day, evening: Date, millisecondsToMidnight: Int64) {
      self.today = today
      self.evening = evening
      self.millisecondsToMidnight = millisecondsToMidnight
    }
  }

  private let read: @Sendable () -> Reading

  /// Creates a clock from a function, for tests.
  package init(_ read: @escaping @Sendable () -> Reading) { self.read = read }

  /// Creates a clock that reads the system time in a time zone.
  package init(_ zone: LocalTime) {
    self.init { Reading(zone, atMilliseconds: Clock.wallMilliseconds) }
  }

  /// The current reading.
  package var now: Reading { read() }

  /// Advances the date in the menu if the day has changed.
  ///
  /// - Returns: The time until the next call, in milliseconds: until midnight, but at most 30 seconds, so that a change
  ///   of the system time is noticed.
  package func tick(_ store: Store<Menu>) -> Int64 {
    let reading = now
    if store.snapshot.root.today != reading.today || store.snapshot.root.evening != reading.evening {
      // If the journal cannot write now, the next tick posts the change again.
      store.post { $0.advance(to: reading.today, evening: reading.evening) }
    }
    return min(max(reading.millisecondsToMidnight, 1), 30_000)
  }
}

extension DayClock.Reading {
  /// Creates the reading for a time zone and a time in milliseconds since 1970-01-01 UTC.
  package init(_ zone: LocalTime, atMilliseconds time: Int64) {
    let (year, month, day) = zone.date(atMilliseconds: time)
    let midnight = zone.milliseconds(year: year, month: month, day: day + 1, hour: 0)
    let evening = zone.milliseconds(year: year, month: month, day: day, hour: 19)
    // A clock may show a year that `Day` cannot represent.
    let nearest = year > 9_999 ? Day.range.upperBound : Day.range.lowerBound
    let (remaining, overflows) = midnight.subtractingReportingOverflow(time)
    self.init(
      today: Day(year: year, month: month, day: day) ?? nearest,
      evening: Date(timeIntervalSince1970: Double(evening) / 1000), millisecondsToMidnight: overflows ? 0 : remaining)
  }
}
