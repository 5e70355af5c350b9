public import BinderyDigest

/// A persistent ordered collection with an index by id. Versions share their common parts.
///
/// The elements are stored in a tree that is ordered by labels: internal integers with gaps between them. An index maps
/// the hash of an id to the label of its element. An edit therefore copies one path of one tree, and an insertion does
/// not shift other elements.
///
/// - Complexity: O(log n) for each operation unless stated otherwise, even while older versions are alive.
public struct Identified<Element: Identifiable & Sendable>: Sendable where Element.ID: PathKey {
  @usableFromInline typealias ID = Element.ID

  /// The elements by label.
  @usableFromInline var order: LabelTree<Element>

  /// The labels by the hashes of the ids.
  @usableFromInline var index: LabelIndex

  /// Creates an empty collection.
  @inlinable
  public init() {
    order = LabelTree()
    index = LabelIndex()
  }

  /// Creates a collection of the elements in their order.
  ///
  /// - Throws: ``DuplicateID`` if two elements have the same id.
  /// - Complexity: O(n log n), for sorting the hashes.
  @inlinable
  public init(_ elements: some Sequence<Element>) throws(DuplicateID) {
    self.init()
    if let label = fill(elements).min(), let element = order[label] { throw DuplicateID(element.id) }
  }

  /// Creates a collection of the elements in their order, omitting each element whose id has already occurred.
  ///
  /// - Complexity: O(n log n), for sorting the hashes.
  @inlinable
  public init(uniquing elements: some Sequence<Element>) {
    self.init()
    for label in fill(elements) { order.remove(label) }
  }

  /// Returns the element with an id; nil if there is none.
  @inlinable
  public subscript(id id: Element.ID) -> Element? {
    entry(of: HashedKey(id))?.value
  }

  /// Returns whether an element has this id.
  @inlinable
  public func contains(id: Element.ID) -> Bool {
    label(of: HashedKey(id)) != nil
  }

  /// Returns the index of the element with an id; nil if there is none.
  @inlinable
  public func index(of id: Element.ID) -> Int? {
    label(of: HashedKey(id)).map(order.rank)
  }

  /// Returns the element at an index; nil if the index is out of range.
  @inlinable
  public func element(at index: Int) -> Element? {
    order.entry(at: index)?.value
  }

  /// The ids in order.
  @inlinable public var ids: some RandomAccessCollection<Element.ID> {
    lazy.map { $0.id }
  }

  /// Returns whether this is another version of `base` in which elements were edited, but none was added, removed or
  /// moved.
  ///
  /// If so, both have the same ids in the same order, and ``StateModel/settle(from:)`` can skip the lookup of an
  /// unchanged reference. False for the same version, because an imported state is settled with itself as the base. Can
  /// be false although the ids are the same, such as after an insertion that was undone.
  ///
  /// - Complexity: O(1).
  @inlinable
  public func isEditedVersion(of base: Self) -> Bool {
    index.stamp == base.index.stamp && !isIdentical(to: base)
  }

  /// Returns whether both are the same version. True implies equal elements; false implies nothing.
  ///
  /// - Complexity: O(1).
  @inlinable
  package func isIdentical(to other: Self) -> Bool {
    order.root === other.order.root
  }

  /// Returns the digest of the elements in order. It is independent of the tree's structure and cached in the tree's
  /// nodes.
  ///
  /// - Parameter element: returns the digest of one element.
  /// - Complexity: O(log n) calls of `element` after one change, O(n) the first time.
  @inlinable
  package func digest(_ key: DigestKey, _ element: (Element) -> Digest) -> SequenceDigest {
    order.root.digest(key, element)
  }
}
