extension Identified: RandomAccessCollection {
  /// Always 0.
  @inlinable public var startIndex: Int { 0 }
  /// The number of elements.
  @inlinable public var endIndex: Int { order.count }

  /// The element at an index, which must be in range. ``element(at:)`` accepts any index.
  @inlinable public subscript(index: Int) -> Element {
    precondition(index >= 0 && index < count, "Index out of range")
    let (leaf, offset) = order.root.location(at: index)
    return leaf.values[offset]
  }

  /// An iterator that descends the tree once for each leaf.
  public struct Iterator: IteratorProtocol {
    @usableFromInline let order: LabelTree<Element>
    /// The elements of the current leaf.
    @usableFromInline var leaf = NodeElements<Element>()
    /// The number of the next group of `leaf`.
    @usableFromInline var nextGroup = NodeElements<Element>.groupCount
    /// The elements of the current group.
    @usableFromInline var group: [Element] = []
    /// The offset of the next element in `group`.
    @usableFromInline var offset = 0
    /// The index of the first element after `leaf`.
    @usableFromInline var nextLeafIndex = 0

    @inlinable
    init(_ order: LabelTree<Element>, from index: Int = 0) {
      self.order = order
      guard index > 0 else { return }
      nextLeafIndex = index
      guard index < order.count else { return }
      let location = order.root.location(at: index)
      leaf = location.leaf.values
      nextLeafIndex += leaf.count - location.offset
      let number: Int
      (number, offset) = location.offset.quotientAndRemainder(dividingBy: NodeElements<Element>.groupSize)
      group = leaf.group(number)
      nextGroup = number + 1
    }

    /// Returns the next element; nil after the last one.
    ///
    /// - Complexity: O(1) on average.
    @inlinable
    public mutating func next() -> Element? {
      while offset == group.count {
        if nextGroup == NodeElements<Element>.groupCount {
          guard nextLeafIndex < order.count else { return nil }
          leaf = order.root.location(at: nextLeafIndex).leaf.values
          nextLeafIndex += leaf.count
          nextGroup = 0
        }
        group = leaf.group(nextGroup)
        nextGroup += 1
        offset = 0
      }
      defer { offset += 1 }
      return group[offset]
    }
  }

  /// Returns an iterator over the elements in order.
  @inlinable
  public func makeIterator() -> Iterator {
    Iterator(order)
  }

  /// Returns the elements from an index to the end.
  @inlinable
  package func elements(from index: Int) -> IteratorSequence<Iterator> {
    IteratorSequence(Iterator(order, from: index))
  }
}

extension Identified: ExpressibleByArrayLiteral {
  /// Creates a collection of the elements in their order, omitting each element whose id has already occurred.
  @inlinable
  public init(arrayLiteral elements: Element...) {
    self.init(uniquing: elements)
  }
}

extension Identified: Equatable where Element: Equatable {
  /// Returns whether both collections contain equal elements in the same order. Shared elements are not compared.
  @inlinable
  public static func == (a: Self, b: Self) -> Bool {
    a.isSame(as: b, ==)
  }
}

extension Identified: CustomStringConvertible, CustomReflectable {
  /// The elements, as an array prints them.
  public var description: String { Array(self).description }

  /// The elements, as an array reflects them.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: self, displayStyle: .collection) }
}
