import Testing

/// Malformed or unusual bytes from a client, and the expected responses.
struct Attack: CustomTestStringConvertible, Sendable {
  let title: String
  let bytes: [UInt8]
  /// The expected status codes, in order.
  let statuses: [Int]
  /// Whether the server closes the connection after the last response.
  let closes: Bool
  /// Whether `100 Continue` may precede the response, depending on how the bytes are split.
  let mayContinue: Bool

  var testDescription: String { title }

  private init(_ title: String, _ text: String, _ statuses: [Int], closes: Bool, mayContinue: Bool = false) {
    self.title = title
    // Latin-1, so that a test can contain any byte.
    bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    self.statuses = statuses
    self.closes = closes
    self.mayContinue = mayContinue
  }

  /// Creates an attack that gets one error response; the connection closes.
  static func rejected(_ title: String, _ text: String, _ status: Int = 400) -> Attack {
    Attack(title, text, [status], closes: true)
  }

  /// Creates an attack that gets these responses; the connection stays open.
  static func answered(_ title: String, _ text: String, _ statuses: Int...) -> Attack {
    Attack(title, text, statuses, closes: false)
  }

  /// Creates an attack that gets these responses; the connection closes because the client requested it.
  static func closing(_ title: String, _ text: String, _ statuses: Int...) -> Attack {
    Attack(title, text, statuses, closes: true)
  }

  /// Creates an attack that gets these responses, possibly preceded by `100 Continue`.
  static func expecting(_ title: String, _ text: String, closes: Bool = false, _ statuses: Int...) -> Attack {
    Attack(title, text, statuses, closes: closes, mayContinue: true)
  }

  static let all =
    requestLines + targets + hosts + fields + lengths + codings + chunks + connections + expectations + methods
    + conditions
}

/// The common parts of attacks.
extension Attack {
  static let get = "GET /livez HTTP/1.1\r\nHost: a\r\n"
  static let patch = "PATCH /state/time HTTP/1.1\r\nHost: a\r\n"
  /// A valid request.
  static let good = "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"
  static let chunked = patch + "Transfer-Encoding: chunked\r\n\r\n"
}
