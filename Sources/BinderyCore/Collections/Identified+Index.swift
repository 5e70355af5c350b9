/// The index by id: a hash table with open addressing and linear probing over the full range of 64-bit hashes.
extension Identified {
  /// An element with its location in both trees.
  @usableFromInline
  struct Location {
    @usableFromInline var slot: UInt64
    @usableFromInline var label: UInt64
    @usableFromInline var element: Element

    @inlinable
    init(slot: UInt64, label: UInt64, element: Element) {
      self.slot = slot
      self.label = label
      self.element = element
    }
  }

  /// Returns the location of the element with an id; nil if there is none.
  @inlinable
  func find(_ id: Element.ID) -> Location? { find(HashedKey(id)) }

  /// Returns the location of the element with an id; nil if there is none.
  @inlinable
  func find(_ hashed: HashedKey<Element.ID>) -> Location? {
    let id = hashed.key
    var slot = hashed.slot
    while let label = index[slot] {
      if let entry = order.root.entry(id, at: label) {
        return Location(slot: slot, label: label, element: entry.value)
      }
      slot &+= 1
    }
    return nil
  }

  /// Returns the label of the element with an id; nil if there is none.
  @inlinable
  func label(of hashed: HashedKey<Element.ID>) -> UInt64? {
    let id = hashed.key
    var slot = hashed.slot
    while let label = index[slot] {
      if order.root.hasElement(id, at: label) { return label }
      slot &+= 1
    }
    return nil
  }

  /// Adds the label of an id that is not in the index.
  @inlinable
  mutating func addToIndex(_ id: Element.ID, _ label: UInt64) {
    var slot = HashedKey(id).slot
    while index[slot] != nil { slot &+= 1 }
    index.insert(label, slot)
  }

  /// Empties a slot and reinserts the entries directly after it, because a search stops at the first empty slot.
  @inlinable
  mutating func removeFromIndex(_ slot: UInt64) {
    index.remove(slot)
    var next = slot &+ 1
    while let label = index[next] {
      index.remove(next)
      if let element = order[label] { addToIndex(element.id, label) }
      next &+= 1
    }
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
    let slots = sortedByHash(
      elements.map { element in
        label += stride
        return HashedLabel(hash: HashedKey(element.id).slot, label: label)
      })
    // The first entry of each hash is placed directly; the others have equal ids or colliding hashes.
    var first: [HashedLabel] = []
    var collisions: [UInt64] = []
    first.reserveCapacity(slots.count)
    for slot in slots {
      if slot.hash == first.last?.hash { collisions.append(slot.label) } else { first.append(slot) }
    }
    index = LabelTree(sorted: first) { LabelTree.Entry(label: $0.hash, value: $0.label) }
    return collisions.filter { label in
      guard let id = order[label]?.id, !contains(id: id) else { return true }
      addToIndex(id, label)
      return false
    }
  }
}
