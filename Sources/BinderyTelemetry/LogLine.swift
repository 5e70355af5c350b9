/// One line of a log. Whatever the parts hold, it is one line of printable text: what would break out of it, or move a
/// terminal's cursor, is escaped as JSON escapes it.
struct LogLine {
  private(set) var bytes: [UInt8] = []

  /// `2026-11-21T11:30:00.123Z info message name=value name="a value"`
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

  /// One JSON object.
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
        for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
          let digits = String(unit, radix: 16)
          append("\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
        }
      }
    }
  }

  /// Whether a value can stand in a text line without quotes.
  private static func isPlain(_ text: String) -> Bool {
    !text.isEmpty && text.unicodeScalars.allSatisfy { isPrintable($0) && !" \"\\=".unicodeScalars.contains($0) }
  }

  /// Controls (the C1 ones too), the characters that turn the direction of text, and those that end lines or stand for
  /// nothing, are not.
  private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value >= 0x20 && scalar.value < 0x7F }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate: return false
    default: return true
    }
  }

  /// A moment in milliseconds since 1970 in UTC, in RFC 3339.
  static func timestamp(_ milliseconds: Int64) -> String {
    let (days, rest) = floor(milliseconds, by: 86_400_000)
    // Days are counted from the first of March of the year 0, in eras of 400 years
    // (http://howardhinnant.github.io/date_algorithms.html).
    let (era, day) = floor(days + 719_468, by: 146_097)
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365
    let dayOfYear = day - (365 * year + year / 4 - year / 100)
    let month = (5 * dayOfYear + 2) / 153
    let date = [
      padded(year + era * 400 + (month < 10 ? 0 : 1), 4), padded(month < 10 ? month + 3 : month - 9, 2),
      padded(dayOfYear - (153 * month + 2) / 5 + 1, 2),
    ]
    let seconds = rest / 1_000
    let time = [padded(seconds / 3_600, 2), padded(seconds / 60 % 60, 2), padded(seconds % 60, 2)]
    return "\(date.joined(separator: "-"))T\(time.joined(separator: ":")).\(padded(rest % 1_000, 3))Z"
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
