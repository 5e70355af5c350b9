extension LabelTree {
  /// Adds an entry whose label is new.
  @inlinable
  mutating func insert(_ value: Value, _ label: UInt64) {
    if let right = Self.insert(Entry(label: label, value: value), below: &root) {
      root = Node(children: [Child(root), Child(right)], level: root.level + 1)
    }
    count += 1
  }

  /// Adds an entry below a node, and gives the right part of it where it became too wide.
  @inlinable
  static func insert(_ entry: Entry, below node: inout Node<Value>) -> Node<Value>? {
    Node.own(&node)
    if node.isLeaf {
      let i = node.entry(from: entry.label)
      node.entries.insert(entry, at: i)
      return node.width > Node<Value>.capacity ? split(node, after: i) : nil
    }
    var i = Swift.min(node.child(from: entry.label), node.children.count - 1)
    let right = insert(entry, below: &node.children[i].node)
    node.children[i] = Child(node.children[i].node)
    guard let right else { return nil }
    i += 1
    node.children.insert(Child(right), at: i)
    return node.width > Node<Value>.capacity ? split(node, after: i) : nil
  }

  /// Halves a node; after an insertion at its end only the last part goes, so that appending leaves full nodes behind.
  @inlinable
  static func split(_ node: Node<Value>, after position: Int) -> Node<Value> {
    let middle = position == node.width - 1 ? position : node.width / 2
    if node.isLeaf {
      let right = Node<Value>(entries: Array(node.entries[middle...]))
      node.entries.removeSubrange(middle...)
      return right
    }
    let right = Node<Value>(children: Array(node.children[middle...]), level: node.level)
    node.children.removeSubrange(middle...)
    return right
  }
}
