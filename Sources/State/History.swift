/// What a journal can tell of the revisions that it keeps.
package protocol History: Sendable {
  /// Reads revisions in their order, off the caller's thread.
  ///
  /// - Parameters:
  ///   - revision: those after it; nil for those from the oldest on.
  ///   - limit: at most so many, and fewer where they fill a page before.
  ///   - answer: called once, on the journal's thread.
  func revisions(
    after revision: Int?, limit: Int, _ answer: @escaping @Sendable (Result<HistoryPage, JournalFailure>) -> Void)
}

/// Some of the revisions that are kept.
package struct HistoryPage: Sendable {
  /// How many bytes of patches make a page that no more are put into: whoever asks for the next waits for no more.
  package static let fullBytes = 1024 * 1024

  package let revisions: [Revision]
  /// The first revision that is kept; one more than the last where none is.
  package let oldest: Int

  package init(revisions: [Revision], oldest: Int) {
    self.revisions = revisions
    self.oldest = oldest
  }
}

/// What a commit has changed, as a journal keeps it: patches in canonical JSON.
package struct Revision: Sendable, Equatable {
  package let number: Int
  /// Milliseconds since 1970 in UTC.
  package let at: Int64
  /// What leads here from the revision before, in the stored scope.
  package let patch: [UInt8]
  /// What leads back, in the stored scope.
  package let undo: [UInt8]
  /// The same two as people see them (RFC 6902); nil where they differ in no more than how positions are spelled.
  package let shown: Shown?

  package struct Shown: Sendable, Equatable {
    package let patch: [UInt8]
    package let undo: [UInt8]

    package init(patch: [UInt8], undo: [UInt8]) {
      self.patch = patch
      self.undo = undo
    }
  }

  /// How many bytes its patches have.
  package var byteCount: Int {
    patch.count + undo.count + (shown.map { $0.patch.count + $0.undo.count } ?? 0)
  }

  package init(number: Int, at: Int64, patch: [UInt8], undo: [UInt8], shown: Shown?) {
    self.number = number
    self.at = at
    self.patch = patch
    self.undo = undo
    self.shown = shown
  }
}
