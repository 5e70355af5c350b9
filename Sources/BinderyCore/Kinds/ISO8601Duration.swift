import BinderyText

/// A duration in whole nanoseconds: the JSON form of a `Duration`.
struct ISO8601Duration: Equatable {
  /// The number of nanoseconds, which may be negative.
  let nanoseconds: Int128

  /// The greatest number of nanoseconds that a `Duration` can contain, about 5 trillion years.
  private static let maximum = Int128.max / attosecondsPerNanosecond
  private static let attosecondsPerNanosecond: Int128 = 1_000_000_000
  private static let second: Int128 = 1_000_000_000

  /// Creates the form of a duration, rounded to the nearest nanosecond.
  init(_ duration: Duration) {
    let (whole, rest) = duration.attoseconds.quotientAndRemainder(dividingBy: Self.attosecondsPerNanosecond)
    let half = Self.attosecondsPerNanosecond / 2
    let rounded = rest >= half ? whole + 1 : rest <= -half ? whole - 1 : whole
    nanoseconds = min(max(rounded, -Self.maximum), Self.maximum)
  }

  /// The duration itself.
  var duration: Duration { Duration(attoseconds: nanoseconds * Self.attosecondsPerNanosecond) }

  /// The canonical text: hours, minutes and seconds, each only if it is not zero, and `PT0S` for zero.
  ///
  /// There are no days, which a clock change makes shorter or longer than 24 hours. A fraction of a second has no
  /// trailing zeros. A negative duration begins with a minus sign.
  var text: String {
    let (seconds, fraction) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: UInt128(Self.second))
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    var text = nanoseconds < 0 ? "-PT" : "PT"
    if hours > 0 { text += "\(hours)H" }
    if minutes > 0 { text += "\(minutes)M" }
    if seconds % 60 > 0 || fraction > 0 || seconds == 0 {
      text += "\(seconds % 60)"
      if fraction > 0 {
        var digits: [UInt8] = []
        digits.append(decimal: UInt64(fraction), width: 9)
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        text += "." + String(decoding: digits, as: UTF8.self)
      }
      text += "S"
    }
    return text
  }

  /// Parses `P`, then weeks, days, and after a `T` hours, minutes and seconds, each at most once and at least one.
  ///
  /// A week has 7 days and a day has 24 hours. Only seconds may have a fraction, of at most nanoseconds.
  /// Returns nil for any other text, years and months included, and if the duration is out of range.
  init?(_ text: String) {
    var scanner = DigitScanner(text)
    let isNegative = scanner.scan("-")
    guard scanner.scan("P") else { return nil }
    var total: Int128 = 0
    var isEmpty = true
    var isTime = false
    var units = Self.dateUnits
    while !scanner.isAtEnd {
      if !isTime, scanner.scan("T") {
        guard !scanner.isAtEnd else { return nil }
        isTime = true
        units = Self.timeUnits
        continue
      }
      guard let count = Self.number(&scanner), let fraction = Self.fraction(&scanner),
        let index = units.firstIndex(where: { scanner.scan($0.name) }),
        units[index].name == "S" || fraction.digits == 0,
        let sum = Self.sum(total, count, units[index].nanoseconds, fraction.nanoseconds)
      else { return nil }
      total = sum
      isEmpty = false
      units = units[(index + 1)...]
    }
    guard !isEmpty, total <= Self.maximum else { return nil }
    nanoseconds = isNegative ? -total : total
  }

  private typealias Unit = (name: Unicode.Scalar, nanoseconds: Int128)

  private static let dateUnits: ArraySlice<Unit> = [("W", second * 604_800), ("D", second * 86_400)]
  private static let timeUnits: ArraySlice<Unit> = [("H", second * 3600), ("M", second * 60), ("S", second)]

  /// Parses at least one digit; returns nil if there is none or the number is too large.
  private static func number(_ scanner: inout DigitScanner) -> Int128? {
    guard let first = scanner.scanDigit() else { return nil }
    var number = Int128(first)
    while let digit = scanner.scanDigit() {
      guard number < maximum else { return nil }
      number = number * 10 + Int128(digit)
    }
    return number
  }

  /// Parses an optional fraction and returns it in nanoseconds, with its number of digits.
  ///
  /// Returns nil if a digit after the ninth is not zero, because it would be lost.
  private static func fraction(_ scanner: inout DigitScanner) -> (nanoseconds: Int128, digits: Int)? {
    guard scanner.scan(".") else { return (0, 0) }
    var (value, count, scale) = (Int128(0), 0, second)
    while let digit = scanner.scanDigit() {
      count += 1
      scale /= 10
      if scale == 0, digit != 0 { return nil }
      value += Int128(digit) * scale
    }
    return count > 0 ? (value, count) : nil
  }

  /// Returns `total + count × unit + fraction`; nil if it overflows.
  private static func sum(_ total: Int128, _ count: Int128, _ unit: Int128, _ fraction: Int128) -> Int128? {
    let (product, overflows) = count.multipliedReportingOverflow(by: unit)
    let (partial, overflowsToo) = total.addingReportingOverflow(product)
    let (sum, overflowsAgain) = partial.addingReportingOverflow(fraction)
    return overflows || overflowsToo || overflowsAgain ? nil : sum
  }
}
