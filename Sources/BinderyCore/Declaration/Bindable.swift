/// A type whose parts have addresses.
///
/// It declares its members or cases once, in ``shape``. Paths, JSON, schema, validation and typed bindings are derived
/// from that declaration.
public protocol Bindable: Sendable {
  /// The members or cases of the type.
  ///
  /// Declare it as a `static let`, so that it is built once. A type may not contain itself, because its shape would be
  /// infinite.
  static var shape: Shape<Self> { get }
}

/// The root type of a store's state.
public protocol Model: Bindable {
  /// Adjusts and checks the finished draft of a commit, before it is stored or published.
  ///
  /// It runs once per commit, under the store's lock. Examine only the parts that differ from `base`: the duration of
  /// this method limits the rate of commits.
  ///
  /// - Parameter base: The state before the commit.
  /// - Throws: ``InvalidState`` to reject the whole commit.
  mutating func settle(from base: Self) throws(InvalidState)
}

extension Model {
  public mutating func settle(from base: Self) throws(InvalidState) {}
}

/// An error that a model throws for a draft that fits its types but breaks one of its rules.
public struct InvalidState: Error, Hashable, Sendable {
  /// The human-readable reason.
  public let message: String
  /// The offending place, as a JSON Pointer (RFC 6901) from the root of the state.
  public let pointer: String

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - message: The human-readable reason.
  ///   - pointer: The offending place, as a JSON Pointer (RFC 6901) from the root of the state.
  public init(_ message: String, at pointer: String) {
    self.message = message
    self.pointer = pointer
  }
}
