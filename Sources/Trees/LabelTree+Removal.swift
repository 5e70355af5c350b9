extension LabelTree {
  /// Removes the entry of a label, which must be there.
  @inlinable
  mutating func remove(_ label: UInt64) {
    Self.remove(label, below: &root)
    while root.children.count == 1 { root = root.children[0].node }
    count -= 1
  }

  @inlinable
  static func remove(_ label: UInt64, below node: inout Node<Value>) {
    Node.own(&node)
    if node.isLeaf {
      node.entries.remove(at: node.entry(from: label))
      return
    }
    let i = node.child(from: label)
    remove(label, below: &node.children[i].node)
    node.children[i] = Child(node.children[i].node)
    if node.children[i].node.width < Node<Value>.capacity / 2, node.children.count > 1 {
      joinChildren(at: Swift.max(i - 1, 0), of: node)
    }
  }

  /// Makes one child of two neighbours, or two of nearly one width where they do not fit into one.
  @inlinable
  static func joinChildren(at i: Int, of node: Node<Value>) {
    let (left, right) = (node.children[i].node, node.children[i + 1].node)
    var joined: [Child]
    if left.isLeaf {
      joined = pieces(of: left.entries + right.entries).map { Child(Node(entries: Array($0))) }
    } else {
      joined = pieces(of: left.children + right.children).map { Child(Node(children: Array($0), level: left.level)) }
    }
    node.children.replaceSubrange(i...i + 1, with: joined)
  }
}
