/// How values are made from JSON just now.
@usableFromInline
package struct Decoding {
  @usableFromInline
  package enum Strictness {
    /// Every stored member is there: what replaces something must not reset by omission.
    case complete
    /// Missing members take their defaults: something new is made.
    case creating
    /// Every member is there, computed ones too: for comparisons.
    case exact
    /// What was kept, perhaps by another version of the model: members it does not know are passed over, missing ones
    /// take their defaults, and constraints are not asked.
    case stored
  }

  @usableFromInline package var strictness: Strictness
  /// What was kept must say nothing that the types do not store.
  @usableFromInline var isExact = false
  /// The id that the address gives to the next element made.
  @usableFromInline var impliedKey: AnyKey?
  /// Whether the setters of computed members kept what they were given.
  @usableFromInline var outcome: WriteOutcome = .kept

  @inlinable
  package init(_ strictness: Strictness) { self.strictness = strictness }

  /// Takes the implied id: it is for one value only.
  @inlinable
  mutating func takeImpliedKey() -> AnyKey? {
    defer { impliedKey = nil }
    return impliedKey
  }
}
