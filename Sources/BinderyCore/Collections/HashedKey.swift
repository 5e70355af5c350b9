/// A key with its precomputed hash, for repeated lookups.
@usableFromInline
package struct HashedKey<K: PathKey>: Sendable {
  @usableFromInline package let key: K
  /// Clients choose keys, but `Hasher` is seeded, so they cannot provoke collisions.
  @usableFromInline let hash: UInt64

  /// Creates a key and computes its hash.
  @inlinable
  package init(_ key: K) {
    self.key = key
    var hasher = Hasher()
    key._hashBytes(into: &hasher)
    hash = UInt64(bitPattern: Int64(hasher.finalize()))
  }

  /// Puts together a key and its hash, which was computed before.
  @inlinable
  init(_ key: K, hash: UInt64) { (self.key, self.hash) = (key, hash) }
}

extension Identified {
  /// Returns the element with an id and its numbers; nil if there is none.
  @inlinable
  func entry(of key: TypedKey<Element.ID>) -> Node<Element>.Entry? {
    let last = key.lastLabel
    if last != 0, let entry = order.root.entry(key.key, at: last) { return entry }
    guard let entry = entry(of: key.hashedKey) else { return nil }
    key.setLastLabel(entry.label)
    return entry
  }

  /// Edits the element with an id.
  ///
  /// - Returns: the result of `body`; nil if no element has this id or if `body` changed the id. The sequence is then
  ///   unchanged.
  /// - Throws: any error thrown by `body`. The sequence is then unchanged.
  @inlinable @inline(__always)
  mutating func edit<R, E: Error>(
    _ key: TypedKey<Element.ID>, _ body: (inout Element) throws(E) -> R
  ) throws(E) -> R? {
    let last = key.lastLabel
    var label = last
    let result = try edit(key.hashedKey, at: &label, body)
    if label != last { key.setLastLabel(label) }
    return result
  }

  /// Edits the element with an id.
  ///
  /// - Parameter label: Where the element may be, or 0; afterwards where it is, if it was edited.
  /// - Returns: As ``edit(_:_:)``.
  @inlinable @inline(__always)
  mutating func edit<R, E: Error>(
    _ key: HashedKey<Element.ID>, at label: inout UInt64, _ body: (inout Element) throws(E) -> R
  ) throws(E) -> R? {
    var labels: LabelIndex.Labels?
    var candidate = label
    while true {
      if candidate != 0, let result = try edit(key.key, at: candidate, body) {
        label = candidate
        return result
      }
      if labels == nil { labels = index.labels(of: key.hash) }
      guard let next = labels?.next() else { return nil }
      candidate = next
    }
  }
}
