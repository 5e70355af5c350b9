// Descents are recursive, because a loop would retain and release each node twice.
extension Node {
  /// Returns the offset of the first value whose label is not less than `label`, or of the child that contains it; the
  /// width if there is none.
  @inlinable
  func position(from label: UInt64) -> Int {
    var i = 0
    while i < width, labels[i] < label { i += 1 }
    return i
  }

  /// Returns the leaf that contains the value at an index, and the offset of the value.
  ///
  /// - Parameter index: counted from the first value below this node; must be in range.
  @inlinable
  func location(at index: Int) -> (leaf: Node, offset: Int) {
    if isLeaf { return (self, index) }
    var index = index
    var i = 0
    while index >= Int(numbers[i]) {
      index -= Int(numbers[i])
      i += 1
    }
    return children[i].location(at: index)
  }

  /// Returns the number of labels in this subtree that are less than `label`.
  @inlinable
  func rank(of label: UInt64) -> Int {
    let i = position(from: label)
    if isLeaf { return i }
    var rank = 0
    for sibling in 0..<i { rank += Int(numbers[sibling]) }
    return i < width ? rank + children[i].rank(of: label) : rank
  }
}

extension Node where Value: Identifiable, Value.ID: PathKey {
  /// Returns the entry of a label, if its value has an id.
  @inlinable
  func entry(_ id: Value.ID, at label: UInt64) -> Entry? {
    let i = position(from: label)
    guard i < width else { return nil }
    if isLeaf {
      guard labels[i] == label, Value.ID._areSame(values[i].id, id) else { return nil }
      return Entry(label: label, value: values[i], stamp: numbers[i])
    }
    return children[i].entry(id, at: label)
  }

  /// Returns whether the value of a label has an id.
  @inlinable
  func hasElement(_ id: Value.ID, at label: UInt64) -> Bool {
    let i = position(from: label)
    guard i < width else { return false }
    if isLeaf { return labels[i] == label && Value.ID._areSame(values[i].id, id) }
    return children[i].hasElement(id, at: label)
  }
}
