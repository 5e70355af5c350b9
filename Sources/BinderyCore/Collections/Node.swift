public import BinderyDigest
public import Synchronization

/// A node of a `LabelTree`: a leaf has entries, an inner node has children. Immutable except for its cached digest.
@usableFromInline
final class Node<Value: Sendable>: @unchecked Sendable {
  @usableFromInline
  struct Entry: Sendable {
    @usableFromInline var label: UInt64
    @usableFromInline var value: Value
    /// The number of the write that produced the value. Entries with equal stamps are copies and have the same value.
    @usableFromInline var stamp: UInt64

    @inlinable
    init(label: UInt64, value: Value) {
      self.label = label
      self.value = value
      stamp = nextStamp()
    }

    /// Edits the value and assigns a new stamp.
    @inlinable
    mutating func edit<E: Error>(_ body: (inout Value) throws(E) -> Void) throws(E) {
      stamp = nextStamp()
      try body(&value)
    }
  }

  /// A child with cached properties, so that a descent does not access the nodes that it skips.
  @usableFromInline
  struct Child: Sendable {
    @usableFromInline var node: Node
    /// The number of entries in the subtree.
    @usableFromInline var count: Int
    /// The greatest label in the subtree; 0 if it is empty.
    @usableFromInline var lastLabel: UInt64

    @inlinable
    init(_ node: Node) {
      self.node = node
      if node.isLeaf {
        count = node.entries.count
        lastLabel = node.entries.isEmpty ? 0 : node.entries[count - 1].label
      } else {
        count = 0
        lastLabel = 0
        for i in node.children.indices {
          count += node.children[i].count
          lastLabel = node.children[i].lastLabel
        }
      }
    }
  }

  /// The height above the leaves: 0 for a leaf. All children of a node have the level below.
  @usableFromInline let level: Int
  @usableFromInline let entries: [Entry]
  @usableFromInline let children: [Child]

  /// Guards `digest`: the thread that changes the state from empty to busy writes it, and
  /// readers use it only in the state ready.
  @usableFromInline let digestState: Atomic<DigestState>
  @usableFromInline var digest: (key: UInt64, value: SequenceDigest)?

  @inlinable
  init(_ entries: [Entry]) {
    level = 0
    self.entries = entries
    children = []
    digestState = Atomic(.empty)
  }

  @inlinable
  init(_ children: [Child], level: Int) {
    self.level = level
    entries = []
    self.children = children
    digestState = Atomic(.empty)
  }

  /// The maximum number of entries of a leaf and of children of an inner node.
  ///
  /// Copying a node retains each of them, so a greater capacity makes writes more expensive, and a smaller one makes
  /// the tree deeper.
  @inlinable static var capacity: Int { 12 }

  @inlinable var isLeaf: Bool { level == 0 }
  @inlinable var width: Int { isLeaf ? entries.count : children.count }
}

/// The last stamp of any tree. Only uniqueness matters, so relaxed atomic increments are sufficient.
@usableFromInline let lastStamp = Atomic<UInt64>(0)

/// Returns a new unique stamp.
@inlinable
func nextStamp() -> UInt64 { lastStamp.add(1, ordering: .relaxed).newValue }

/// The state of the cached digest of a node.
@usableFromInline
enum DigestState: UInt8, AtomicRepresentable, Sendable {
  case empty, busy, ready
}

extension Node {
  /// Returns the digest of the values in this subtree. It is cached for the first key that is used with the node.
  ///
  /// Threads that call this at the same time may each compute the digest; no thread waits for another.
  @inlinable
  func digest(_ key: DigestKey, _ element: (Value) -> Digest) -> SequenceDigest {
    if digestState.load(ordering: .acquiring) == .ready, let digest, digest.key == key.identity {
      return digest.value
    }
    var result = SequenceDigest.empty
    for entry in entries {
      result = result.followed(by: SequenceDigest(element(entry.value), key: key))
    }
    for child in children {
      result = result.followed(by: child.node.digest(key, element))
    }
    if digestState.compareExchange(expected: .empty, desired: .busy, ordering: .relaxed).exchanged {
      digest = (key.identity, result)
      digestState.store(.ready, ordering: .releasing)
    }
    return result
  }
}
