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

/// What a commit has changed, as a journal keeps it: patches in canonical JSON, or what they are made of.
package struct Revision: Sendable, Equatable {
  /// What the patches are made of.
  package enum Content: Sendable, Equatable {
    /// One scalar became another, which is what most writes do: both patches follow from it.
    case scalar(ScalarChange)
    /// Patches of the stored scope, to the version and back; and the same two as people see them (RFC 6902), nil where
    /// they differ in no more than how positions are spelled.
    case patches(patch: [UInt8], undo: [UInt8], shown: Shown?)
  }

  package struct Shown: Sendable, Equatable {
    package let patch: [UInt8]
    package let undo: [UInt8]

    package init(patch: [UInt8], undo: [UInt8]) {
      self.patch = patch
      self.undo = undo
    }
  }

  package let number: Int
  /// Milliseconds since 1970 in UTC.
  package let at: Int64
  package let content: Content

  package init(number: Int, at: Int64, _ content: Content) {
    self.number = number
    self.at = at
    self.content = content
  }

  package init(number: Int, at: Int64, patch: [UInt8], undo: [UInt8], shown: Shown?) {
    self.init(number: number, at: at, .patches(patch: patch, undo: undo, shown: shown))
  }

  /// What leads here from the revision before, in the stored scope; of a scalar made anew each time.
  package var patch: [UInt8] {
    switch content {
    case .scalar(let change): PatchBuilder.replacing(at: change.path, by: change.after)
    case .patches(let patch, _, _): patch
    }
  }

  /// What leads back, in the stored scope; of a scalar made anew each time.
  package var undo: [UInt8] {
    switch content {
    case .scalar(let change): PatchBuilder.replacing(at: change.path, by: change.before)
    case .patches(_, let undo, _): undo
    }
  }

  /// The same two as people see them; nil where they are as good as the same.
  package var shown: Shown? {
    switch content {
    case .scalar: nil
    case .patches(_, _, let shown): shown
    }
  }

  /// How many bytes ``patch`` has.
  package var patchByteCount: Int {
    switch content {
    case .scalar(let change): PatchBuilder.byteCountOfReplacing(at: change.path, by: change.after)
    case .patches(let patch, _, _): patch.count
    }
  }

  /// How many bytes all of its patches have.
  package var byteCount: Int {
    switch content {
    case .scalar(let change): patchByteCount + PatchBuilder.byteCountOfReplacing(at: change.path, by: change.before)
    case .patches(let patch, let undo, let shown):
      patch.count + undo.count + (shown.map { $0.patch.count + $0.undo.count } ?? 0)
    }
  }
}

/// A scalar that a commit has changed, and nothing else.
package struct ScalarChange: Sendable, Equatable {
  package let path: [UInt8]
  package let before: [UInt8]
  package let after: [UInt8]

  /// - Parameters:
  ///   - path: ``Route/storedPath(from:)``.
  ///   - before: in canonical JSON, as `after` is.
  package init(at path: [UInt8], before: [UInt8], after: [UInt8]) {
    self.path = path
    self.before = before
    self.after = after
  }
}
