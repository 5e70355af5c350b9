public import BinderyCore
import BinderySystem
public import FoundationEssentials
import Synchronization

/// The local date and time in a time zone of the tz database.
///
/// A process has one time zone, because the calendar calculations are glibc's.
public struct LocalClock: Sendable {
  private let zone: LocalTime

  /// The time zone of the process, once it is set.
  private static let selected = Mutex<LocalTime?>(nil)

  /// Creates a clock, and sets the time zone of the process.
  ///
  /// Create the first clock before the service starts, for example in the check of an option: it sets the environment
  /// variable `TZ`.
  ///
  /// - Parameter name: An IANA name, such as `Europe/Rome`.
  /// - Returns: nil if the tz database has no such zone.
  public init?(timeZone name: String) {
    let zone = Self.selected.withLock { selected -> LocalTime? in
      if let selected, selected.zone == name { return selected }
      guard let zone = LocalTime(selecting: name) else { return nil }
      selected = zone
      return zone
    }
    guard let zone else { return nil }
    self.zone = zone
  }

  /// The current date.
  public var today: CalendarDay { day(at: Date()) }

  /// Returns the local date at a time.
  public func day(at time: Date) -> CalendarDay {
    let milliseconds = (time.timeIntervalSince1970 * 1_000).rounded(.down)
    let nearest = milliseconds < 0 ? Int64.min : .max
    let (year, month, day) = zone.date(atMilliseconds: Int64(exactly: milliseconds) ?? nearest)
    // A clock may show a year that `CalendarDay` cannot represent.
    return CalendarDay(year: year, month: month, day: day)
      ?? (year > 9_999 ? CalendarDay.range.upperBound : CalendarDay.range.lowerBound)
  }

  /// Returns the time of a full hour on a local date; midnight if the hour is 0.
  public func time(of hour: Int, on day: CalendarDay) -> Date {
    let (year, month, day) = day.components
    let milliseconds = zone.milliseconds(year: year, month: month, day: day, hour: hour)
    return Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
  }
}
