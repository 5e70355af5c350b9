import BinderyDigest

extension Model {
  /// Settles a draft.
  ///
  /// - Returns: whether it certainly stands as it was drafted.
  /// - Throws: ``InvalidState`` where the model refuses the draft.
  package mutating func settleDraft(from base: Self) throws(InvalidState) -> Bool {
    var refusal: InvalidState?
    let isAsDrafted = leavesUntouched(&self) { draft in
      do throws(InvalidState) { try draft.settle(from: base) } catch { refusal = error }
    }
    if let refusal { throw refusal }
    return isAsDrafted
  }
}
