/// The options and the state of decoding a value from JSON.
@usableFromInline
package struct Decoding {
  /// The treatment of missing and unknown members.
  @usableFromInline
  package enum Strictness {
    /// Requires every stored member, so that a replacement cannot reset a member by omission.
    case complete
    /// Gives missing members their defaults, because a new value is created.
    case creating
    /// Requires every member, computed ones included, for comparisons.
    case exact
    /// Reads the storage format, which another version of the model may have written: unknown members are ignored,
    /// missing members take their defaults, and constraints are not checked.
    case stored
  }

  @usableFromInline package var strictness: Strictness
  /// True if `stored` must reject members that the types do not store, instead of ignoring them.
  @usableFromInline var isExact = false
  /// The id from the address, for the next element that is created.
  @usableFromInline var impliedKey: AnyKey?
  /// The least successful outcome of the setters of computed members so far.
  @usableFromInline var outcome: WriteOutcome = .applied

  /// Creates the state for decoding one value.
  @inlinable
  package init(_ strictness: Strictness) { self.strictness = strictness }

  /// Returns the implied id and clears it, because it is valid for one value only.
  @inlinable
  mutating func takeImpliedKey() -> AnyKey? {
    defer { impliedKey = nil }
    return impliedKey
  }
}
