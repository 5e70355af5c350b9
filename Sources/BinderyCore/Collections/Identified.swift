public import BinderyDigest

/// An ordered sequence with an index by id, whose versions share what they have in common.
///
/// Elements stand in a tree in the order of labels, numbers with gaps between them, which no reader sees; the index
/// leads from the hash of an id to the label of its element. So an edit touches one path of one tree, and an insertion
/// moves nothing.
///
/// - Complexity: O(log n) for everything that is not said to cost less or more, with older versions alive too.
public struct Identified<Element: Identifiable & Sendable>: Sendable where Element.ID: Key {
  @usableFromInline typealias ID = Element.ID

  /// The elements by label.
  @usableFromInline var order: LabelTree<Element>

  /// The labels by slot: an id's hash, or the next free number where two hashes are equal.
  @usableFromInline var index: LabelTree<UInt64>

  /// An empty sequence.
  @inlinable
  public init() {
    order = LabelTree()
    index = LabelTree()
  }

  /// The elements in their order.
  ///
  /// - Throws: `DuplicateID` where two of them have the same id.
  /// - Complexity: O(n log n), which is sorting their hashes.
  @inlinable
  public init(_ elements: some Sequence<Element>) throws(DuplicateID) {
    self.init()
    guard fill(elements).isEmpty else { throw DuplicateID() }
  }

  /// The elements in their order without those whose id stands earlier.
  ///
  /// - Complexity: O(n log n), which is sorting their hashes.
  @inlinable
  public init(uniquing elements: some Sequence<Element>) {
    self.init()
    for label in fill(elements) { order.remove(label) }
  }

  /// The element with an id.
  @inlinable
  public subscript(id id: Element.ID) -> Element? {
    self[HashedKey(id)]
  }

  /// Whether there is an element with an id.
  @inlinable
  public func contains(id: Element.ID) -> Bool {
    label(of: HashedKey(id)) != nil
  }

  /// The position of the element with an id.
  @inlinable
  public func index(of id: Element.ID) -> Int? {
    label(of: HashedKey(id)).map(order.rank)
  }

  /// The element at an index; nil where the index is out of range.
  @inlinable
  public func element(at index: Int) -> Element? {
    order.entry(at: index)?.value
  }

  /// The ids in order.
  @inlinable public var ids: some RandomAccessCollection<Element.ID> {
    lazy.map { $0.id }
  }

  /// Whether both are one version: that they are the same elements follows, the converse does not.
  ///
  /// - Complexity: O(1).
  @inlinable
  package func isIdentical(to other: Self) -> Bool {
    order.root === other.order.root
  }

  /// The digest of the elements in order, which depends on nothing else, and is remembered in the tree.
  ///
  /// - Complexity: O(log n) calls of `element` after one change, O(n) the first time.
  @inlinable
  package func digest(_ key: DigestKey, _ element: (Element) -> Digest) -> SequenceDigest {
    order.root.digest(key, element)
  }
}
