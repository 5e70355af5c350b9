import BinderyCryptography
import BinderyHTTP
import BinderyText

/// A browser session. Browsers need it because `EventSource` cannot send a token, but sends cookies automatically.
///
/// Sessions are stateless: the cookie contains the id of its token, a nonce and an expiry time, authenticated by an
/// HMAC. The key of the HMAC is derived from the token and the store's secret. A session therefore survives a restart,
/// is valid on every replica of the store, and ends when its token is revoked.
struct Session: Hashable, Sendable {
  let token: AccessTokens.ID
  /// Distinguishes the sessions of one token.
  let nonce: UInt128
  /// The expiry time in seconds since 1970.
  let expires: Int64

  /// Creates a new session of a token.
  init(of token: AccessTokens.Entry, expires: Int64) {
    self.token = token.id
    nonce = UInt128(bigEndianBytes: Secrets.random(count: 16))
    self.expires = expires
  }

  /// The bytes that the HMAC authenticates: token id, nonce and expiry time, in big-endian order. Without the HMAC they
  /// are no credential.
  var message: [UInt8] { token.bigEndianBytes + nonce.bigEndianBytes + expires.bigEndianBytes }

  private static let messageLength = 32

  /// Returns the cookie value: the message and its HMAC in base64url.
  ///
  /// - Parameter entry: The token of the session.
  func cookieValue(signedWith entry: AccessTokens.Entry) -> String {
    Base64URL.encoded(message + entry.sessionCode.code(message))
  }

  /// Parses a message. Returns nil if it has another length.
  init?(message: [UInt8]) {
    guard message.count == Self.messageLength else { return nil }
    token = AccessTokens.ID(bigEndianBytes: message[..<8])
    nonce = UInt128(bigEndianBytes: message[8..<24])
    expires = Int64(bigEndianBytes: message[24...])
  }

  /// Parses a cookie value. Returns nil if it was not signed with one of these tokens.
  init?(text: String, _ tokens: AccessTokens) {
    // Base64 needs four characters for three bytes. The length is checked first, so that long values are rejected
    // without decoding.
    guard text.utf8.count == (Self.messageLength + SHA256.digestLength) * 4 / 3 + 1,
      let bytes = Base64URL.decoded(text), bytes.count == Self.messageLength + SHA256.digestLength
    else { return nil }
    guard let session = Session(message: Array(bytes[..<Self.messageLength])), let entry = tokens[id: session.token],
      Secrets.areEqual(
        entry.sessionCode.code(bytes[..<Self.messageLength]), Array(bytes[Self.messageLength...]))
    else { return nil }
    self = session
  }
}

/// The name and attributes of the session cookie (RFC 6265).
package struct SessionCookie: Sendable {
  /// The lifetime of a session, in seconds.
  package let lifetime: Int64
  /// Whether browsers reach the server over TLS.
  let isSecure: Bool
  let name: String
  private let nameBytes: [UInt8]
  private let attributes: String

  /// Creates the cookie settings.
  ///
  /// - Parameters:
  ///   - isSecure: Whether browsers reach the server over TLS, through a proxy that terminates it. The cookie is then
  ///     never sent without TLS, and its `__Host-` prefix prevents other hosts from setting it
  ///     (RFC 6265bis §4.1.3.2).
  ///   - lifetime: The lifetime of a session, in seconds.
  ///   - basePath: The base path of the service. Browsers send the cookie only to paths below it. The `__Host-` prefix
  ///     requires the path `/`, so other paths get the prefix `__Secure-`.
  package init(isSecure: Bool, lifetime: Int64, basePath: BasePath = .root) {
    self.lifetime = lifetime
    self.isSecure = isSecure
    let prefix = isSecure ? basePath.isRoot ? "__Host-" : "__Secure-" : ""
    name = prefix + "bindery-session" + (basePath.isRoot ? "" : "-\(basePath.digest)")
    nameBytes = Array(name.utf8)
    attributes =
      "; Path=\(basePath.isRoot ? "/" : basePath.text); HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
  }

  /// Returns the value of `Set-Cookie` that sets the cookie.
  func header(setting value: String) -> String { "\(name)=\(value); Max-Age=\(lifetime)\(attributes)" }

  /// The value of `Set-Cookie` that deletes the cookie.
  var deletionHeader: String { "\(name)=; Max-Age=0\(attributes)" }

  /// The session cookies of a request.
  enum Match: Equatable {
    case none
    case one(String)
    /// More than one cookie with the name. Their order does not show which one this server set, so none is used.
    case multiple
  }

  /// Finds the session cookie of a request.
  func find(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> Match {
    var match = Match.none
    head.forEach(.cookie) { range in
      var start = range.lowerBound
      while start < range.upperBound {
        var end = start
        while end < range.upperBound, bytes[end] != UInt8(ascii: ";") { end += 1 }
        while start < end, bytes[start].isBlank { start += 1 }
        let valueStart = start + nameBytes.count + 1
        if valueStart <= end, bytes[valueStart - 1] == UInt8(ascii: "="),
          bytes.holds(nameBytes, at: start..<valueStart - 1)
        {
          let value = bytes.text(valueStart..<end).trimmed
          match = match == .none ? .one(value) : .multiple
        }
        start = end + 1
      }
    }
    return match
  }
}

extension FixedWidthInteger {
  /// The bytes of the number, the most significant first.
  fileprivate var bigEndianBytes: [UInt8] {
    stride(from: bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
  }

  /// Creates a number from its bytes, the most significant first.
  fileprivate init(bigEndianBytes bytes: some Sequence<UInt8>) { self = bytes.reduce(0) { $0 << 8 | Self($1) } }
}
