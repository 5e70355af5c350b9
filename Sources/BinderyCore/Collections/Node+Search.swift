/// Descents are recursive, because a loop would retain and release a node on each level twice.
extension Node {
  /// The first entry whose label is not below `label`, or their number.
  @inlinable
  func entry(from label: UInt64) -> Int {
    var i = 0
    while i < entries.count, entries[i].label < label { i += 1 }
    return i
  }

  /// The first child that reaches `label`, or their number.
  @inlinable
  func child(from label: UInt64) -> Int {
    var i = 0
    while i < children.count, children[i].last < label { i += 1 }
    return i
  }

  /// The leaf with a label, and the offset of its entry there.
  @inlinable
  func place(of label: UInt64) -> (leaf: Node, offset: Int)? {
    if isLeaf {
      let i = entry(from: label)
      return i < entries.count && entries[i].label == label ? (self, i) : nil
    }
    let i = child(from: label)
    return i < children.count ? children[i].node.place(of: label) : nil
  }

  /// The value of a label.
  @inlinable
  func value(of label: UInt64) -> Value? {
    if isLeaf {
      let i = entry(from: label)
      return i < entries.count && entries[i].label == label ? entries[i].value : nil
    }
    let i = child(from: label)
    return i < children.count ? children[i].node.value(of: label) : nil
  }

  /// The leaf with the position `index` below this node, which must be there, and the offset of its entry there.
  @inlinable
  func place(at index: Int) -> (leaf: Node, offset: Int) {
    if isLeaf { return (self, index) }
    var index = index
    var i = 0
    while index >= children[i].count {
      index -= children[i].count
      i += 1
    }
    return children[i].node.place(at: index)
  }

  /// How many labels below this node are below `label`.
  @inlinable
  func rank(of label: UInt64) -> Int {
    if isLeaf { return entry(from: label) }
    var rank = 0
    for i in children.indices {
      if children[i].last >= label { return rank + children[i].node.rank(of: label) }
      rank += children[i].count
    }
    return rank
  }
}

extension Node where Value: Identifiable, Value.ID: Key {
  /// Whether the value with an id is the one of a label.
  @inlinable
  func holds(_ id: Value.ID, at label: UInt64) -> Bool {
    if isLeaf {
      let i = entry(from: label)
      return i < entries.count && entries[i].label == label && Value.ID.areSame(entries[i].value.id, id)
    }
    let i = child(from: label)
    return i < children.count && children[i].node.holds(id, at: label)
  }
}
