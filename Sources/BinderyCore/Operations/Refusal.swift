/// Why an edit was not carried out.
@usableFromInline
package enum Refusal: Error, Hashable, Sendable {
  /// The place, or something on the way to it, is not there.
  case absent(Absence)
  /// What was sent does not fit.
  case invalid(Invalid)
  /// The missing steps cannot be made from what was sent.
  case cannotCreate(depth: Int)

  @usableFromInline
  func under(_ segment: String) -> Refusal {
    if case .invalid(let invalid) = self { .invalid(invalid.under(segment)) } else { self }
  }
}

extension Refusal {
  /// Runs what reports by ``Invalid`` where a ``Refusal`` is thrown.
  @inlinable
  static func invalidating<R>(_ body: () throws(Invalid) -> R) throws(Refusal) -> R {
    do { return try body() } catch { throw .invalid(error) }
  }
}
