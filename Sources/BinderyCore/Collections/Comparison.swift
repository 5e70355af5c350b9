/// Walks two versions together over the entries that they do not share.
@usableFromInline
struct Comparison<Value: Sendable> {
  /// What is left of one version: subtrees, the next one on top, and the entries of that one that are done.
  @usableFromInline
  struct Rest {
    @usableFromInline var subtrees: [Node<Value>]
    @usableFromInline var offset = 0

    @inlinable
    init(_ root: Node<Value>) {
      subtrees = [root]
    }

    @inlinable var top: Node<Value>? { subtrees.last }

    /// Puts the children of the top in its place.
    @inlinable
    mutating func open() {
      guard let node = subtrees.popLast() else { return }
      for child in node.children.reversed() { subtrees.append(child.node) }
    }

    @inlinable
    mutating func skip() {
      subtrees.removeLast()
      offset = 0
    }

    /// The next entry, where the top is a leaf that has one.
    @inlinable var entry: Node<Value>.Entry? {
      guard let top, offset < top.entries.count else { return nil }
      return top.entries[offset]
    }
  }

  @usableFromInline var old: Rest
  @usableFromInline var new: Rest

  @inlinable
  init(_ old: LabelTree<Value>, _ new: LabelTree<Value>) {
    self.old = Rest(old.root)
    self.new = Rest(new.root)
  }

  /// Skips what both share from here on, so that either is at its next entry or at its end.
  @inlinable
  mutating func advance() {
    while true {
      switch (old.top, new.top) {
      case (nil, nil): return
      case (let a?, let b?) where a === b && old.offset == new.offset:
        old.skip()
        new.skip()
      case (let a, let b):
        // The higher one is opened first: so a shared subtree is met on both sides at once.
        let (aLevel, bLevel) = (a?.level ?? -1, b?.level ?? -1)
        if let a, a.isLeaf, old.offset == a.entries.count {
          old.skip()
        } else if let b, b.isLeaf, new.offset == b.entries.count {
          new.skip()
        } else if aLevel <= 0, bLevel <= 0 {
          return
        } else {
          if aLevel >= bLevel { old.open() }
          if bLevel >= aLevel { new.open() }
        }
      }
    }
  }
}

extension LabelTree {
  /// Whether both hold the same values in the same order, whatever their labels.
  ///
  /// - Complexity: O(changes · log n) between versions, O(n) otherwise.
  @inlinable
  func isSame(as other: Self, _ same: (Value, Value) -> Bool) -> Bool {
    guard count == other.count else { return false }
    // An edit in place leaves the tree as it is cut, and needs no walk that keeps in step.
    if let isSame = root.isSame(as: other.root, same) { return isSame }
    var walk = Comparison(self, other)
    while true {
      walk.advance()
      guard let a = walk.old.entry, let b = walk.new.entry else { return walk.old.top == nil && walk.new.top == nil }
      guard a.stamp == b.stamp || same(a.value, b.value) else { return false }
      walk.old.offset += 1
      walk.new.offset += 1
    }
  }
}

extension Node {
  /// Whether both hold the same values in the same order; nil where they are cut differently on the way there.
  @inlinable
  func isSame(as other: Node, _ same: (Value, Value) -> Bool) -> Bool? {
    if self === other { return true }
    guard level == other.level, width == other.width else { return nil }
    for i in children.indices where children[i].node !== other.children[i].node {
      guard children[i].count == other.children[i].count else { return nil }
      guard let isSame = children[i].node.isSame(as: other.children[i].node, same) else { return nil }
      guard isSame else { return false }
    }
    for i in entries.indices where entries[i].stamp != other.entries[i].stamp {
      guard same(entries[i].value, other.entries[i].value) else { return false }
    }
    return true
  }
}
