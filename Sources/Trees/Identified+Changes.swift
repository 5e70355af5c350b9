extension Identified {
  /// Whether both hold the same elements in the same order by `same`, which is not asked about what both share.
  ///
  /// - Complexity: O(changes · log n) between versions, O(n) otherwise.
  @inlinable
  package func isSame(as other: Self, _ same: (Element, Element) -> Bool) -> Bool {
    order.isSame(as: other.order) { Element.ID.areSame($0.id, $1.id) && same($0, $1) }
  }

  /// What leads from `old` to this version; elements with the same id are compared by `same`.
  ///
  /// - Complexity: O(changes · log n) between versions, O(n log n) otherwise.
  @inlinable
  package func changes(since old: Self, same: (Element, Element) -> Bool) -> Changes<Element> {
    Changes(steps: VersionDifference(from: old, to: self, same: same).steps())
  }
}
