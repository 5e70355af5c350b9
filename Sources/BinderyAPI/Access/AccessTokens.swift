import BinderyCore
import BinderyCryptography

/// The valid tokens of a service, stored as digests only.
package struct AccessTokens: Sendable {
  /// Identifies a token without revealing it. The id is derived from the token with the store's secret as key.
  typealias ID = UInt64

  struct Entry: Sendable {
    let id: ID
    let scope: AccessToken.Scope
    /// What the history stores about commits of this token.
    let commitMetadata: CommitMetadata
    fileprivate let digest: [UInt8]
    /// The key that authenticates the sessions of this token. Removing the token therefore ends its sessions.
    let sessionCode: HMAC

    /// The id as 16 hexadecimal digits, as `GET /session` reports it.
    var group: String { Self.group(id) }

    fileprivate static func group(_ id: ID) -> String {
      let digits = String(id, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }
  }

  private let entries: [Entry]

  /// Creates the list of valid tokens.
  ///
  /// - Parameters:
  ///   - write: The tokens that permit reading and writing. A token in both lists permits writing.
  ///   - read: The tokens that permit reading only.
  ///   - secret: The secret of the store. Sessions are valid on every server of the same store, and on no other.
  package init(write: [AccessToken], read: [AccessToken], secret: [UInt8]) {
    let key = HMAC(key: HMAC(key: secret).code("bindery session 1".utf8))
    var entries: [Entry] = []
    for (tokens, scope) in [(write, AccessToken.Scope.write), (read, .read)] {
      for token in tokens {
        let sessionCode = HMAC(key: key.code(token.bytes))
        let id = sessionCode.code("id".utf8).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        guard !entries.contains(where: { $0.id == id }) else { continue }
        let author = token.name ?? "token-\(Entry.group(id).prefix(8))"
        entries.append(
          Entry(
            id: id, scope: scope, commitMetadata: CommitMetadata(author: author),
            digest: SHA256.digest(token.bytes), sessionCode: sessionCode))
      }
    }
    self.entries = entries
  }

  subscript(id id: ID) -> Entry? { entries.first { $0.id == id } }

  /// Returns the entry of the token that a request sent, or nil if the token is not valid.
  ///
  /// The digests of all entries are compared in constant time. The duration therefore does not reveal how similar a
  /// guess is to a valid token.
  ///
  /// - Complexity: O(number of tokens).
  func entry(matching bytes: [UInt8]) -> Entry? {
    guard AccessToken.lengths.contains(bytes.count) else { return nil }
    let digest = SHA256.digest(bytes)
    var match: Entry?
    for entry in entries where Secrets.areEqual(entry.digest, digest) { match = entry }
    return match
  }
}
