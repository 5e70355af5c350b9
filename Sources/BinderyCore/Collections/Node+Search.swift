// Descents are recursive, because a loop would retain and release each node twice.
extension Node {
  /// Returns the offset of the first entry whose label is not less than `label`; the number of entries if there is
  /// none.
  @inlinable
  func entry(from label: UInt64) -> Int {
    var i = 0
    while i < entries.count, entries[i].label < label { i += 1 }
    return i
  }

  /// Returns the offset of the first child whose last label is not less than `label`; the number of children if there
  /// is none.
  @inlinable
  func child(from label: UInt64) -> Int {
    var i = 0
    while i < children.count, children[i].lastLabel < label { i += 1 }
    return i
  }

  /// Returns the leaf that contains a label, and the offset of the label's entry; nil if there is none.
  @inlinable
  func location(of label: UInt64) -> (leaf: Node, offset: Int)? {
    if isLeaf {
      let i = entry(from: label)
      return i < entries.count && entries[i].label == label ? (self, i) : nil
    }
    let i = child(from: label)
    return i < children.count ? children[i].node.location(of: label) : nil
  }

  /// Returns the value of a label; nil if there is none.
  @inlinable
  func value(of label: UInt64) -> Value? {
    if isLeaf {
      let i = entry(from: label)
      return i < entries.count && entries[i].label == label ? entries[i].value : nil
    }
    let i = child(from: label)
    return i < children.count ? children[i].node.value(of: label) : nil
  }

  /// Returns the leaf that contains the entry at an index, and the offset of the entry.
  ///
  /// - Parameter index: counted from the first entry below this node; must be in range.
  @inlinable
  func location(at index: Int) -> (leaf: Node, offset: Int) {
    if isLeaf { return (self, index) }
    var index = index
    var i = 0
    while index >= children[i].count {
      index -= children[i].count
      i += 1
    }
    return children[i].node.location(at: index)
  }

  /// Returns the number of labels in this subtree that are less than `label`.
  @inlinable
  func rank(of label: UInt64) -> Int {
    if isLeaf { return entry(from: label) }
    var rank = 0
    for i in children.indices {
      if children[i].lastLabel >= label { return rank + children[i].node.rank(of: label) }
      rank += children[i].count
    }
    return rank
  }
}

extension Node where Value: Identifiable, Value.ID: PathKey {
  /// Returns the value of a label, if it has an id.
  @inlinable
  func element(_ id: Value.ID, at label: UInt64) -> Value? {
    if isLeaf {
      let i = entry(from: label)
      guard i < entries.count, entries[i].label == label, Value.ID._areSame(entries[i].value.id, id) else { return nil }
      return entries[i].value
    }
    let i = child(from: label)
    return i < children.count ? children[i].node.element(id, at: label) : nil
  }

  /// Returns whether the value of a label has an id.
  @inlinable
  func hasElement(_ id: Value.ID, at label: UInt64) -> Bool {
    if isLeaf {
      let i = entry(from: label)
      return i < entries.count && entries[i].label == label && Value.ID._areSame(entries[i].value.id, id)
    }
    let i = child(from: label)
    return i < children.count && children[i].node.hasElement(id, at: label)
  }
}
