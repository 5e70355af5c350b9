/// A persistent B+-tree of values in the order of their labels; versions share each node that they have in common.
///
/// No two labels are equal.
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
    let (leaf, offset) = root.place(at: index)
    return leaf.entries[offset]
  }

  @inlinable subscript(label: UInt64) -> Value? { root.value(of: label) }

  /// How many labels are below `label`.
  @inlinable
  func rank(of label: UInt64) -> Int {
    root.rank(of: label)
  }

  /// Replaces the value of a label that is there.
  @inlinable
  mutating func update(_ label: UInt64, to value: Value) {
    root = root.editing(label) { $0 = value }
  }

  /// Gives the entries of a range of positions the labels `start + step`, `start + 2 * step` and so on, which must keep
  /// all in order.
  ///
  /// - Complexity: O(log n + length of the range).
  @inlinable
  mutating func relabel(_ range: Range<Int>, from start: UInt64, by step: UInt64) {
    root = root.relabeling(range, from: start, by: step)
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
