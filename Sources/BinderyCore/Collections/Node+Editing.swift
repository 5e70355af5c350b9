// Nodes are immutable. Each edit returns a new node that shares all unchanged children with the old one.
extension Node {
  /// Returns the node with another value at an existing label.
  @inlinable
  func replacing(_ label: UInt64, with value: Value) -> Node {
    if isLeaf {
      var entries = entries
      entries[entry(from: label)] = Entry(label: label, value: value)
      return Node(entries)
    }
    var children = children
    let i = child(from: label)
    children[i].node = children[i].node.replacing(label, with: value)
    return Node(children, level: level)
  }

  /// Returns the node with the labels `start + step`, `start + 2 * step` and so on for a range of indices in it.
  @inlinable
  func relabeling(_ range: Range<Int>, from start: UInt64, by step: UInt64) -> Node {
    var label = start
    if isLeaf {
      var entries = entries
      for i in range {
        label += step
        entries[i].label = label
      }
      return Node(entries)
    }
    var children = children
    var position = 0
    for i in children.indices {
      let part = range.clamped(to: position..<position + children[i].count)
      if !part.isEmpty {
        let childRange = part.lowerBound - position..<part.upperBound - position
        children[i] = Child(children[i].node.relabeling(childRange, from: label, by: step))
        label += step * UInt64(part.count)
      }
      position += children[i].count
    }
    return Node(children, level: level)
  }

  /// Returns the node with one more entry, split in two if it exceeds the capacity.
  @inlinable
  func inserting(_ new: Entry) -> (Node, Node?) {
    if isLeaf {
      var entries = entries
      let i = entry(from: new.label)
      entries.insert(new, at: i)
      guard let middle = Self.splitPosition(entries.count, after: i) else { return (Node(entries), nil) }
      return (Node(Array(entries[..<middle])), Node(Array(entries[middle...])))
    }
    var children = children
    let i = Swift.min(child(from: new.label), children.count - 1)
    let (left, right) = children[i].node.inserting(new)
    children[i] = Child(left)
    if let right { children.insert(Child(right), at: i + 1) }
    guard let middle = Self.splitPosition(children.count, after: i + 1) else {
      return (Node(children, level: level), nil)
    }
    return (Node(Array(children[..<middle]), level: level), Node(Array(children[middle...]), level: level))
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
      entries.remove(at: entry(from: label))
      return Node(entries)
    }
    var children = children
    let i = child(from: label)
    let remainder = children[i].node.removing(label)
    children[i] = Child(remainder)
    if remainder.width < Self.capacity / 2, children.count > 1 {
      let left = Swift.max(i - 1, 0)
      let (merged, second) = children[left].node.merging(children[left + 1].node)
      children[left] = Child(merged)
      if let second { children[left + 1] = Child(second) } else { children.remove(at: left + 1) }
    }
    return Node(children, level: level)
  }

  /// Merges two siblings into one node, or into two of nearly equal width if one would exceed the capacity.
  @inlinable
  func merging(_ next: Node) -> (Node, Node?) {
    let width = width + next.width
    let middle = width / 2
    if isLeaf {
      let all = entries + next.entries
      guard width > Self.capacity else { return (Node(all), nil) }
      return (Node(Array(all[..<middle])), Node(Array(all[middle...])))
    }
    let all = children + next.children
    guard width > Self.capacity else { return (Node(all, level: level), nil) }
    return (Node(Array(all[..<middle]), level: level), Node(Array(all[middle...]), level: level))
  }
}

extension Node where Value: Identifiable, Value.ID: PathKey {
  /// Returns the node with the value of a label edited; nil if no value has this label and this id.
  @inlinable
  func editing<E: Error>(
    _ id: Value.ID, at label: UInt64, _ body: (inout Value) throws(E) -> Void
  ) throws(E) -> Node? {
    if isLeaf {
      let i = entry(from: label)
      guard i < entries.count, entries[i].label == label, Value.ID._areSame(entries[i].value.id, id) else { return nil }
      var entries = entries
      try entries[i].edit(body)
      return Node(entries)
    }
    let i = child(from: label)
    guard i < children.count, let node = try children[i].node.editing(id, at: label, body) else { return nil }
    var children = children
    children[i].node = node
    return Node(children, level: level)
  }
}
