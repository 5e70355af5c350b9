/// The index by id: open addressing over the whole range of hashes.
extension Identified {
  /// Where an element stands in both trees.
  @usableFromInline
  struct Place {
    @usableFromInline var slot: UInt64
    @usableFromInline var label: UInt64
    @usableFromInline var leaf: Node<Element>
    @usableFromInline var offset: Int

    @inlinable
    init(slot: UInt64, label: UInt64, leaf: Node<Element>, offset: Int) {
      self.slot = slot
      self.label = label
      self.leaf = leaf
      self.offset = offset
    }
  }

  @inlinable
  func find(_ id: Element.ID) -> Place? { find(HashedKey(id)) }

  @inlinable
  func find(_ hashed: HashedKey<Element.ID>) -> Place? {
    let id = hashed.key
    var slot = hashed.slot
    while let label = index[slot] {
      if let (leaf, offset) = order.root.place(of: label), Element.ID.areSame(leaf.entries[offset].value.id, id) {
        return Place(slot: slot, label: label, leaf: leaf, offset: offset)
      }
      slot &+= 1
    }
    return nil
  }

  /// The label of the element with an id.
  @inlinable
  func label(of hashed: HashedKey<Element.ID>) -> UInt64? {
    let id = hashed.key
    var slot = hashed.slot
    while let label = index[slot] {
      if order.root.holds(id, at: label) { return label }
      slot &+= 1
    }
    return nil
  }

  /// Notes the label of an id that is not in the index.
  @inlinable
  mutating func note(_ id: Element.ID, _ label: UInt64) {
    var slot = HashedKey(id).slot
    while index[slot] != nil { slot &+= 1 }
    index.insert(label, slot)
  }

  /// Empties a slot, and moves those behind it to where a search will find them.
  @inlinable
  mutating func vacate(_ slot: UInt64) {
    index.remove(slot)
    var next = slot &+ 1
    while let label = index[next] {
      index.remove(next)
      if let element = order[label] { note(element.id, label) }
      next &+= 1
    }
  }

  /// Puts elements into an empty sequence, and gives the labels of those that are not in the index because their id
  /// stands earlier.
  @inlinable
  mutating func fill(_ elements: some Sequence<Element>) -> [UInt64] {
    let elements = Array(elements)
    let stride = Swift.min(Self.stride, UInt64.max / 2 / UInt64(elements.count + 1))
    var label = Self.middle
    order = LabelTree(
      sorted: elements.map { element in
        label += stride
        return LabelTree.Entry(label: label, value: element)
      })
    label = Self.middle
    var slots: [LabelTree<UInt64>.Entry] = elements.map { element in
      label += stride
      return LabelTree.Entry(label: HashedKey(element.id).slot, value: label)
    }
    slots.sort { ($0.label, $0.value) < ($1.label, $1.value) }
    var heads: [LabelTree<UInt64>.Entry] = []
    var others: [UInt64] = []
    heads.reserveCapacity(slots.count)
    for slot in slots {
      if slot.label == heads.last?.label { others.append(slot.value) } else { heads.append(slot) }
    }
    index = LabelTree(sorted: heads)
    return others.filter { label in
      guard let id = order[label]?.id, find(id) == nil else { return true }
      note(id, label)
      return false
    }
  }
}
