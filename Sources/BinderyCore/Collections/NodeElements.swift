/// The values or the children of a node, in three groups. Replacing an element copies and retains only its group; the
/// others are shared.
///
/// The values have no objects of their own: a write would copy fewer bytes, but retain its neighbors, each in another
/// cache line of the processor.
@usableFromInline
struct NodeElements<Element: Sendable>: RandomAccessCollection, Sendable {
  @usableFromInline let first: [Element]
  @usableFromInline let second: [Element]
  @usableFromInline let third: [Element]

  @inlinable
  init(first: [Element] = [], second: [Element] = [], third: [Element] = []) {
    (self.first, self.second, self.third) = (first, second, third)
  }

  /// Creates the elements that a function returns, called once for each offset, in order.
  ///
  /// - Parameter count: not more than the capacity of a node.
  @inlinable
  init(count: Int, _ element: (Int) -> Element) {
    let n = Self.groupSize
    let (firstEnd, secondEnd) = (Swift.min(n, count), Swift.min(2 * n, count))
    self.init(
      first: Self.array(0..<firstEnd, element), second: Self.array(firstEnd..<secondEnd, element),
      third: Self.array(secondEnd..<count, element))
  }

  /// Not inlined, because that would make the program larger.
  @inlinable @inline(never)
  static func array(_ range: Range<Int>, _ element: (Int) -> Element) -> [Element] { range.map(element) }

  /// The number of elements in the first and in the second group, unless there are fewer in total.
  @inlinable static var groupSize: Int { NodeNumbers.count / groupCount }
  @inlinable static var groupCount: Int { 3 }

  @inlinable var startIndex: Int { 0 }
  @inlinable var endIndex: Int { first.count + second.count + third.count }

  @inlinable
  subscript(i: Int) -> Element {
    let n = Self.groupSize
    return i < n ? first[i] : i < 2 * n ? second[i - n] : third[i - 2 * n]
  }

  /// The elements of a group: 0, 1 or 2.
  @inlinable
  func group(_ number: Int) -> [Element] { number == 0 ? first : number == 1 ? second : third }

  /// Returns the elements with one of them edited.
  @inlinable
  func editing<E: Error>(_ i: Int, _ body: (inout Element) throws(E) -> Void) throws(E) -> Self {
    let n = Self.groupSize
    if i < n { return Self(first: try first.editing(i, body), second: second, third: third) }
    if i < 2 * n { return Self(first: first, second: try second.editing(i - n, body), third: third) }
    return Self(first: first, second: second, third: try third.editing(i - 2 * n, body))
  }

  /// Returns the elements with another one at an offset.
  @inlinable
  func replacing(_ i: Int, with element: consuming Element) -> Self {
    let n = Self.groupSize
    if i < n { return Self(first: first.replacing(i, with: element), second: second, third: third) }
    if i < 2 * n { return Self(first: first, second: second.replacing(i - n, with: element), third: third) }
    return Self(first: first, second: second, third: third.replacing(i - 2 * n, with: element))
  }
}

extension Array {
  /// Returns a copy with the element at an index edited.
  @inlinable
  func editing<E: Error>(_ index: Int, _ body: (inout Element) throws(E) -> Void) throws(E) -> [Element] {
    var copy = self
    try body(&copy[index])
    return copy
  }

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
