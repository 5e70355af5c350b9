/// A traversal of two trees in parallel that skips the subtrees that both share.
@usableFromInline
struct TreeComparison<Value: Sendable> {
  /// The position in one tree.
  @usableFromInline
  struct Cursor {
    /// The subtrees that remain, as a stack with the next one on top.
    @usableFromInline var subtrees: [Node<Value>]
    /// The number of entries of the top leaf that are done.
    @usableFromInline var offset = 0

    @inlinable
    init(_ root: Node<Value>) {
      subtrees = [root]
    }

    @inlinable var top: Node<Value>? { subtrees.last }

    /// Replaces the top by its children.
    @inlinable
    mutating func expandTop() {
      guard let node = subtrees.popLast() else { return }
      subtrees.append(contentsOf: node.children.reversed())
    }

    /// Removes the top.
    @inlinable
    mutating func skipTop() {
      subtrees.removeLast()
      offset = 0
    }

    /// The next entry; nil if the top is not a leaf or has no further entry.
    @inlinable var entry: Node<Value>.Entry? {
      guard let top, offset < top.values.count else { return nil }
      return Node.Entry(label: top.labels[offset], value: top.values[offset], stamp: top.numbers[offset])
    }
  }

  @usableFromInline var old: Cursor
  @usableFromInline var new: Cursor

  @inlinable
  init(_ old: LabelTree<Value>, _ new: LabelTree<Value>) {
    self.old = Cursor(old.root)
    self.new = Cursor(new.root)
  }

  /// Moves both cursors past everything that both trees share, to the next entry or to the end.
  @inlinable
  mutating func advance() {
    while true {
      switch (old.top, new.top) {
      case (nil, nil): return
      case (let a?, let b?) where a === b && old.offset == new.offset:
        old.skipTop()
        new.skipTop()
      case (let a, let b):
        // Expand the higher node first, so that both cursors reach a shared subtree at the same time.
        let (aLevel, bLevel) = (a?.level ?? -1, b?.level ?? -1)
        if let a, a.isLeaf, old.offset == a.width {
          old.skipTop()
        } else if let b, b.isLeaf, new.offset == b.width {
          new.skipTop()
        } else if aLevel <= 0, bLevel <= 0 {
          return
        } else {
          if aLevel >= bLevel { old.expandTop() }
          if bLevel >= aLevel { new.expandTop() }
        }
      }
    }
  }
}

extension LabelTree {
  /// Returns whether both trees contain the same values in the same order; labels are ignored.
  ///
  /// - Parameter same: compares two values; not called for values that both trees share.
  /// - Complexity: O(changes · log n) between versions of one tree, O(n) otherwise.
  @inlinable
  func isSame(as other: Self, _ same: (Value, Value) -> Bool) -> Bool {
    guard count == other.count else { return false }
    // Fast path: edits in place preserve the structure of the tree.
    if let isSame = root.isSame(as: other.root, same) { return isSame }
    var comparison = TreeComparison(self, other)
    while true {
      comparison.advance()
      guard let a = comparison.old.entry, let b = comparison.new.entry else {
        return comparison.old.top == nil && comparison.new.top == nil
      }
      guard a.stamp == b.stamp || same(a.value, b.value) else { return false }
      comparison.old.offset += 1
      comparison.new.offset += 1
    }
  }
}

extension Node {
  /// Returns whether both subtrees contain the same values in the same order; nil if their structures differ.
  @inlinable
  func isSame(as other: Node, _ same: (Value, Value) -> Bool) -> Bool? {
    if self === other { return true }
    guard level == other.level, width == other.width else { return nil }
    for i in children.indices where children[i] !== other.children[i] {
      guard numbers[i] == other.numbers[i] else { return nil }
      guard let isSame = children[i].isSame(as: other.children[i], same) else { return nil }
      guard isSame else { return false }
    }
    for i in values.indices where numbers[i] != other.numbers[i] {
      guard same(values[i], other.values[i]) else { return false }
    }
    return true
  }
}
