public import BinderyDigest
public import Synchronization

/// A node of a `LabelTree`: a leaf has values, an inner node has children. Immutable except for its cached digest.
///
/// The numbers are in the node itself, so that a search reads one object for each level, and copying a node copies them
/// at once. The values are in an array, because the size of a value is not known here.
@usableFromInline
final class Node<Value: Sendable>: Sendable {
  /// A value of a leaf with its numbers. To insert, remove or merge, a leaf is taken apart into entries.
  @usableFromInline
  struct Entry: Sendable {
    @usableFromInline var label: UInt64
    @usableFromInline var value: Value
    /// The number of the write that produced the value. Entries with equal stamps are copies and have the same value.
    @usableFromInline var stamp: UInt64

    @inlinable
    init(label: UInt64, value: Value, stamp: UInt64 = nextStamp()) {
      self.label = label
      self.value = value
      self.stamp = stamp
    }
  }

  /// A child of an inner node with its numbers, for the same purpose.
  @usableFromInline
  struct Child: Sendable {
    @usableFromInline var node: Node
    /// The number of values in the subtree.
    @usableFromInline var count: Int
    /// The greatest label in the subtree; 0 if it is empty.
    @usableFromInline var lastLabel: UInt64

    @inlinable
    init(_ node: Node) {
      self.init(node, count: node.count, lastLabel: node.width == 0 ? 0 : node.labels[node.width - 1])
    }

    @inlinable
    init(_ node: Node, count: Int, lastLabel: UInt64) {
      self.node = node
      self.count = count
      self.lastLabel = lastLabel
    }
  }

  // The properties that a search reads come first, so that they are in neighboring cache lines.
  @usableFromInline let values: NodeElements<Value>
  @usableFromInline let children: NodeElements<Node>
  /// The height above the leaves: 0 for a leaf. All children of a node have the level below.
  @usableFromInline let level: Int
  /// The number of values or children.
  @usableFromInline let width: Int
  /// The label of each value, or the greatest label below each child.
  @usableFromInline let labels: NodeNumbers
  /// The stamp of each value, or the number of values below each child.
  @usableFromInline let numbers: NodeNumbers

  /// The digest of the values in this subtree, once it was computed.
  @usableFromInline let cachedDigest = AtomicLazyReference<CachedDigest>()

  @inlinable
  init(
    level: Int, width: Int, labels: NodeNumbers, numbers: NodeNumbers,
    values: NodeElements<Value> = NodeElements(), children: NodeElements<Node> = NodeElements()
  ) {
    self.level = level
    self.width = width
    self.labels = labels
    self.numbers = numbers
    self.values = values
    self.children = children
  }

  /// Creates a leaf.
  @inlinable
  convenience init(_ entries: ArraySlice<Entry>) {
    self.init(entries) { $0 }
  }

  /// Creates a leaf of the entries that a function returns, called once for each source, in order.
  @inlinable
  convenience init<Source>(_ sources: ArraySlice<Source>, _ makeEntry: (Source) -> Entry) {
    var (labels, numbers) = (NodeNumbers(repeating: 0), NodeNumbers(repeating: 0))
    let values = NodeElements(count: sources.count) { i in
      let entry = makeEntry(sources[sources.startIndex + i])
      (labels[i], numbers[i]) = (entry.label, entry.stamp)
      return entry.value
    }
    self.init(level: 0, width: sources.count, labels: labels, numbers: numbers, values: values)
  }

  /// Creates an inner node.
  @inlinable
  convenience init(_ list: ArraySlice<Child>, level: Int) {
    var (labels, numbers) = (NodeNumbers(repeating: 0), NodeNumbers(repeating: 0))
    let children = NodeElements(count: list.count) { i in
      let child = list[list.startIndex + i]
      (labels[i], numbers[i]) = (child.lastLabel, UInt64(child.count))
      return child.node
    }
    self.init(level: level, width: list.count, labels: labels, numbers: numbers, children: children)
  }

  /// The maximum number of values of a leaf and of children of an inner node.
  ///
  /// Copying a leaf retains each value, so a greater capacity makes writes more expensive, and a smaller one makes the
  /// tree deeper.
  @inlinable static var capacity: Int { NodeNumbers.count }

  @inlinable var isLeaf: Bool { level == 0 }

  /// The number of values in this subtree.
  @inlinable var count: Int {
    if isLeaf { return width }
    var count = 0
    for i in 0..<width { count += Int(numbers[i]) }
    return count
  }

  /// The values of a leaf with their numbers.
  @inlinable var entries: [Entry] {
    values.indices.map { Entry(label: labels[$0], value: values[$0], stamp: numbers[$0]) }
  }

  /// The children of an inner node with their numbers.
  @inlinable var childList: [Child] {
    children.indices.map { Child(children[$0], count: Int(numbers[$0]), lastLabel: labels[$0]) }
  }

  /// Returns the digest of the values in this subtree. It is cached for the first key that is used with the node.
  ///
  /// Threads that call this at the same time may each compute the digest; no thread waits for another.
  @inlinable
  func digest(_ key: DigestKey, _ element: (Value) -> Digest) -> SequenceDigest {
    if let cached = cachedDigest.load(), cached.key == key.identity { return cached.value }
    var result = SequenceDigest.empty
    for value in values {
      result = result.followed(by: SequenceDigest(element(value), key: key))
    }
    for child in children {
      result = result.followed(by: child.digest(key, element))
    }
    _ = cachedDigest.storeIfNil(CachedDigest(result, key: key.identity))
    return result
  }
}

/// A number for each value or child of a node. Those after the last one have no meaning.
@usableFromInline typealias NodeNumbers = InlineArray<12, UInt64>

/// The last stamp of any tree. Only uniqueness matters, so relaxed atomic increments are sufficient.
@usableFromInline let lastStamp = Atomic<UInt64>(0)

/// Returns a new unique stamp.
@inlinable
func nextStamp() -> UInt64 { lastStamp.add(1, ordering: .relaxed).newValue }

/// A digest of the values below a node.
@usableFromInline
final class CachedDigest: Sendable {
  /// The identity of the key.
  @usableFromInline let key: UInt64
  @usableFromInline let value: SequenceDigest

  @inlinable
  init(_ value: SequenceDigest, key: UInt64) {
    self.value = value
    self.key = key
  }
}
