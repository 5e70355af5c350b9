/// A type whose places have addresses: it says once what it is made of, and that gives paths, JSON, schema,
/// validation and typed bindings.
public protocol Bindable: Sendable {
  /// What the type is made of. Declared as a `static let`, so that it is built once.
  ///
  /// A type may not contain itself: its shape would have no end.
  static var shape: Shape<Self> { get }
}

/// The root of a store's state.
public protocol Model: Bindable {
  /// Repairs and checks a finished draft, once a commit, before anything is stored or shown.
  ///
  /// Look at what changed since `base`, not at the whole root: the cost of a commit is the cost of this.
  /// - Throws: ``InvalidState`` to refuse the commit as a whole.
  mutating func settle(from base: Self) throws(InvalidState)
}

extension Model {
  public mutating func settle(from base: Self) throws(InvalidState) {}
}

/// A model's refusal of a draft that fits its types but not its rules.
public struct InvalidState: Error, Hashable, Sendable {
  /// What is wrong, for people.
  public let message: String
  /// Where, as a JSON Pointer (RFC 6901) from the root of the state.
  public let pointer: String

  public init(_ message: String, at pointer: String) {
    self.message = message
    self.pointer = pointer
  }
}
