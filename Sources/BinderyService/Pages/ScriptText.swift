/// Scripts, style sheets and pages as they are sent to browsers.
enum ScriptText {
  /// Returns a script without comments, indentation, empty lines, and spaces and line breaks beside punctuation.
  static func compact(_ text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    for line in withoutComments(text).split(separator: UInt8(ascii: "\n")) {
      appendCompact(line, to: &result)
      // Elsewhere, a line break may end a statement.
      if let last = result.last, !";,({".utf8.contains(last) { result.append(UInt8(ascii: "\n")) }
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

  /// Appends a line of a script without the spaces beside punctuation, except in strings, templates and regular
  /// expressions.
  private static func appendCompact(_ line: ArraySlice<UInt8>, to result: inout [UInt8]) {
    var rest = line
    while let byte = rest.first {
      let length = lengthOfLiteral(rest, after: result)
      if length > 0 {
        result += rest.prefix(length)
      } else if byte != UInt8(ascii: " ") || !isPunctuation(result.last) && !isPunctuation(rest.dropFirst().first) {
        result.append(byte)
      }
      rest = rest.dropFirst(max(length, 1))
    }
  }

  /// Returns the length of the string, template or regular expression that a text begins with; 0 if there is none.
  ///
  /// A template within a template, and one that ends on another line, extend to the end of the line.
  private static func lengthOfLiteral(_ text: ArraySlice<UInt8>, after previous: [UInt8]) -> Int {
    guard let quote = text.first,
      "\"'`".utf8.contains(quote) || quote == UInt8(ascii: "/") && !isEndOfValue(previous)
    else { return 0 }
    var isEscaped = false
    // The depth of brackets in which the quote is not the end: `${}` of a template, `[]` of a regular expression.
    var depth = 0
    for index in text.indices.dropFirst() {
      let byte = text[index]
      switch (isEscaped, quote, byte) {
      case (true, _, _): break
      case (_, quote, quote) where depth == 0: return index - text.startIndex + 1
      case (_, UInt8(ascii: "`"), UInt8(ascii: "`")): return text.count
      case (_, UInt8(ascii: "`"), UInt8(ascii: "{")) where depth > 0 || text[index - 1] == UInt8(ascii: "$"): depth += 1
      case (_, UInt8(ascii: "`"), UInt8(ascii: "}")) where depth > 0: depth -= 1
      case (_, UInt8(ascii: "/"), UInt8(ascii: "[")): depth = 1
      case (_, UInt8(ascii: "/"), UInt8(ascii: "]")): depth = 0
      default: break
      }
      isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
    }
    return text.count
  }

  /// Returns whether a slash after a text is a division: if the text ends with a value, and not with `return`.
  private static func isEndOfValue(_ text: [UInt8]) -> Bool {
    var text = text[...]
    while text.last == UInt8(ascii: " ") { text.removeLast() }
    guard let last = text.last, !text.suffix(6).elementsEqual("return".utf8) else { return false }
    return ")]_$".utf8.contains(last) || Character(UnicodeScalar(last)).isLetter
      || Character(UnicodeScalar(last)).isNumber
  }

  /// Returns whether a space beside a character has no meaning. Plus and minus are not among these: `a + +b`.
  private static func isPunctuation(_ byte: UInt8?) -> Bool {
    guard let byte else { return false }
    return "{}()[];,:?=<>&|!".utf8.contains(byte)
  }
}
