/// Scripts and style sheets as they are sent to browsers.
enum ScriptText {
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
}
