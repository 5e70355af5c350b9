/// The bytes of one log line.
///
/// A line always stays one line of printable text, whatever its parts contain. Characters that could end the line or
/// move a terminal's cursor are written as JSON escapes, so that a request cannot forge a log line.
struct LogLine {
  private(set) var bytes: [UInt8] = []

  /// Writes the line as text: `2026-11-21T11:30:00.123Z info message name=value name="a value"`.
  ///
  /// - Parameter time: Milliseconds since 1970 in UTC.
  mutating func writeText(_ time: Int64, _ level: LogLevel, _ message: String, _ fields: [LogField]) {
    append("\(Self.timestamp(time)) \(level.rawValue) ")
    appendEscaped(message, quotes: false)
    for field in fields {
      append(" \(field.name)=")
      switch field.value {
      case .text(let text):
        if Self.isPlain(text) { append(text) } else { appendQuoted(text) }
      case .number(let number): append(String(number))
      case .time(let nanoseconds): append(Exposition.decimal(nanoseconds, digits: 9))
      }
    }
    append("\n")
  }

  /// Writes the line as one JSON object.
  ///
  /// - Parameter time: Milliseconds since 1970 in UTC.
  mutating func writeJSON(_ time: Int64, _ level: LogLevel, _ message: String, _ fields: [LogField]) {
    append("{\"time\":\"\(Self.timestamp(time))\",\"level\":\"\(level.rawValue)\",\"message\":")
    appendQuoted(message)
    for field in fields {
      append(",\"\(field.name)\":")
      switch field.value {
      case .text(let text): appendQuoted(text)
      case .number(let number): append(String(number))
      case .time(let nanoseconds): append(Exposition.decimal(nanoseconds, digits: 9))
      }
    }
    append("}\n")
  }

  private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  private mutating func appendQuoted(_ text: String) {
    append("\"")
    appendEscaped(text, quotes: true)
    append("\"")
  }

  private mutating func appendEscaped(_ text: String, quotes: Bool) {
    for scalar in text.unicodeScalars {
      if quotes, scalar == "\"" || scalar == "\\" {
        append("\\")
        bytes.append(UInt8(ascii: scalar))
      } else if Self.isPrintable(scalar) {
        bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      } else {
        // JSON escapes are UTF-16 code units: a scalar above U+FFFF needs two.
        for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
          let digits = String(unit, radix: 16)
          append("\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
        }
      }
    }
  }

  /// Returns whether a value needs no quotes in a text line.
  private static func isPlain(_ text: String) -> Bool {
    !text.isEmpty && text.unicodeScalars.allSatisfy { isPrintable($0) && !" \"\\=".unicodeScalars.contains($0) }
  }

  /// Returns whether a character is safe to write unescaped.
  ///
  /// Control characters (including C1), format characters such as direction overrides, line separators, and private
  /// or unassigned characters are not.
  private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value >= 0x20 && scalar.value < 0x7F }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate: return false
    default: return true
    }
  }

  /// Returns a time in UTC in the form of RFC 3339, with milliseconds.
  ///
  /// - Parameter milliseconds: Milliseconds since 1970.
  static func timestamp(_ milliseconds: Int64) -> String {
    let (days, millisecondOfDay) = floor(milliseconds, by: 86_400_000)
    // The algorithm counts days from March 1 of the year 0, in cycles of 400 years, so that the leap day is the last
    // day of a year (http://howardhinnant.github.io/date_algorithms.html).
    let (cycle, day) = floor(days + 719_468, by: 146_097)
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365
    let dayOfYear = day - (365 * year + year / 4 - year / 100)
    let month = (5 * dayOfYear + 2) / 153
    let date = [
      padded(year + cycle * 400 + (month < 10 ? 0 : 1), 4), padded(month < 10 ? month + 3 : month - 9, 2),
      padded(dayOfYear - (153 * month + 2) / 5 + 1, 2),
    ]
    let seconds = millisecondOfDay / 1_000
    let time = [padded(seconds / 3_600, 2), padded(seconds / 60 % 60, 2), padded(seconds % 60, 2)]
    return "\(date.joined(separator: "-"))T\(time.joined(separator: ":")).\(padded(millisecondOfDay % 1_000, 3))Z"
  }

  private static func floor(_ number: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.count)) + text
  }
}
