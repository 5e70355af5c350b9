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

  /// The elements that were written in place, each with what it was; nil where more than that has happened since, or
  /// `old` is no earlier version.
  ///
  /// - Complexity: O(changes · log n).
  @inlinable
  package func replacements(since old: Self) -> [(old: Element, new: Element)]? {
    var replacements: [(old: Element, new: Element)] = []
    let isAll = order.root.appendReplacements(since: old.order.root, to: &replacements) {
      Element.ID.areSame($0.id, $1.id)
    }
    return isAll ? replacements : nil
  }
}

extension Node {
  /// Appends the values that were written in place; false where others came, went or moved.
  @inlinable
  func appendReplacements(
    since old: Node, to replacements: inout [(old: Value, new: Value)], _ isSameID: (Value, Value) -> Bool
  ) -> Bool {
    if self === old { return true }
    guard level == old.level, width == old.width else { return false }
    for i in children.indices where children[i].node !== old.children[i].node {
      guard children[i].node.appendReplacements(since: old.children[i].node, to: &replacements, isSameID)
      else { return false }
    }
    for i in entries.indices where entries[i].stamp != old.entries[i].stamp {
      guard entries[i].label == old.entries[i].label, isSameID(entries[i].value, old.entries[i].value)
      else { return false }
      replacements.append((old.entries[i].value, entries[i].value))
    }
    return true
  }
}
