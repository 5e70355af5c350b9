import BinderyJSON

/// The command line that would have done what was meant, safe to paste into a shell.
enum CurlCommand {
  /// The most bytes of a body: Linux hands a program 128 KiB in one argument, and escapes take six for one.
  private static let maximumBytes = 16 * 1024

  /// - Parameters:
  ///   - url: percent-encoded.
  ///   - body: what to send.
  /// - Returns: nil where the body is more than fits a command line.
  static func put(_ url: String, body: JSONNode) -> String? {
    guard body.text.count <= maximumBytes else { return nil }
    var writer = JSONWriter()
    write(body, into: &writer)
    return "curl -X PUT \(quoted(url)) -d \(quoted(String(decoding: writer.bytes, as: UTF8.self)))"
  }

  /// The JSON text again without white space between its parts.
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

  /// A word in single quotes; a control character, which only JSON text can hold, becomes its JSON escape.
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

  /// Control characters, and those that reorder what a terminal shows.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
