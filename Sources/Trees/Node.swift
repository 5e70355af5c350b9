public import Digests
public import Synchronization

/// A node of a `LabelTree`: a leaf holds entries, any other node holds children.
///
/// It is changed only while a single reference to it exists, and read by many threads otherwise.
@usableFromInline
final class Node<Value: Sendable>: @unchecked Sendable {
  @usableFromInline
  struct Entry: Sendable {
    @usableFromInline var label: UInt64
    @usableFromInline var value: Value

    @inlinable
    init(label: UInt64, value: Value) {
      self.label = label
      self.value = value
    }
  }

  /// A child, with what a descent must know of it before it is touched.
  @usableFromInline
  struct Child: Sendable {
    @usableFromInline var node: Node
    @usableFromInline var count: Int
    @usableFromInline var last: UInt64

    @inlinable
    init(_ node: Node) {
      self.node = node
      count = node.count
      last = node.last
    }
  }

  /// 0 for a leaf; a node's children are all one level below it.
  @usableFromInline let level: Int
  @exclusivity(unchecked) @usableFromInline var entries: [Entry]
  @exclusivity(unchecked) @usableFromInline var children: [Child]

  /// Guards `digest`: whoever moves it from empty to busy writes the digest, and it is read once ready.
  @usableFromInline let digestState = Atomic<DigestState>(.empty)
  @usableFromInline var digest: (key: UInt64, value: SequenceDigest)?

  @inlinable
  init(entries: [Entry]) {
    level = 0
    self.entries = entries
    children = []
  }

  @inlinable
  init(children: [Child], level: Int) {
    self.level = level
    entries = []
    self.children = children
  }

  /// The most entries of a leaf and children of any other node. Copying a node retains each of them, so a wider one
  /// makes writes dearer, and a narrower one makes the tree deeper.
  @inlinable static var capacity: Int { 8 }

  @inlinable var isLeaf: Bool { level == 0 }
  @inlinable var width: Int { isLeaf ? entries.count : children.count }
  @inlinable var last: UInt64 { isLeaf ? entries.last?.label ?? 0 : children.last?.last ?? 0 }

  @inlinable var count: Int {
    isLeaf ? entries.count : children.reduce(0) { $0 + $1.count }
  }

  /// The first entry whose label is not below `label`, or their number.
  @inlinable
  func entry(from label: UInt64) -> Int {
    var i = 0
    while i < entries.count, entries[i].label < label { i += 1 }
    return i
  }

  /// The first child that reaches `label`, or their number.
  @inlinable
  func child(from label: UInt64) -> Int {
    var i = 0
    while i < children.count, children[i].last < label { i += 1 }
    return i
  }

  /// Makes `node` one that nobody else sees and whose digest is not known: to be called before any change.
  @inlinable
  static func own(_ node: inout Node) {
    if isKnownUniquelyReferenced(&node) {
      node.forgetDigest()
    } else {
      node = node.isLeaf ? Node(entries: node.entries) : Node(children: node.children, level: node.level)
    }
  }
}
