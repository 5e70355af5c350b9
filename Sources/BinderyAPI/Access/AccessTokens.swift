import BinderyCryptography

/// The tokens that let somebody in, as far as they must be known to recognize them: their digests.
package struct AccessTokens: Sendable {
  /// Tells tokens apart without telling them: derived from the token under the store's secret.
  typealias ID = UInt64

  struct Entry: Sendable {
    let id: ID
    let scope: AccessToken.Scope
    fileprivate let digest: [UInt8]
    /// Vouches for the sessions that this token began, and so for none when the token has gone.
    let sessionCode: HMAC
  }

  private let entries: [Entry]

  /// - Parameter secret: that of the store, so that a session holds wherever the store does and nowhere else.
  package init(write: [AccessToken], read: [AccessToken], secret: [UInt8]) {
    let key = HMAC(key: HMAC(key: secret).code("bindery session 1".utf8))
    var entries: [Entry] = []
    for (tokens, scope) in [(write, AccessToken.Scope.write), (read, .read)] {
      for token in tokens {
        let sessionCode = HMAC(key: key.code(token.bytes))
        let id = sessionCode.code("id".utf8).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        guard !entries.contains(where: { $0.id == id }) else { continue }
        entries.append(
          Entry(id: id, scope: scope, digest: SHA256.digest(token.bytes), sessionCode: sessionCode))
      }
    }
    self.entries = entries
  }

  subscript(id id: ID) -> Entry? { entries.first { $0.id == id } }

  /// The token that somebody presents.
  ///
  /// Digests are compared, all of them and each to its end: how long it takes says nothing of how near a guess was.
  ///
  /// - Complexity: O(number of tokens).
  func entry(presenting bytes: [UInt8]) -> Entry? {
    guard AccessToken.lengths.contains(bytes.count) else { return nil }
    let digest = SHA256.digest(bytes)
    var found: Entry?
    for entry in entries where ConstantTime.areEqual(entry.digest, digest) { found = entry }
    return found
  }
}
