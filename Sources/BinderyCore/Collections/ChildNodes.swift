/// The children of a node, in three groups. Replacing a child copies and retains only its group; the others are shared.
@usableFromInline
struct ChildNodes<Value: Sendable>: RandomAccessCollection, Sendable {
  @usableFromInline typealias Element = Node<Value>

  @usableFromInline let first: [Element]
  @usableFromInline let second: [Element]
  @usableFromInline let third: [Element]

  @inlinable
  init(first: [Element] = [], second: [Element] = [], third: [Element] = []) {
    (self.first, self.second, self.third) = (first, second, third)
  }

  /// - Parameter nodes: not more than the capacity of a node.
  @inlinable
  init(_ nodes: some RandomAccessCollection<Element>) {
    let (n, rest) = (Self.groupSize, nodes.dropFirst(Self.groupSize))
    self.init(first: Array(nodes.prefix(n)), second: Array(rest.prefix(n)), third: Array(rest.dropFirst(n)))
  }

  /// The number of children in the first and in the second group, unless there are fewer in total.
  @inlinable static var groupSize: Int { NodeNumbers.count / 3 }

  @inlinable var startIndex: Int { 0 }
  @inlinable var endIndex: Int { first.count + second.count + third.count }

  @inlinable
  subscript(i: Int) -> Element {
    let n = Self.groupSize
    return i < n ? first[i] : i < 2 * n ? second[i - n] : third[i - 2 * n]
  }

  /// Returns the children with another one at an offset.
  @inlinable
  func replacing(_ i: Int, with node: consuming Element) -> Self {
    let n = Self.groupSize
    if i < n { return Self(first: first.replacing(i, with: node), second: second, third: third) }
    if i < 2 * n { return Self(first: first, second: second.replacing(i - n, with: node), third: third) }
    return Self(first: first, second: second, third: third.replacing(i - 2 * n, with: node))
  }
}

extension Array {
  /// Returns a copy with another element at an index. Copies element by element, which for references takes fewer steps
  /// than the function of the runtime that copies arrays of any type.
  @inlinable
  func replacing(_ index: Int, with element: consuming Element) -> [Element] {
    // A closure cannot consume what it captures, but it can move a value out of an optional.
    var new: Element? = element
    return Array(capacity: count) { copy in
      for i in indices {
        if i == index, let element = new.take() { copy.append(element) } else { copy.append(self[i]) }
      }
    }
  }
}
