import BinderyCore
import BinderyCryptography
import BinderyText

/// The valid tokens of a service, stored as digests only.
package struct AccessTokens: Sendable {
  /// Identifies a token without revealing it. The id is derived from the token with the store's secret as key.
  typealias ID = UInt64

  struct Entry: Sendable {
    let id: ID
    let scope: AccessToken.Scope
    /// The metadata of commits of this token in the history.
    let commitMetadata: CommitMetadata
    fileprivate let hash: (UInt64, UInt64)
    /// The key that authenticates the sessions of this token. Removing the token therefore ends its sessions.
    let sessionCode: HMAC

    /// The id as 16 hexadecimal digits, as `GET /session` reports it.
    var group: String { Self.group(id) }

    fileprivate static func group(_ id: ID) -> String { id.hexadecimal(width: 16) }
  }

  private let entries: [Entry]
  /// Hashes the tokens. Its key is new for each list, so the hashes are of no use outside this process.
  private let keyedHash = KeyedHash()

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
            hash: keyedHash.hash(token.bytes.span), sessionCode: sessionCode))
      }
    }
    self.entries = entries
  }

  subscript(id id: ID) -> Entry? { entries.first { $0.id == id } }

  /// Returns the entry of the token that a request sent, or nil if the token is not valid.
  ///
  /// The keyed hashes are compared, all of them and completely. The duration therefore does not reveal how similar a
  /// guess is to a valid token.
  ///
  /// - Complexity: O(number of tokens).
  func entry(matching token: Span<UInt8>) -> Entry? {
    guard AccessToken.lengths.contains(token.count) else { return nil }
    let hash = keyedHash.hash(token)
    var match: Int?
    for index in entries.indices {
      let known = entries[index].hash
      if (known.0 ^ hash.0) | (known.1 ^ hash.1) == 0 { match = index }
    }
    return match.map { entries[$0] }
  }
}
