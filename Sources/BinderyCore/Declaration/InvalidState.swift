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

extension InvalidState: CustomStringConvertible {
  /// The message and the pointer.
  public var description: String { message + (pointer.isEmpty ? "" : " (at \(pointer))") }
}
