import BinderyText
import FoundationEssentials

/// A point in time in whole milliseconds, in the years 1 to 9999: the JSON form of a `Date`.
package struct Timestamp: Equatable, Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  let milliseconds: Int

  /// The range of ``milliseconds``.
  private static let range = UTCTime.range

  /// Creates a timestamp, clamped to the range.
  ///
  /// - Parameter milliseconds: Milliseconds since 1970-01-01T00:00:00Z.
  package init(milliseconds: Int) {
    self.milliseconds = min(max(milliseconds, Self.range.lowerBound), Self.range.upperBound)
  }

  /// Creates a timestamp from a date, rounded to the nearest millisecond and clamped to the range.
  ///
  /// A date that is not a number becomes the beginning of the range.
  init(_ date: Date) {
    let (first, last) = (Double(Self.range.lowerBound), Double(Self.range.upperBound))
    // Each function ignores an operand that is not a number.
    milliseconds = Int(Double.minimum(Double.maximum((date.timeIntervalSince1970 * 1000).rounded(), first), last))
  }

  /// Returns whether the JSON form has a date, rounded to the nearest millisecond.
  ///
  /// `Date.distantPast` is accepted although it is two days before the year 1, because it often means “never”.
  static func contains(_ date: Date) -> Bool {
    date >= .distantPast && (date.timeIntervalSince1970 * 1000).rounded() <= Double(range.upperBound)
  }

  /// The timestamp as a date.
  var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

  /// Parses an RFC 3339 `date-time`.
  ///
  /// Returns nil for any other text, for fractions finer than a millisecond, and for leap seconds.
  init?(_ text: String) {
    var digits = DigitScanner(text)
    guard let year = digits.scan(4), digits.scan("-"), let month = digits.scan(2), digits.scan("-"),
      let dayOfMonth = digits.scan(2), digits.scan("T", "t"),
      let day = CalendarDay(year: year, month: month, day: dayOfMonth),
      let hour = digits.scan(2), hour < 24, digits.scan(":"), let minute = digits.scan(2), minute < 60,
      digits.scan(":"), let second = digits.scan(2), second < 60,
      let fraction = Self.fraction(&digits), let offset = Self.offset(&digits), digits.isAtEnd
    else { return nil }
    let minutes = (day.number * 24 + hour) * 60 + minute - offset
    let total = (minutes * 60 + second) * 1000 + fraction
    guard Self.range.contains(total) else { return nil }
    milliseconds = total
  }

  /// Parses an optional fraction of a second and returns it in milliseconds.
  ///
  /// Returns nil if a digit after the third is not zero, because it would be lost.
  private static func fraction(_ digits: inout DigitScanner) -> Int? {
    guard digits.scan(".") else { return 0 }
    var value = 0
    var count = 0
    while let digit = digits.scanDigit() {
      count += 1
      if count <= 3 { value = value * 10 + digit } else if digit != 0 { return nil }
    }
    guard count > 0 else { return nil }
    for _ in count..<max(3, count) { value *= 10 }
    return value
  }

  /// Parses a time zone offset and returns it in minutes east of UTC.
  private static func offset(_ digits: inout DigitScanner) -> Int? {
    if digits.scan("Z", "z") { return 0 }
    let isEast = digits.scan("+")
    guard isEast || digits.scan("-"), let hours = digits.scan(2), hours < 24, digits.scan(":"),
      let minutes = digits.scan(2), minutes < 60
    else { return nil }
    return (isEast ? 1 : -1) * (hours * 60 + minutes)
  }

  /// The canonical RFC 3339 form: in UTC, with milliseconds.
  package var text: String { UTCTime(milliseconds: milliseconds).text }
}
