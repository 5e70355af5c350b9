// Nodes are immutable. Each edit returns a new node that shares all unchanged children with the old one.
extension Node {
  /// Returns a leaf with the value at an offset edited.
  @inlinable
  func editing<E: Error>(valueAt i: Int, _ body: (inout Value) throws(E) -> Void) throws(E) -> Node {
    var numbers = numbers
    numbers[i] = nextStamp()
    let values = try values.editing(i, body)
    return Node(level: 0, width: width, labels: labels, numbers: numbers, values: values)
  }

  /// Returns an inner node with another child that has the same labels.
  @inlinable
  func replacing(childAt i: Int, with child: consuming Node) -> Node {
    let children = children.replacing(i, with: child)
    return Node(level: level, width: width, labels: labels, numbers: numbers, children: children)
  }

  /// Returns the node with the labels `start + step`, `start + 2 * step` and so on for a range of indices in it.
  @inlinable
  func relabeling(_ range: Range<Int>, from start: UInt64, by step: UInt64) -> Node {
    var label = start
    var labels = labels
    if isLeaf {
      for i in range {
        label += step
        labels[i] = label
      }
      return Node(level: 0, width: width, labels: labels, numbers: numbers, values: values)
    }
    var nodes = Array(children)
    var first = 0
    for i in nodes.indices {
      let count = Int(numbers[i])
      let part = range.clamped(to: first..<first + count)
      if !part.isEmpty {
        let child = Child(
          nodes[i].relabeling(part.lowerBound - first..<part.upperBound - first, from: label, by: step))
        (nodes[i], labels[i]) = (child.node, child.lastLabel)
        label += step * UInt64(part.count)
      }
      first += count
    }
    let children = NodeElements(count: nodes.count) { nodes[$0] }
    return Node(level: level, width: width, labels: labels, numbers: numbers, children: children)
  }

  /// Returns the node with one more entry, split in two if it exceeds the capacity.
  @inlinable
  func inserting(_ new: Entry) -> (Node, Node?) {
    if isLeaf {
      var entries = entries
      let i = position(from: new.label)
      entries.insert(new, at: i)
      guard let middle = Self.splitPosition(entries.count, after: i) else { return (Node(entries[...]), nil) }
      return (Node(entries[..<middle]), Node(entries[middle...]))
    }
    var children = childList
    let i = Swift.min(position(from: new.label), width - 1)
    let (left, right) = children[i].node.inserting(new)
    children[i] = Child(left)
    if let right { children.insert(Child(right), at: i + 1) }
    guard let middle = Self.splitPosition(children.count, after: i + 1) else {
      return (Node(children[...], level: level), nil)
    }
    return (Node(children[..<middle], level: level), Node(children[middle...], level: level))
  }

  /// Returns the offset at which to split a node; nil if it does not exceed the capacity.
  ///
  /// After an insertion at the end, only the last two entries or children move to the new node, so that appending
  /// leaves full nodes. Never only the last one: an only child would have no sibling that `removing` could merge it
  /// with.
  @inlinable
  static func splitPosition(_ width: Int, after position: Int) -> Int? {
    guard width > capacity else { return nil }
    return position == width - 1 ? width - 2 : width / 2
  }

  /// Returns the node without the entry of an existing label.
  @inlinable
  func removing(_ label: UInt64) -> Node {
    if isLeaf {
      var entries = entries
      entries.remove(at: position(from: label))
      return Node(entries[...])
    }
    var children = childList
    let i = position(from: label)
    let remainder = children[i].node.removing(label)
    children[i] = Child(remainder)
    if remainder.width < Self.capacity / 2, children.count > 1 {
      let left = Swift.max(i - 1, 0)
      let (merged, second) = children[left].node.merging(children[left + 1].node)
      children[left] = Child(merged)
      if let second { children[left + 1] = Child(second) } else { children.remove(at: left + 1) }
    }
    return Node(children[...], level: level)
  }

  /// Merges two siblings into one node, or into two of nearly equal width if one would exceed the capacity.
  @inlinable
  func merging(_ next: Node) -> (Node, Node?) {
    let width = width + next.width
    let middle = width / 2
    if isLeaf {
      let all = entries + next.entries
      guard width > Self.capacity else { return (Node(all[...]), nil) }
      return (Node(all[..<middle]), Node(all[middle...]))
    }
    let all = childList + next.childList
    guard width > Self.capacity else { return (Node(all[...], level: level), nil) }
    return (Node(all[..<middle], level: level), Node(all[middle...], level: level))
  }
}

extension Node where Value: Identifiable, Value.ID: PathKey {
  /// Returns the node with the value of a label edited; nil if no value has this label and this id.
  @inlinable
  func editing<E: Error>(
    _ id: Value.ID, at label: UInt64, _ body: (inout Value) throws(E) -> Void
  ) throws(E) -> Node? {
    let i = position(from: label)
    guard i < width else { return nil }
    if isLeaf {
      guard labels[i] == label, Value.ID._areSame(values[i].id, id) else { return nil }
      return try editing(valueAt: i, body)
    }
    guard let child = try children[i].editing(id, at: label, body) else { return nil }
    return replacing(childAt: i, with: child)
  }
}
