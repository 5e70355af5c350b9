/// A property that every bindable type must satisfy.
///
/// *get*, *set* and *s* are reading, writing and the state; *a* and *b* are values of one place; *p* and *q* are paths.
public enum Law: String, Sendable, Hashable, CaseIterable {
  /// The lens laws: get(set(a, s)) = a · set(get(s), s) = s · set(b, set(a, s)) = set(b, s)
  ///
  /// The last one does not hold for a collection whose elements have hidden or read-only members: an element that stays
  /// keeps them, and one that was removed before is new. The payload of a case and the value of an optional keep them,
  /// too, so there it is checked for a *b* that has the ids and read-only members of *a* or *s*, and only if no getter
  /// may read hidden members.
  case member
  /// Merging `{"k": v}` into a place is equivalent to merging `v` into its child `k`.
  case merge
  /// The prism laws: exactly one case of an enum is active, and extract(embed(a)) = a.
  case `case`
  /// Paths compose: the empty path is the identity · b[p][q] = b[p ∘ q]
  case composition
  /// Reading or writing an absent place throws and changes nothing.
  case affine
  /// `.none` and `.some(.none)` differ, and writing nil discards the wrapped value.
  case optional
  /// A computed member depends only on the members listed in `from:`, and its setter results in an encodable value.
  case computed
  /// Values are equal if and only if their canonical JSON and their digests are equal, and the type's own `==` does not
  /// regard different values as equal.
  case equality
  /// Values round-trip through JSON: decode(encode(a)) = a
  case codec
  /// Values round-trip through the stored form, and applying the stored difference of two values yields the second one.
  case storage
}

/// A failed law check.
public struct LawViolation: Error, Sendable, Hashable {
  /// The violated law.
  public let law: Law
  /// The path of the failing place, a JSON Pointer (RFC 6901) from the root of the value.
  public let path: String
  /// A description of the failure.
  public let detail: String
  /// The values that reproduce the failure, in JSON. The first one is the root value.
  public let values: [String]
}

extension LawViolation: CustomStringConvertible {
  /// The law, the path, the detail and the values, in several lines.
  public var description: String {
    "the \(law.rawValue) law is violated at “\(path)”: \(detail)" + values.map { "\n  " + $0 }.joined()
  }
}

/// The result of checking the laws.
public struct LawReport: Sendable {
  /// The violations that were found, at most a few of each kind.
  public internal(set) var violations: [LawViolation] = []
  /// The number of checks of each law. A law without checks was not tested.
  public internal(set) var checkCounts: [Law: Int] = [:]
  /// The number of generated values.
  public internal(set) var generated = 0
  /// The number of generated values that satisfied the type's constraints and were checked.
  public internal(set) var accepted = 0
}
