/// The index by id.
extension Identified {
  /// Returns the element with an id and its numbers; nil if there is none.
  @inlinable
  func entry(of key: HashedKey<Element.ID>) -> Node<Element>.Entry? {
    var labels = index.labels(of: key.hash)
    while let label = labels.next() {
      if let entry = order.root.entry(key.key, at: label) { return entry }
    }
    return nil
  }

  /// Returns the element with an id and its numbers; nil if there is none.
  @inlinable
  func entry(of key: TypedKey<Element.ID>) -> Node<Element>.Entry? {
    let last = key.lastLabel
    if last != 0, let entry = order.root.entry(key.key, at: last) { return entry }
    guard let entry = entry(of: key.hashedKey) else { return nil }
    key.setLastLabel(entry.label)
    return entry
  }

  /// Returns the label of the element with an id; nil if there is none.
  @inlinable
  func label(of key: HashedKey<Element.ID>) -> UInt64? {
    var labels = index.labels(of: key.hash)
    while let label = labels.next() {
      if order.root.hasElement(key.key, at: label) { return label }
    }
    return nil
  }

  /// Edits the element with an id.
  ///
  /// - Returns: the result of `body`; nil if no element has this id or if `body` changed the id. The collection is then
  ///   unchanged.
  /// - Throws: any error thrown by `body`. The collection is then unchanged.
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

  /// Adds the label of an id that is not in the index.
  @inlinable
  mutating func addToIndex(_ id: Element.ID, _ label: UInt64) {
    index.insert(HashedLabel(hash: HashedKey(id).hash, label: label))
  }

  /// Fills an empty collection with elements.
  ///
  /// - Returns: the labels of the elements whose id has already occurred. They are in the tree but not in the index.
  @inlinable
  mutating func fill(_ elements: some Sequence<Element>) -> [UInt64] {
    let elements = Array(elements)
    let stride = Swift.min(Self.stride, UInt64.max / 2 / UInt64(elements.count + 1))
    var label = Self.middle
    order = LabelTree(sorted: elements) { element in
      label += stride
      return LabelTree.Entry(label: label, value: element)
    }
    label = Self.middle
    let entries = sortedByHash(
      elements.map { element in
        label += stride
        return HashedLabel(hash: HashedKey(element.id).hash, label: label)
      })
    // The entries after the first one with a hash have equal ids or colliding hashes.
    var first: [HashedLabel] = []
    var collisions: [UInt64] = []
    first.reserveCapacity(entries.count)
    for entry in entries {
      if entry.hash == first.last?.hash { collisions.append(entry.label) } else { first.append(entry) }
    }
    index = LabelIndex(sorted: first)
    return collisions.filter { label in
      guard let id = order[label]?.id, !contains(id: id) else { return true }
      addToIndex(id, label)
      return false
    }
  }
}
