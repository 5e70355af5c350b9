import BinderyText

/// A calendar date without time or time zone, in the years 1 to 9999 of the proleptic Gregorian calendar.
public struct CalendarDay: Hashable, Comparable, Sendable {
  /// The number of days since 1970-01-01.
  public let number: Int

  /// The range of representable days.
  public static let range = CalendarDay(unchecked: -719_162)...CalendarDay(unchecked: 2_932_896)

  private init(unchecked number: Int) { self.number = number }

  /// Creates a day from the number of days since 1970-01-01, clamped to the range.
  public init(number: Int) {
    self.number = min(max(number, Self.range.lowerBound.number), Self.range.upperBound.number)
  }

  /// Creates a day from its components; returns nil if there is no such day.
  public init?(year: Int, month: Int, day: Int) {
    guard let date = CivilDate(year: year, month: month, day: day) else { return nil }
    number = date.dayNumber
  }

  private var date: CivilDate { CivilDate(dayNumber: number) }

  /// The year, the month (1 to 12) and the day of the month (1 to 31).
  public var components: (year: Int, month: Int, day: Int) {
    let date = date
    return (date.year, date.month, date.day)
  }

  /// The day of the week, from 0 for Sunday to 6 for Saturday.
  public var weekday: Int { ((number % 7) + 11) % 7 }

  /// Returns the day that is `days` later, clamped to the range.
  public func advanced(by days: Int) -> CalendarDay {
    let (sum, overflow) = number.addingReportingOverflow(days)
    return CalendarDay(number: overflow ? (days < 0 ? .min : .max) : sum)
  }

  /// Returns whether a day is before another one.
  public static func < (a: CalendarDay, b: CalendarDay) -> Bool { a.number < b.number }
}

extension CalendarDay: CustomStringConvertible {
  /// The RFC 3339 `full-date`, such as `2026-11-21`.
  public var description: String { date.text }

  /// Parses an RFC 3339 `full-date`; returns nil for any other text.
  public init?(_ text: String) {
    var digits = DigitScanner(text)
    guard let year = digits.scan(4), digits.scan("-"), let month = digits.scan(2), digits.scan("-"),
      let day = digits.scan(2), digits.isAtEnd
    else { return nil }
    self.init(year: year, month: month, day: day)
  }
}

extension CalendarDay: PathKey {
  /// The RFC 3339 `full-date`, such as `2026-11-21`.
  public var keyText: String { description }

  /// Parses an RFC 3339 `full-date`; returns nil for any other text.
  public static func key(from text: String) -> CalendarDay? { CalendarDay(text) }

  public static func _areSame(_ a: CalendarDay, _ b: CalendarDay) -> Bool { a == b }
  public static var _couldBeIndex: Bool { false }

  public static var _textIsAlwaysUsable: Bool { true }
  public func _hashBytes(into hasher: inout Hasher) { hasher.combine(number) }
}
