import BinderyDigest

extension StateModel {
  /// Lets the model settle a draft.
  ///
  /// - Returns: true if the model certainly left the draft unchanged; false if it may have changed it.
  /// - Throws: ``InvalidState`` if the model rejects the draft.
  @usableFromInline
  package mutating func settleDraft(from base: Self) throws(InvalidState) -> Bool {
    var rejection: InvalidState?
    let isUnchanged = leavesBitsUnchanged(&self) { draft in
      do throws(InvalidState) { try draft.settle(from: base) } catch { rejection = error }
    }
    if let rejection { throw rejection }
    return isUnchanged
  }
}
