extension Identified {
  /// One step from one version to another. An index counts the elements after the preceding
  /// steps, as in JSON Patch (RFC 6902 §4).
  @usableFromInline
  package enum Step: Sendable {
    case remove(id: Element.ID)
    case insert(Element, at: Int)
    /// Moves an element; `to` is its index afterwards.
    case move(id: Element.ID, to: Int)
    /// Replaces the element that has the same id.
    case replace(Element)
  }

  /// Returns whether both collections contain the same elements in the same order.
  ///
  /// - Parameter same: compares two elements with the same id; not called for elements that both versions share.
  /// - Complexity: O(changes · log n) between versions of one collection, O(n) otherwise.
  @inlinable
  package func isSame(as other: Self, _ same: (Element, Element) -> Bool) -> Bool {
    order.isSame(as: other.order) { Element.ID._areSame($0.id, $1.id) && same($0, $1) }
  }

  /// Returns the steps from `old` to this version, in the order to apply them: removals, then insertions and moves by
  /// ascending index, then replacements.
  ///
  /// - Parameter same: compares two elements with the same id; not called for elements that both versions share.
  /// - Complexity: O(changes · log n) between versions of one collection, O(n log n) otherwise.
  @inlinable
  package func changes(since old: Self, same: (Element, Element) -> Bool) -> [Step] {
    VersionDifference(from: old, to: self, same: same).steps()
  }

  /// Returns the elements that were edited in place since `old`, with their previous values.
  ///
  /// - Returns: nil if elements were added, removed or moved, or if `old` is not an earlier version.
  /// - Complexity: O(changes · log n).
  @inlinable
  package func replacements(since old: Self) -> [(old: Element, new: Element)]? {
    var replacements: [(old: Element, new: Element)] = []
    let isComplete = order.root.appendReplacements(since: old.order.root, to: &replacements) {
      Element.ID._areSame($0.id, $1.id)
    }
    return isComplete ? replacements : nil
  }
}

extension Identified where Element: Editable {
  /// Returns the elements that are new or different since an earlier version, in no particular order.
  ///
  /// A model examines them in ``StateModel/settle(from:)``:
  ///
  ///     for device in devices.elements(changedSince: base.devices) where device.battery < 0 {
  ///       throw InvalidState("the battery is empty", at: Fleet.places.devices[id: device.id].battery.path)
  ///     }
  ///
  /// - Complexity: O(changes · log n) between versions of one collection, O(n log n) otherwise.
  @inlinable
  public func elements(changedSince old: Self) -> [Element] {
    changes(since: old) { Element.shape.areSame($0, $1) }.compactMap { step in
      switch step {
      case .insert(let element, _), .replace(let element): element
      case .move, .remove: nil
      }
    }
  }
}

extension Node {
  /// Appends the values that were edited in place.
  ///
  /// - Returns: false if values were added, removed or moved.
  @inlinable
  func appendReplacements(
    since old: Node, to replacements: inout [(old: Value, new: Value)], _ isSameID: (Value, Value) -> Bool
  ) -> Bool {
    if self === old { return true }
    guard level == old.level, width == old.width else { return false }
    for i in children.indices where children[i] !== old.children[i] {
      guard children[i].appendReplacements(since: old.children[i], to: &replacements, isSameID)
      else { return false }
    }
    for i in values.indices where numbers[i] != old.numbers[i] {
      guard labels[i] == old.labels[i], isSameID(values[i], old.values[i]) else { return false }
      replacements.append((old.values[i], values[i]))
    }
    return true
  }
}
