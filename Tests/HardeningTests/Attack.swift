import Testing

/// Bytes that somebody sends, and what they must lead to.
struct Attack: CustomTestStringConvertible, Sendable {
  let title: String
  let bytes: [UInt8]
  /// The statuses of all answers, in order.
  let statuses: [Int]
  /// Whether the connection is closed afterwards, whatever else was sent.
  let closes: Bool
  /// Whether `100 Continue` may come or not, by how the bytes happen to be cut.
  let mayContinue: Bool

  var testDescription: String { title }

  private init(_ title: String, _ text: String, _ statuses: [Int], closes: Bool, mayContinue: Bool = false) {
    self.title = title
    // Latin-1, so that a test can say any byte.
    bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    self.statuses = statuses
    self.closes = closes
    self.mayContinue = mayContinue
  }

  /// Is answered once with an error, and the connection closed.
  static func refused(_ title: String, _ text: String, _ status: Int = 400) -> Attack {
    Attack(title, text, [status], closes: true)
  }

  /// Is answered with these statuses, and the connection goes on.
  static func answered(_ title: String, _ text: String, _ statuses: Int...) -> Attack {
    Attack(title, text, statuses, closes: false)
  }

  /// Is answered with these statuses, and the connection closes because it was asked for.
  static func closing(_ title: String, _ text: String, _ statuses: Int...) -> Attack {
    Attack(title, text, statuses, closes: true)
  }

  /// Is answered with these statuses, perhaps with `100 Continue` before.
  static func expecting(_ title: String, _ text: String, closes: Bool = false, _ statuses: Int...) -> Attack {
    Attack(title, text, statuses, closes: closes, mayContinue: true)
  }

  static let all =
    requestLines + targets + hosts + fields + lengths + codings + chunks + connections + expectations + methods
    + conditions
}

/// What most attacks are made of.
extension Attack {
  static let get = "GET /livez HTTP/1.1\r\nHost: a\r\n"
  static let patch = "PATCH /state/time HTTP/1.1\r\nHost: a\r\n"
  /// A request that is as it should be.
  static let good = "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"
  static let chunked = patch + "Transfer-Encoding: chunked\r\n\r\n"
}
