/// What must be true of every type whose places have addresses.
public enum Law: String, Sendable, Hashable, CaseIterable {
  /// get(set(a, s)) = a · set(get(s), s) = s · set(b, set(a, s)) = set(b, s)
  case member
  /// Writing `{"k": v}` to a place is writing `v` to the place `k` below it.
  case merge
  /// Of all the cases of an enum exactly one is there, and what was embedded in it is extracted.
  case `case`
  /// The identity changes nothing · b[p][q] = b[p ∘ q]
  case composition
  /// Where a place is absent, reading and writing throw, and nothing changes.
  case affine
  /// `.none` ≠ `.some(.none)`, and what was in an optional is gone when it is nil.
  case optional
  /// A computed member depends on nothing but what it is declared `from:`, and its setter takes anything.
  case computed
  /// Same ⇔ equal canonical JSON ⇔ equal digests; and the type's own `==` hides no change.
  case equality
  /// decode(encode(a)) = a
  case codec
  /// What a journal keeps of a value gives it back, and so does what it keeps of the way from one value to another.
  case keeping
}

/// Where a law does not hold.
public struct LawViolation: Error, Sendable, Hashable {
  public let law: Law
  /// The place, as a JSON Pointer (RFC 6901) from the root of the value.
  public let path: String
  /// What is wrong there.
  public let detail: String
  /// The values that show it, in JSON: the root first.
  public let values: [String]
}

extension LawViolation: CustomStringConvertible {
  public var description: String {
    "the \(law.rawValue) law at “\(path)”: \(detail)" + values.map { "\n  " + $0 }.joined()
  }
}

/// What the laws came to.
public struct LawReport: Sendable {
  public internal(set) var violations: [LawViolation] = []
  /// How often each law was put to the test: a law that never was is not shown to hold.
  public internal(set) var trials: [Law: Int] = [:]
  /// How many values were made from the type's description, and how many of them its constraints let pass.
  public internal(set) var generated = 0
  public internal(set) var accepted = 0
}
