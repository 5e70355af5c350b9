package import BinderyCore
package import BinderySystem
package import FoundationEssentials

/// Tells the menu which day it is: time is an input of the state.
package struct DayClock: Sendable {
  /// What the clock on the wall says: the date, that evening at 19:00, and when the next day begins.
  package struct Reading: Sendable {
    package let today: Day
    package let evening: Date
    package let millisecondsToMidnight: Int64

    package init(today: Day, evening: Date, millisecondsToMidnight: Int64) {
      self.today = today
      self.evening = evening
      self.millisecondsToMidnight = millisecondsToMidnight
    }
  }

  private let read: @Sendable () -> Reading

  /// A clock of one's own, for tests.
  package init(_ read: @escaping @Sendable () -> Reading) { self.read = read }

  /// The system's clock in a time zone.
  package init(_ zone: LocalTime) {
    self.init { Reading(zone, atMilliseconds: Clock.wallMilliseconds) }
  }

  package var now: Reading { read() }

  /// Moves the menu's day forward if it is another one.
  ///
  /// - Returns: how long nothing will happen, in milliseconds: to midnight, but never so long that a clock that was set
  ///   would go unnoticed.
  package func tick(_ store: Store<Menu>) -> Int64 {
    let reading = now
    if store.snapshot.root.today != reading.today || store.snapshot.root.evening != reading.evening {
      // A journal that cannot keep it now will be asked again at the next tick.
      store.post { $0.advance(to: reading.today, evening: reading.evening) }
    }
    return min(max(reading.millisecondsToMidnight, 1), 30_000)
  }
}

extension DayClock.Reading {
  /// What a zone's wall shows at a moment in milliseconds since 1970 in UTC.
  package init(_ zone: LocalTime, atMilliseconds moment: Int64) {
    let (year, month, day) = zone.date(atMilliseconds: moment)
    let midnight = zone.milliseconds(year: year, month: month, day: day + 1, hour: 0)
    let evening = zone.milliseconds(year: year, month: month, day: day, hour: 19)
    self.init(
      today: Day(year: year, month: month, day: day) ?? Day.range.lowerBound,
      evening: Date(timeIntervalSince1970: Double(evening) / 1000), millisecondsToMidnight: midnight - moment)
  }
}
