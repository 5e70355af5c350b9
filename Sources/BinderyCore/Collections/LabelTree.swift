/// A persistent B+ tree of values ordered by unique labels. Versions share their common nodes.
///
/// - Complexity: O(log n) for each operation unless stated otherwise.
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

  /// Creates a tree from the sources of its entries.
  ///
  /// - Parameters:
  ///   - sources: The sources, in ascending order of the labels of their entries.
  ///   - makeEntry: Returns the entry of a source; called once for each source, in order. The entries are created leaf
  ///     by leaf, because a list of all of them would need as much memory as the tree.
  /// - Complexity: O(n).
  @inlinable
  init<Source>(sorted sources: [Source], _ makeEntry: (Source) -> Entry) {
    var level = Self.chunks(of: sources).map { Child(Node($0, makeEntry)) }
    var height = 0
    while level.count > 1 {
      height += 1
      level = Self.chunks(of: level).map { Child(Node($0, level: height)) }
    }
    root = level.first?.node ?? Node([])
    count = sources.count
  }

  /// Divides an array into the minimum number of chunks that fit into nodes, of nearly equal lengths.
  @inlinable
  static func chunks<T>(of array: [T]) -> [ArraySlice<T>] {
    let n = (array.count + Node<Value>.capacity - 1) / Node<Value>.capacity
    return (0..<n).map { array[$0 * array.count / n..<($0 + 1) * array.count / n] }
  }

  /// Returns the entry at an index; nil if the index is out of range.
  @inlinable
  func entry(at index: Int) -> Entry? {
    guard index >= 0, index < count else { return nil }
    let (leaf, offset) = root.location(at: index)
    return Entry(label: leaf.labels[offset], value: leaf.values[offset], stamp: leaf.numbers[offset])
  }

  /// The value of an existing label.
  @inlinable subscript(label: UInt64) -> Value? { entry(at: rank(of: label))?.value }

  /// Returns the number of labels less than `label`.
  @inlinable
  func rank(of label: UInt64) -> Int { root.rank(of: label) }

  /// Assigns the labels `start + step`, `start + 2 * step` and so on to the entries of a range of indices.
  ///
  /// The new labels must preserve the order of all entries.
  ///
  /// - Complexity: O(log n + length of the range).
  @inlinable
  mutating func relabel(_ range: Range<Int>, from start: UInt64, by step: UInt64) {
    root = root.relabeling(range, from: start, by: step)
  }

  /// Inserts a value with a new label.
  @inlinable
  mutating func insert(_ value: Value, _ label: UInt64) {
    let (left, right) = root.inserting(Entry(label: label, value: value))
    if let right { root = Node([Child(left), Child(right)], level: left.level + 1) } else { root = left }
    count += 1
  }

  /// Removes the entry of an existing label.
  @inlinable
  mutating func remove(_ label: UInt64) {
    root = root.removing(label)
    while root.children.count == 1 { root = root.children[0] }
    count -= 1
  }
}
