import BinderyHTTP
import BinderyJSON

/// A request as a curl command that can be pasted into a shell.
struct CurlCommand {
  /// The server as the client addressed it, with a checked `Host`.
  struct Server {
    /// The scheme, the host and the port.
    let origin: String
    /// Whether requests need a token.
    let needsToken: Bool
  }

  let server: Server
  var method: Method
  /// The percent-encoded path and the query.
  var target: String
  /// The header fields, except `Authorization`.
  var fields: [(name: FieldName, value: String)] = []
  /// The JSON of the body; nil for a request without a body.
  var body: String?

  /// The longest body in bytes.
  static let maximumBytes = 1_024

  /// The command; nil if a part of it is too long or cannot be printed.
  ///
  /// A token is the shell variable `TOKEN`: a response never contains the token itself. A body is JSON, so curl does
  /// not take it for the name of a file.
  var text: String? {
    guard fields.allSatisfy({ Self.isPrintable($0.value) }), Self.isPlain(target) else { return nil }
    var words = ["curl"]
    if method != .get { words.append("-X \(method.name)") }
    words.append(Self.quoted(server.origin + target))
    if server.needsToken { words.append("-H \"Authorization: Bearer $TOKEN\"") }
    for (name, value) in fields { words.append("-H " + Self.quoted("\(name.spelling): \(value)")) }
    if let body {
      guard body.utf8.count <= Self.maximumBytes, Self.isPrintable(body) else { return nil }
      words.append("-d " + Self.quoted(body))
    }
    return words.joined(separator: " ")
  }

  /// Returns a shell word in single quotes.
  private static func quoted(_ text: String) -> String {
    // The shell reads bytes: for it, an apostrophe with a combining mark is still an apostrophe.
    let parts = text.utf8.split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
    return "'" + parts.map { String(Substring($0)) }.joined(separator: "'\\''") + "'"
  }

  /// Returns whether curl sends a target as it is: brackets and braces are patterns for curl.
  private static func isPlain(_ target: String) -> Bool {
    target.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"[]{}\\".utf8.contains($0) }
  }

  /// Returns whether a terminal shows a text as it is, without control characters and without reordering it.
  private static func isPrintable(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse, .surrogate: false
      // Emoji are joined by this character.
      case .format: scalar == "\u{200D}"
      default: true
      }
    }
  }
}
