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
    guard (1...9999).contains(year), (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day)
    else { return nil }
    // Years begin in March here, so that the leap day is the last day of the year. An era is a cycle of 400 years
    // (Hinnant, “chrono-Compatible Low-Level Date Algorithms”).
    let shifted = month > 2 ? year : year - 1
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    number = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// The year, the month (1 to 12) and the day of the month (1 to 31).
  public var components: (year: Int, month: Int, day: Int) {
    let shifted = number + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0)
    return (year, month < 10 ? month + 3 : month - 9, dayOfYear - (153 * month + 2) / 5 + 1)
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

  /// Returns the number of days in a month.
  static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

extension CalendarDay: CustomStringConvertible {
  /// The RFC 3339 `full-date`, such as `2026-11-21`.
  public var description: String {
    let (year, month, day) = components
    return "\(year.zeroPadded(to: 4))-\(month.zeroPadded(to: 2))-\(day.zeroPadded(to: 2))"
  }

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
  public func _hashBytes(into hasher: inout Hasher) { hasher.combine(number) }
}
