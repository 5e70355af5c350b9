/// What leads from one version to another, step by step.
@usableFromInline
package struct Changes<Element: Identifiable & Sendable>: Sendable where Element.ID: Key {
  /// One operation; an index is that of the sequence at that step, as in JSON Patch (RFC 6902 §4).
  @usableFromInline
  package enum Step: Sendable {
    case remove(id: Element.ID)
    case insert(Element, at: Int)
    /// The index is where the element stands afterwards.
    case move(id: Element.ID, to: Int)
    /// The element with the same id becomes this one.
    case replace(Element)
  }

  /// In the order in which they apply: removals, then insertions and moves by rising index, then replacements.
  @usableFromInline package var steps: [Step]

  @inlinable
  package init(steps: [Step]) {
    self.steps = steps
  }

  @inlinable package var isEmpty: Bool { steps.isEmpty }
}
