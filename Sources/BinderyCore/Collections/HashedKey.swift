/// A key with its precomputed hash, for repeated lookups.
@usableFromInline
struct HashedKey<K: PathKey>: Sendable {
  @usableFromInline let key: K
  /// Clients choose keys, but `Hasher` is seeded, so they cannot provoke collisions.
  @usableFromInline let hash: UInt64

  /// Creates a key and computes its hash.
  @inlinable
  init(_ key: K) {
    self.key = key
    var hasher = Hasher()
    key._hashBytes(into: &hasher)
    hash = UInt64(bitPattern: Int64(hasher.finalize()))
  }

  /// Puts together a key and its hash, which was computed before.
  @inlinable
  init(_ key: K, hash: UInt64) { (self.key, self.hash) = (key, hash) }
}
