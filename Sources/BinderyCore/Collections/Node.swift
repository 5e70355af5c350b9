public import BinderyDigest
public import Synchronization

/// A node of a `LabelTree`: a leaf holds entries, any other node holds children. But for its digest it never changes.
@usableFromInline
final class Node<Value: Sendable>: @unchecked Sendable {
  @usableFromInline
  struct Entry: Sendable {
    @usableFromInline var label: UInt64
    @usableFromInline var value: Value
    /// Tells that two entries are copies of one, and so hold the same value, without a look at the value.
    @usableFromInline var stamp = nextStamp()

    @inlinable
    init(label: UInt64, value: Value) {
      self.label = label
      self.value = value
    }

    /// Edits the value, which is another one then.
    @inlinable
    mutating func edit<E: Error>(_ body: (inout Value) throws(E) -> Void) throws(E) {
      stamp = nextStamp()
      try body(&value)
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
      if node.isLeaf {
        count = node.entries.count
        last = node.entries.isEmpty ? 0 : node.entries[count - 1].label
      } else {
        count = 0
        last = 0
        for i in node.children.indices {
          count += node.children[i].count
          last = node.children[i].last
        }
      }
    }
  }

  /// 0 for a leaf; a node's children are all one level below it.
  @usableFromInline let level: Int
  @usableFromInline let entries: [Entry]
  @usableFromInline let children: [Child]

  /// Guards `digest`: whoever moves it from empty to busy writes the digest, which is read once it is ready.
  @usableFromInline let digestState = Atomic<DigestState>(.empty)
  @usableFromInline var digest: (key: UInt64, value: SequenceDigest)?

  @inlinable
  init(_ entries: [Entry]) {
    level = 0
    self.entries = entries
    children = []
  }

  @inlinable
  init(_ children: [Child], level: Int) {
    self.level = level
    entries = []
    self.children = children
  }

  /// The most entries of a leaf and children of any other node. Copying a node retains each of them, so a wider one
  /// makes writes dearer, and a narrower one makes the tree deeper.
  @inlinable static var capacity: Int { 12 }

  @inlinable var isLeaf: Bool { level == 0 }
  @inlinable var width: Int { isLeaf ? entries.count : children.count }
}

/// The stamp that was given last, in any tree: no two are equal, so no lock guards it.
@usableFromInline let lastStamp = Atomic<UInt64>(0)

@inlinable
func nextStamp() -> UInt64 { lastStamp.add(1, ordering: .relaxed).newValue }
