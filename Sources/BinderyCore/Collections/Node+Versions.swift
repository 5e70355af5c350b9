/// A changed node is a new one, which shares with the old one all that the change did not touch.
extension Node {
  /// The node with the value of a label that it holds edited.
  @inlinable
  func editing<E: Error>(_ label: UInt64, _ body: (inout Value) throws(E) -> Void) throws(E) -> Node {
    if isLeaf {
      var entries = entries
      try entries[entry(from: label)].edit(body)
      return Node(entries)
    }
    var children = children
    let i = child(from: label)
    children[i].node = try children[i].node.editing(label, body)
    return Node(children, level: level)
  }

  /// The node with the labels `start + step`, `start + 2 * step` and so on for a range of positions below it.
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
        let within = part.lowerBound - position..<part.upperBound - position
        children[i] = Child(children[i].node.relabeling(within, from: label, by: step))
        label += step * UInt64(part.count)
      }
      position += children[i].count
    }
    return Node(children, level: level)
  }

  /// The node with one more entry, in two parts where it became too wide.
  @inlinable
  func inserting(_ new: Entry) -> (Node, Node?) {
    if isLeaf {
      var entries = entries
      let i = entry(from: new.label)
      entries.insert(new, at: i)
      guard let middle = Self.cut(entries.count, after: i) else { return (Node(entries), nil) }
      return (Node(Array(entries[..<middle])), Node(Array(entries[middle...])))
    }
    var children = children
    let i = Swift.min(child(from: new.label), children.count - 1)
    let (left, right) = children[i].node.inserting(new)
    children[i] = Child(left)
    if let right { children.insert(Child(right), at: i + 1) }
    guard let middle = Self.cut(children.count, after: i + 1) else { return (Node(children, level: level), nil) }
    return (Node(Array(children[..<middle]), level: level), Node(Array(children[middle...]), level: level))
  }

  /// Where a node that became too wide is cut: after an insertion at its end before the last two parts only, so that
  /// appending leaves full nodes behind. Never before the last one: a node's only child has no neighbour to join.
  @inlinable
  static func cut(_ width: Int, after position: Int) -> Int? {
    guard width > capacity else { return nil }
    return position == width - 1 ? width - 2 : width / 2
  }

  /// The node without the entry of a label that it holds.
  @inlinable
  func removing(_ label: UInt64) -> Node {
    if isLeaf {
      var entries = entries
      entries.remove(at: entry(from: label))
      return Node(entries)
    }
    var children = children
    let i = child(from: label)
    let rest = children[i].node.removing(label)
    children[i] = Child(rest)
    if rest.width < Self.capacity / 2, children.count > 1 {
      let left = Swift.max(i - 1, 0)
      let (joined, other) = children[left].node.joining(children[left + 1].node)
      children[left] = Child(joined)
      if let other { children[left + 1] = Child(other) } else { children.remove(at: left + 1) }
    }
    return Node(children, level: level)
  }

  /// One node of two neighbours, or two of nearly one width where they do not fit into one.
  @inlinable
  func joining(_ next: Node) -> (Node, Node?) {
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
