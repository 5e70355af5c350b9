/// The reason why an edit failed.
@usableFromInline
package enum EditError: Error, Hashable, Sendable {
  /// The place, or one of the steps to it, does not exist.
  case absent(Absence)
  /// The request's value is invalid.
  case invalid(ValidationError)
  /// The missing steps cannot be created from the request's value.
  case cannotCreate(depth: Int)

  /// The reason in words.
  var reason: String {
    switch self {
    case .absent: "the place does not exist"
    case .invalid(let error): "\(error)"
    case .cannotCreate: "the place that contains it does not exist"
    }
  }

  /// Returns the error with a segment prepended to its JSON Pointer.
  @usableFromInline
  func under(_ segment: String) -> EditError {
    if case .invalid(let invalid) = self { .invalid(invalid.under(segment)) } else { self }
  }

  /// Runs a closure that throws ``ValidationError`` and rethrows its error as ``EditError``.
  @inlinable
  static func invalidating<R: ~Copyable>(_ body: () throws(ValidationError) -> R) throws(EditError) -> R {
    do { return try body() } catch { throw .invalid(error) }
  }
}
