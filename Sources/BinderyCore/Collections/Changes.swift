/// The steps from one version of a sequence to another.
@usableFromInline
package struct Changes<Element: Identifiable & Sendable>: Sendable where Element.ID: PathKey {
  /// One operation. An index refers to the sequence after the preceding steps, as in JSON Patch (RFC 6902 §4).
  @usableFromInline
  package enum Step: Sendable {
    case remove(id: Element.ID)
    case insert(Element, at: Int)
    /// Moves an element; `to` is its index afterwards.
    case move(id: Element.ID, to: Int)
    /// Replaces the element that has the same id.
    case replace(Element)
  }

  /// The steps in the order to apply them: removals, then insertions and moves by ascending index, then replacements.
  @usableFromInline package var steps: [Step]

  @inlinable
  package init(steps: [Step]) {
    self.steps = steps
  }

  @inlinable package var isEmpty: Bool { steps.isEmpty }
}
