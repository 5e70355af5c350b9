import BinderyJSON

/// Builds curl commands that a problem suggests; they are safe to paste into a shell.
enum CurlCommand {
  /// The longest body in bytes. Linux passes at most 128 KiB in one argument, and an escape takes up to six bytes for
  /// one.
  private static let maximumBytes = 16 * 1024

  /// Returns a command that sends a `PUT` request.
  ///
  /// - Parameters:
  ///   - url: The percent-encoded URL.
  ///   - body: The JSON value to send.
  /// - Returns: The command, or nil if the body is too long for a command line.
  static func put(_ url: String, body: JSONNode) -> String? {
    guard body.text.count <= maximumBytes else { return nil }
    var writer = JSONWriter()
    write(body, into: &writer)
    return "curl -X PUT \(quoted(url)) -d \(quoted(String(decoding: writer.bytes, as: UTF8.self)))"
  }

  /// Writes a JSON value without the white space between its tokens.
  private static func write(_ node: JSONNode, into writer: inout JSONWriter) {
    switch node.kind {
    case .array:
      writer.beginArray()
      for element in node.elements { write(element, into: &writer) }
      writer.endArray()
    case .object:
      writer.beginObject()
      for (key, value) in node.members {
        writer.key(key.string ?? "")
        write(value, into: &writer)
      }
      writer.endObject()
    case .null, .bool, .number, .string:
      writer.raw(Array(node.text))
    }
  }

  /// Returns a shell word in single quotes. A control character can occur only inside JSON strings here, so it is
  /// written as a JSON escape.
  private static func quoted(_ text: String) -> String {
    var word = "'"
    for scalar in text.unicodeScalars {
      switch scalar {
      case "'": word += "'\\''"
      case _ where isControl(scalar):
        let digits = String(scalar.value, radix: 16)
        word += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: word.unicodeScalars.append(scalar)
      }
    }
    return word + "'"
  }

  /// Returns whether a scalar is a control character or reorders the text that a terminal shows (bidirectional
  /// formatting).
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
