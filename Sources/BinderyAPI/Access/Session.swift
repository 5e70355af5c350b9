import BinderyCryptography
import BinderyHTTP

/// A browser that was let in: `EventSource` cannot send a token, but a cookie goes along by itself.
///
/// The server keeps nothing of it. The cookie names its token by an id, ends at a time, and is vouched for by a code
/// under a key that only the token and the store's secret give: it outlives the server, holds on every replica of the
/// store, and ends with its token.
struct Session: Hashable, Sendable {
  let token: AccessTokens.ID
  /// Tells the sessions of a token apart.
  let nonce: UInt128
  /// In seconds since 1970.
  let expires: Int64

  init(of token: AccessTokens.Entry, expires: Int64) {
    self.token = token.id
    nonce = .random(in: .min ... .max)
    self.expires = expires
  }

  /// What the code vouches for.
  private var message: [UInt8] {
    Self.bytes(token) + Self.bytes(UInt64(truncatingIfNeeded: nonce >> 64))
      + Self.bytes(UInt64(truncatingIfNeeded: nonce)) + Self.bytes(UInt64(bitPattern: expires))
  }

  private static func bytes(_ number: UInt64) -> [UInt8] {
    stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt64($0)) }
  }

  private static let messageLength = 32

  /// The cookie's value.
  func text(_ entry: AccessTokens.Entry) -> String {
    Base64URL.encoded(message + entry.sessionCode.code(message))
  }

  /// Reads a cookie's value; nil where no token of these vouches for it.
  init?(text: String, _ tokens: AccessTokens) {
    // Four characters for three bytes: nothing longer is worth a look.
    guard text.utf8.count == (Self.messageLength + SHA256.digestLength) * 4 / 3 + 1,
      let bytes = Base64URL.decoded(text), bytes.count == Self.messageLength + SHA256.digestLength
    else { return nil }
    let words = stride(from: 0, to: Self.messageLength, by: 8).map { start in
      bytes[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
    guard let entry = tokens[id: words[0]],
      ConstantTime.areEqual(
        entry.sessionCode.code(bytes[..<Self.messageLength]), Array(bytes[Self.messageLength...]))
    else { return nil }
    token = words[0]
    nonce = UInt128(words[1]) << 64 | UInt128(words[2])
    expires = Int64(bitPattern: words[3])
  }
}

/// How the cookie of a session travels (RFC 6265).
package struct SessionCookie: Sendable {
  /// How long a session holds, in seconds.
  package let lifetime: Int64
  let name: String
  private let attributes: String

  /// - Parameter isSecure: browsers reach this server over TLS, which somebody in front of it speaks. The cookie then
  ///   never travels without, and its name has a prefix that no neighbour's cookie can have (RFC 6265bis §4.1.3.2).
  package init(isSecure: Bool, lifetime: Int64) {
    self.lifetime = lifetime
    name = (isSecure ? "__Host-" : "") + "bindery-session"
    attributes = "; Path=/; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
  }

  /// The value of `Set-Cookie`.
  func set(_ value: String) -> String { "\(name)=\(value); Max-Age=\(lifetime)\(attributes)" }

  /// The value of `Set-Cookie` that takes the cookie away.
  var remove: String { "\(name)=; Max-Age=0\(attributes)" }

  /// What a request has under the cookie's name.
  enum Found: Equatable {
    case none
    case one(String)
    /// Several of one name: whose they are cannot be told.
    case several
  }

  func find(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> Found {
    var found = Found.none
    head.forEach(.cookie) { range in
      for pair in bytes.slice(range).split(separator: UInt8(ascii: ";")) {
        let pair = pair.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        guard let equals = pair.firstIndex(of: UInt8(ascii: "=")), pair[..<equals].elementsEqual(name.utf8) else {
          continue
        }
        let value = String(decoding: pair[(equals + 1)...], as: UTF8.self).trimmed
        found = found == .none ? .one(value) : .several
      }
    }
    return found
  }
}
