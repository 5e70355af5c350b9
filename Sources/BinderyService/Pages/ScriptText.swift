/// Scripts and style sheets as they are sent to browsers.
enum ScriptText {
  /// Returns a script without comments, indentation, empty lines, and spaces beside punctuation.
  static func compact(_ text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    for line in withoutComments(text).split(separator: UInt8(ascii: "\n")) {
      appendCompact(line, to: &result)
      result.append(UInt8(ascii: "\n"))
    }
    return result
  }

  /// Returns a text without its indentation, empty lines, and lines of comments. No string may contain a line break.
  static func withoutComments(_ text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var isComment = false
    for line in text.split(separator: UInt8(ascii: "\n")) {
      let line = line.drop { $0 == UInt8(ascii: " ") }
      isComment = isComment || line.starts(with: "/*".utf8)
      if isComment {
        isComment = !line.suffix(2).elementsEqual("*/".utf8)
      } else if !line.isEmpty, !line.starts(with: "//".utf8) {
        result += line
        result.append(UInt8(ascii: "\n"))
      }
    }
    return result
  }

  /// Appends a line of a script without the spaces beside punctuation, except in strings.
  ///
  /// The rest of a line from a slash or a backtick on stays as it is, because only a parser knows where a regular
  /// expression or a template ends.
  private static func appendCompact(_ line: ArraySlice<UInt8>, to result: inout [UInt8]) {
    var quote: UInt8?
    var isEscaped = false
    for index in line.indices {
      let byte = line[index]
      if let open = quote {
        if byte == open, !isEscaped { quote = nil }
        isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
      } else if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "`") {
        result += line[index...]
        return
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: " "),
        isPunctuation(result.last) || isPunctuation(line[index...].dropFirst().first)
      {
        continue
      }
      result.append(byte)
    }
  }

  /// Returns whether a space beside a character has no meaning. Plus and minus are not among these: `a + +b`.
  private static func isPunctuation(_ byte: UInt8?) -> Bool {
    guard let byte else { return false }
    return "{}()[];,:?=<>&|!".utf8.contains(byte)
  }
}
