/// Why an edit was not carried out.
@usableFromInline
package enum EditError: Error, Hashable, Sendable {
  /// The place, or something on the way to it, is not there.
  case absent(Absence)
  /// What was sent does not fit.
  case invalid(ValidationError)
  /// The missing steps cannot be made from what was sent.
  case cannotCreate(depth: Int)

  @usableFromInline
  func under(_ segment: String) -> EditError {
    if case .invalid(let invalid) = self { .invalid(invalid.under(segment)) } else { self }
  }
}

extension EditError {
  /// Runs what reports by ``ValidationError`` where a ``EditError`` is thrown.
  @inlinable
  static func invalidating<R>(_ body: () throws(ValidationError) -> R) throws(EditError) -> R {
    do { return try body() } catch { throw .invalid(error) }
  }
}
