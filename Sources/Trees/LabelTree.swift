/// A persistent B+-tree of values in the order of their labels; versions share each node that they have in common.
///
/// Labels are above 0 and below `UInt64.max`, and no two are equal.
///
/// - Complexity: O(log n) for everything that is not said to cost less or more.
@usableFromInline
struct LabelTree<Value: Sendable>: Sendable {
  @usableFromInline typealias Entry = Node<Value>.Entry
  @usableFromInline typealias Child = Node<Value>.Child

  @usableFromInline var root: Node<Value>
  @usableFromInline var count: Int

  @inlinable
  init() {
    root = Node([])
    count = 0
  }

  /// Builds the tree of entries that are already in order.
  ///
  /// - Complexity: O(n).
  @inlinable
  init(sorted entries: [Entry]) {
    var level = Self.pieces(of: entries).map { Child(Node(Array($0))) }
    var height = 0
    while level.count > 1 {
      height += 1
      level = Self.pieces(of: level).map { Child(Node(Array($0), level: height)) }
    }
    root = level.first?.node ?? Node([])
    count = entries.count
  }

  /// Cuts an array into the fewest pieces that fit into nodes, all of nearly one length.
  @inlinable
  static func pieces<T>(of whole: [T]) -> [ArraySlice<T>] {
    let n = (whole.count + Node<Value>.capacity - 1) / Node<Value>.capacity
    return (0..<n).map { whole[$0 * whole.count / n..<($0 + 1) * whole.count / n] }
  }

  /// The entry at a position.
  @inlinable
  func entry(at index: Int) -> Entry? {
    guard index >= 0, index < count else { return nil }
    let (leaf, start) = leaf(around: index)
    return leaf.entries[index - start]
  }

  /// The leaf that holds the position `index` of `0..<count`, and the position of its first entry.
  @inlinable
  func leaf(around index: Int) -> (leaf: Node<Value>, start: Int) {
    var node = root
    var start = 0
    while !node.isLeaf {
      var i = 0
      while i < node.children.count - 1, start + node.children[i].count <= index {
        start += node.children[i].count
        i += 1
      }
      node = node.children[i].node
    }
    return (node, start)
  }

  /// The leaf with the entry of a label, and its place there.
  @inlinable
  func find(_ label: UInt64) -> (leaf: Node<Value>, offset: Int)? {
    var node = root
    while !node.isLeaf {
      let i = node.child(from: label)
      guard i < node.children.count else { return nil }
      node = node.children[i].node
    }
    let i = node.entry(from: label)
    return i < node.entries.count && node.entries[i].label == label ? (node, i) : nil
  }

  @inlinable subscript(label: UInt64) -> Value? {
    guard let (leaf, offset) = find(label) else { return nil }
    return leaf.entries[offset].value
  }

  /// How many labels are below `label`.
  @inlinable
  func rank(of label: UInt64) -> Int {
    var node = root
    var rank = 0
    while !node.isLeaf {
      let i = node.child(from: label)
      for child in node.children[..<i] { rank += child.count }
      guard i < node.children.count else { return rank }
      node = node.children[i].node
    }
    return rank + node.entry(from: label)
  }

  /// Replaces the value of a label that is there.
  @inlinable
  mutating func update(_ label: UInt64, to value: Value) {
    root = root.updating(label, to: value)
  }

  /// Adds an entry whose label is new.
  @inlinable
  mutating func insert(_ value: Value, _ label: UInt64) {
    let (left, right) = root.inserting(Entry(label: label, value: value))
    if let right { root = Node([Child(left), Child(right)], level: left.level + 1) } else { root = left }
    count += 1
  }

  /// Removes the entry of a label that is there.
  @inlinable
  mutating func remove(_ label: UInt64) {
    root = root.removing(label)
    while root.children.count == 1 { root = root.children[0].node }
    count -= 1
  }
}
