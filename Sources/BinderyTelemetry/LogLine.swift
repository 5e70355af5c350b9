import BinderyText

/// The bytes of one log line.
///
/// A line always stays one line of printable text, whatever its parts contain. Characters that could end the line or
/// move a terminal's cursor are written as JSON escapes, so that a request cannot forge a log line.
struct LogLine {
  private(set) var bytes: [UInt8] = []

  /// Writes the priority of the line in front of it (sd-daemon(3)).
  mutating func writePriority(_ level: LogLevel) {
    let priority =
      switch level {
      case .error: 3
      case .warning: 4
      case .info: 6
      case .debug: 7
      }
    append("<\(priority)>")
  }

  /// Writes the line as text: `2026-11-21T11:30:00.123Z info message name=value name="a value"`.
  ///
  /// - Parameter time: Milliseconds since 1970 in UTC.
  mutating func writeText(_ time: Int64, _ level: LogLevel, _ message: String, _ fields: [LogField]) {
    append("\(UTCTime(milliseconds: Int(time)).text) \(level.rawValue) ")
    appendEscaped(message, quotes: false)
    for field in fields {
      let (name, value) = field.text
      append(" \(name)=")
      if field.isText, !Self.isPlain(value) { appendQuoted(value) } else { append(value) }
    }
    append("\n")
  }

  /// Writes the line as one JSON object.
  ///
  /// - Parameter time: Milliseconds since 1970 in UTC.
  mutating func writeJSON(_ time: Int64, _ level: LogLevel, _ message: String, _ fields: [LogField]) {
    append("{\"time\":\"\(UTCTime(milliseconds: Int(time)).text)\",\"level\":\"\(level.rawValue)\",\"message\":")
    appendQuoted(message)
    for field in fields {
      let (name, value) = field.text
      append(",\"\(name)\":")
      if field.isText { appendQuoted(value) } else { append(value) }
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
          append("\\u" + unit.hexadecimal(width: 4))
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
}
