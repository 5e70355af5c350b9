extension Identified: RandomAccessCollection {
  @inlinable public var startIndex: Int { 0 }
  @inlinable public var endIndex: Int { order.count }

  /// The element at an index, which must be in range: where that is not known, ask `element(at:)`.
  @inlinable public subscript(index: Int) -> Element {
    precondition(index >= 0 && index < count, "Index out of range")
    let (leaf, offset) = order.root.place(at: index)
    return leaf.entries[offset].value
  }

  /// Walks the leaves: a descent for each of them, and none for what is in it.
  public struct Iterator: IteratorProtocol {
    @usableFromInline let order: LabelTree<Element>
    @usableFromInline var leaf: [LabelTree<Element>.Entry] = []
    @usableFromInline var offset = 0
    @usableFromInline var reached = 0

    @inlinable
    init(_ order: LabelTree<Element>, from index: Int = 0) {
      self.order = order
      guard index > 0 else { return }
      reached = index
      guard index < order.count else { return }
      let place = order.root.place(at: index)
      leaf = place.leaf.entries
      offset = place.offset
      reached += leaf.count - offset
    }

    @inlinable
    public mutating func next() -> Element? {
      if offset == leaf.count {
        guard reached < order.count else { return nil }
        leaf = order.root.place(at: reached).leaf.entries
        reached += leaf.count
        offset = 0
      }
      defer { offset += 1 }
      return leaf[offset].value
    }
  }

  @inlinable
  public func makeIterator() -> Iterator {
    Iterator(order)
  }

  /// The elements from an index on, walked like the whole.
  @inlinable
  package func elements(from index: Int) -> IteratorSequence<Iterator> {
    IteratorSequence(Iterator(order, from: index))
  }
}

extension Identified: ExpressibleByArrayLiteral {
  /// The elements in their order without those whose id stands earlier.
  @inlinable
  public init(arrayLiteral elements: Element...) {
    self.init(uniquing: elements)
  }
}

extension Identified: Equatable where Element: Equatable {
  /// Whether both hold equal elements in the same order; what they share is not looked at.
  @inlinable
  public static func == (a: Self, b: Self) -> Bool {
    a.isSame(as: b, ==)
  }
}
