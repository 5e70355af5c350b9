import FoundationEssentials

/// A point in time in whole milliseconds of the years 1 to 9999, as JSON has it.
package struct Timestamp: Equatable, Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  let milliseconds: Int

  private static let range =
    (Day.range.lowerBound.number * 86_400_000)...(Day.range.upperBound.number * 86_400_000 + 86_399_999)

  /// - Parameter milliseconds: since 1970 in UTC; held to the range.
  package init(milliseconds: Int) {
    self.milliseconds = min(max(milliseconds, Self.range.lowerBound), Self.range.upperBound)
  }

  /// The nearest millisecond, held to the range; what is not a number is the beginning of the range.
  init(_ date: Date) {
    let exact = (date.timeIntervalSince1970 * 1000).rounded()
    if exact >= Double(Self.range.upperBound) {
      milliseconds = Self.range.upperBound
    } else if exact > Double(Self.range.lowerBound) {
      milliseconds = Int(exact)
    } else {
      milliseconds = Self.range.lowerBound
    }
  }

  var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

  /// Reads an RFC 3339 `date-time`; nil for anything else, for more than milliseconds, and for leap seconds.
  init?(_ text: String) {
    var digits = Digits(text)
    guard let year = digits.take(4), digits.take("-"), let month = digits.take(2), digits.take("-"),
      let dayOfMonth = digits.take(2), digits.take("T", "t"), let day = Day(year: year, month: month, day: dayOfMonth),
      let hour = digits.take(2), hour < 24, digits.take(":"), let minute = digits.take(2), minute < 60,
      digits.take(":"), let second = digits.take(2), second < 60,
      let fraction = Self.fraction(&digits), let offset = Self.offset(&digits), digits.isAtEnd
    else { return nil }
    let minutes = (day.number * 24 + hour) * 60 + minute - offset
    let total = (minutes * 60 + second) * 1000 + fraction
    guard Self.range.contains(total) else { return nil }
    milliseconds = total
  }

  /// Milliseconds; zeros may follow, other digits would be lost.
  private static func fraction(_ digits: inout Digits) -> Int? {
    guard digits.take(".") else { return 0 }
    var value = 0
    var count = 0
    while let digit = digits.takeDigit() {
      count += 1
      if count <= 3 { value = value * 10 + digit } else if digit != 0 { return nil }
    }
    guard count > 0 else { return nil }
    for _ in count..<max(3, count) { value *= 10 }
    return value
  }

  /// Minutes east of UTC.
  private static func offset(_ digits: inout Digits) -> Int? {
    if digits.take("Z", "z") { return 0 }
    let isEast = digits.take("+")
    guard isEast || digits.take("-"), let hours = digits.take(2), hours < 24, digits.take(":"),
      let minutes = digits.take(2), minutes < 60
    else { return nil }
    return (isEast ? 1 : -1) * (hours * 60 + minutes)
  }

  package var text: String {
    let dayNumber = (Double(milliseconds) / 86_400_000).rounded(.down)
    let day = Day(number: Int(dayNumber))
    let rest = milliseconds - day.number * 86_400_000
    let (hour, minute, second) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60)
    let time = [hour, minute, second].map { Digits.padded($0, to: 2) }.joined(separator: ":")
    return "\(day)T\(time).\(Digits.padded(rest % 1000, to: 3))Z"
  }
}
