/// Finds the steps from one version to another.
///
/// An element that has kept its label has kept its place among those that have. The others are few: those that came,
/// those that went, and those that did both, of which as many as possible are taken as unmoved.
@usableFromInline
struct VersionDifference<Element: Identifiable & Sendable> where Element.ID: Key {
  /// An element whose label is in one version only.
  @usableFromInline
  struct Loose {
    @usableFromInline let element: Element
    /// The position in its version.
    @usableFromInline let index: Int
    /// How many elements that do not move stand before it in its version.
    @usableFromInline var anchor: Int
    /// Where the other version's list has the same id.
    @usableFromInline var partner: Int?
    /// Whether it is in both versions and does not move either.
    @usableFromInline var isKept = false

    @inlinable
    init(_ entry: LabelTree<Element>.Entry, in version: Identified<Element>, after n: Int) {
      element = entry.value
      index = version.order.rank(of: entry.label)
      anchor = index - n
    }
  }

  @usableFromInline var gone: [Loose] = []
  @usableFromInline var come: [Loose] = []
  @usableFromInline var replaced: [Element] = []

  @inlinable
  init(from old: Identified<Element>, to new: Identified<Element>, same: (Element, Element) -> Bool) {
    // An edit in place leaves the tree as it is cut, and needs no walk that keeps in step.
    if let replacements = new.replacements(since: old) {
      for (before, one) in replacements where !same(before, one) { replaced.append(one) }
      return
    }
    var goneLabels: [UInt64] = []
    var walk = Comparison(old.order, new.order)
    while true {
      walk.advance()
      let (a, b) = (walk.old.entry, walk.new.entry)
      if let a, let b, a.label == b.label, a.stamp == b.stamp || Element.ID.areSame(a.value.id, b.value.id) {
        if a.stamp != b.stamp, !same(a.value, b.value) { replaced.append(b.value) }
        walk.old.offset += 1
        walk.new.offset += 1
      } else if let a, a.label <= b?.label ?? .max {
        gone.append(Loose(a, in: old, after: gone.count))
        goneLabels.append(a.label)
        walk.old.offset += 1
      } else if let b {
        come.append(Loose(b, in: new, after: come.count))
        walk.new.offset += 1
      } else {
        break
      }
    }
    pair(goneLabels, old, same)
    keepMost()
  }

  /// Finds those that are in both lists.
  @inlinable
  mutating func pair(_ labels: [UInt64], _ old: Identified<Element>, _ same: (Element, Element) -> Bool) {
    for i in come.indices {
      guard let place = old.find(come[i].element.id) else { continue }
      let partner = labels.start { $0 >= place.label }
      come[i].partner = partner
      gone[partner].partner = i
      if !same(gone[partner].element, come[i].element) { replaced.append(come[i].element) }
    }
  }

  /// Takes the longest run of pairs in the same order as unmoved, and counts them among the anchors.
  @inlinable
  mutating func keepMost() {
    let pairs = come.indices.filter { i in
      come[i].partner.map { gone[$0].anchor == come[i].anchor } ?? false
    }
    for i in longestIncreasing(pairs.map { come[$0].partner ?? 0 }).map({ pairs[$0] }) {
      come[i].isKept = true
      if let partner = come[i].partner { gone[partner].isKept = true }
    }
    Self.countKept(among: &gone)
    Self.countKept(among: &come)
  }

  @inlinable
  static func countKept(among loose: inout [Loose]) {
    var kept = 0
    for i in loose.indices {
      loose[i].anchor += kept
      if loose[i].isKept { kept += 1 }
    }
  }

  /// The steps: what was removed goes first; then each place is filled from the front. An element that has yet to move
  /// still stands where it was, so the places behind it are counted one further.
  @inlinable
  func steps() -> [Changes<Element>.Step] {
    var steps: [Changes<Element>.Step] = gone.filter { $0.partner == nil }.map { .remove(id: $0.element.id) }
    var waiting = 0
    var passed = 0
    var placed = Array(repeating: false, count: gone.count)
    func moves(_ i: Int) -> Bool { gone[i].partner != nil && !gone[i].isKept }
    for item in come where !item.isKept {
      while passed < gone.count, gone[passed].anchor < item.anchor {
        if moves(passed), !placed[passed] { waiting += 1 }
        passed += 1
      }
      if let partner = item.partner {
        if partner < passed { waiting -= 1 }
        placed[partner] = true
        steps.append(.move(id: item.element.id, to: item.index + waiting))
      } else {
        steps.append(.insert(item.element, at: item.index + waiting))
      }
    }
    return steps + replaced.map { .replace($0) }
  }
}

/// The positions of a longest increasing subsequence.
///
/// - Complexity: O(n log n).
@inlinable
func longestIncreasing(_ values: [Int]) -> [Int] {
  /// By length less one: where the run of that length with the least last value ends.
  var ends: [Int] = []
  var previous: [Int?] = []
  for (i, value) in values.enumerated() {
    let length = ends.start { values[$0] >= value }
    previous.append(length > 0 ? ends[length - 1] : nil)
    if length < ends.count { ends[length] = i } else { ends.append(i) }
  }
  guard let last = ends.last else { return [] }
  return sequence(first: last) { previous[$0] }.reversed()
}

extension Array {
  /// The first position from which on `isBehind` holds, in an array where it holds from some position on.
  @inlinable
  func start(of isBehind: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
