/// The algorithm that finds the steps from one version to another.
///
/// Elements that have the same label in both versions are in the same relative order. The others are usually few: the
/// removed ones, the inserted ones, and those in both lists, which may have moved. As many of the latter as possible
/// are treated as unmoved.
@usableFromInline
struct VersionDifference<Element: Identifiable & Sendable> where Element.ID: PathKey {
  /// An element whose label exists in one version only.
  @usableFromInline
  struct UnmatchedElement {
    @usableFromInline let element: Element
    /// The index in its version.
    @usableFromInline let index: Int
    /// The number of unmoved elements before it in its version.
    @usableFromInline var anchor: Int
    /// The position of the element with the same id in the list of the other version.
    @usableFromInline var partner: Int?
    /// Whether the element is in both lists and does not move.
    @usableFromInline var isUnmoved = false

    @inlinable
    init(_ entry: LabelTree<Element>.Entry, in version: Identified<Element>, after n: Int) {
      element = entry.value
      index = version.order.rank(of: entry.label)
      anchor = index - n
    }
  }

  /// The elements whose label exists in the old version only, in ascending order of index.
  @usableFromInline var removed: [UnmatchedElement] = []
  /// The elements whose label exists in the new version only, in ascending order of index.
  @usableFromInline var inserted: [UnmatchedElement] = []
  @usableFromInline var replaced: [Element] = []

  @inlinable
  init(from old: Identified<Element>, to new: Identified<Element>, same: (Element, Element) -> Bool) {
    // Fast path: edits in place preserve the structure of the tree.
    if let replacements = new.replacements(since: old) {
      for (before, after) in replacements where !same(before, after) { replaced.append(after) }
      return
    }
    var removedLabels: [UInt64] = []
    var comparison = TreeComparison(old.order, new.order)
    while true {
      comparison.advance()
      let (a, b) = (comparison.old.entry, comparison.new.entry)
      if let a, let b, a.label == b.label, a.stamp == b.stamp || Element.ID._areSame(a.value.id, b.value.id) {
        if a.stamp != b.stamp, !same(a.value, b.value) { replaced.append(b.value) }
        comparison.old.offset += 1
        comparison.new.offset += 1
      } else if let a, a.label <= b?.label ?? .max {
        removed.append(UnmatchedElement(a, in: old, after: removed.count))
        removedLabels.append(a.label)
        comparison.old.offset += 1
      } else if let b {
        inserted.append(UnmatchedElement(b, in: new, after: inserted.count))
        comparison.new.offset += 1
      } else {
        break
      }
    }
    pair(removedLabels, old, same)
    keepLongestRun()
  }

  /// Links the elements that are in both lists.
  @inlinable
  mutating func pair(_ labels: [UInt64], _ old: Identified<Element>, _ same: (Element, Element) -> Bool) {
    for i in inserted.indices {
      guard let label = old.label(of: HashedKey(inserted[i].element.id)) else { continue }
      let partner = labels.partitioningIndex { $0 >= label }
      inserted[i].partner = partner
      removed[partner].partner = i
      if !same(removed[partner].element, inserted[i].element) { replaced.append(inserted[i].element) }
    }
  }

  /// Treats the longest run of pairs in the same relative order as unmoved, and updates the anchors.
  @inlinable
  mutating func keepLongestRun() {
    let pairs = inserted.indices.filter { i in
      inserted[i].partner.map { removed[$0].anchor == inserted[i].anchor } ?? false
    }
    for i in longestIncreasing(pairs.map { inserted[$0].partner ?? 0 }).map({ pairs[$0] }) {
      inserted[i].isUnmoved = true
      if let partner = inserted[i].partner { removed[partner].isUnmoved = true }
    }
    Self.addUnmovedToAnchors(&removed)
    Self.addUnmovedToAnchors(&inserted)
  }

  /// Adds to each anchor the number of unmoved elements before it in the list.
  @inlinable
  static func addUnmovedToAnchors(_ elements: inout [UnmatchedElement]) {
    var unmovedCount = 0
    for i in elements.indices {
      elements[i].anchor += unmovedCount
      if elements[i].isUnmoved { unmovedCount += 1 }
    }
  }

  /// Returns the steps: first all removals, then insertions and moves by ascending index, then replacements.
  ///
  /// An element that has not been moved yet still occupies its old position, so each index after it is greater by one.
  @inlinable
  func steps() -> [Identified<Element>.Step] {
    var steps: [Identified<Element>.Step] = removed.filter { $0.partner == nil }.map { .remove(id: $0.element.id) }
    // The number of elements before the current position that are still to be moved.
    var waiting = 0
    // The number of elements of `removed` before the current position.
    var passed = 0
    var isPlaced = Array(repeating: false, count: removed.count)
    func moves(_ i: Int) -> Bool { removed[i].partner != nil && !removed[i].isUnmoved }
    for item in inserted where !item.isUnmoved {
      while passed < removed.count, removed[passed].anchor < item.anchor {
        if moves(passed), !isPlaced[passed] { waiting += 1 }
        passed += 1
      }
      if let partner = item.partner {
        if partner < passed { waiting -= 1 }
        isPlaced[partner] = true
        steps.append(.move(id: item.element.id, to: item.index + waiting))
      } else {
        steps.append(.insert(item.element, at: item.index + waiting))
      }
    }
    return steps + replaced.map { .replace($0) }
  }
}

/// Returns the indices of a longest increasing subsequence.
///
/// - Complexity: O(n log n).
@inlinable
func longestIncreasing(_ values: [Int]) -> [Int] {
  // `ends[n]` is the index of the smallest value at which an increasing subsequence of length n + 1 ends.
  var ends: [Int] = []
  var previous: [Int?] = []
  for (i, value) in values.enumerated() {
    let length = ends.partitioningIndex { values[$0] >= value }
    previous.append(length > 0 ? ends[length - 1] : nil)
    if length < ends.count { ends[length] = i } else { ends.append(i) }
  }
  guard let last = ends.last else { return [] }
  return sequence(first: last) { previous[$0] }.reversed()
}

extension Array {
  /// Returns the index of the first element that matches the predicate, by binary search.
  ///
  /// - Parameter isInSecondPart: must be false for all elements before some index and true for all others.
  @inlinable
  func partitioningIndex(where isInSecondPart: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isInSecondPart(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
