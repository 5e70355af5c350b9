/// The index by id.
extension Identified {
  /// An element with its location.
  @usableFromInline
  struct Location {
    @usableFromInline var hash: UInt64
    @usableFromInline var label: UInt64
    @usableFromInline var element: Element

    @inlinable
    init(hash: UInt64, label: UInt64, element: Element) {
      self.hash = hash
      self.label = label
      self.element = element
    }
  }

  /// Returns the location of the element with an id; nil if there is none.
  @inlinable
  func find(_ id: Element.ID) -> Location? {
    let key = HashedKey(id)
    return entry(of: key).map { Location(hash: key.hash, label: $0.label, element: $0.value) }
  }

  /// Returns the element with an id and its numbers; nil if there is none.
  @inlinable
  func entry(of key: HashedKey<Element.ID>) -> Node<Element>.Entry? {
    var labels = index.labels(of: key.hash)
    while let label = labels.next() {
      if let entry = order.root.entry(key.key, at: label) { return entry }
    }
    return nil
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

  /// Adds the label of an id that is not in the index.
  @inlinable
  mutating func addToIndex(_ id: Element.ID, _ label: UInt64) {
    index.insert(HashedLabel(hash: HashedKey(id).hash, label: label))
  }

  @inlinable
  mutating func removeFromIndex(_ location: Location) {
    index.remove(HashedLabel(hash: location.hash, label: location.label))
  }

  /// Fills an empty sequence with elements.
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
