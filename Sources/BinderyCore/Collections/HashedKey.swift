/// A key with its hash, for those who look it up again and again.
@usableFromInline
package struct HashedKey<K: Key>: Sendable {
  @usableFromInline package let key: K
  /// Where the search for it begins. Keys come from strangers: `Hasher` is seeded, so they cannot be chosen to meet.
  @usableFromInline let slot: UInt64

  @inlinable
  package init(_ key: K) {
    self.key = key
    var hasher = Hasher()
    key.hashBytes(into: &hasher)
    slot = UInt64(bitPattern: Int64(hasher.finalize()))
  }
}

extension Identified {
  /// The element with an id.
  @inlinable
  package subscript(_ key: HashedKey<Element.ID>) -> Element? {
    guard let place = find(key) else { return nil }
    return place.leaf.entries[place.offset].value
  }

  /// Edits the element with an id, and gives what `body` gave.
  ///
  /// Nothing happens and the result is nil where there is no such element, or where `body` gave it another id.
  ///
  /// - Throws: What `body` throws; nothing has changed then.
  @inlinable @inline(__always)
  package mutating func edit<R, E: Error>(
    _ key: HashedKey<Element.ID>, _ body: (inout Element) throws(E) -> R
  ) throws(E) -> R? {
    guard let label = label(of: key) else { return nil }
    return try edit(label: label, body)
  }
}
