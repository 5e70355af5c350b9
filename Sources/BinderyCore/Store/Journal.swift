/// Durable storage for commits.
///
/// A journal has its own thread. The thread takes all pending drafts (``Store/takeBatch()``), writes them as one
/// transaction, and reports the result to the store (``Store/finish(_:_:)``).
package protocol Journal: AnyObject, Sendable {
  /// Wakes the journal's thread because drafts may be pending.
  ///
  /// Called on a writer's thread, so it must not block. One call may announce several drafts.
  func wake()

  /// Whether other servers can commit to the same storage. Then each decision is confirmed, and a commit is decided
  /// again if another server was faster.
  var isShared: Bool { get }
}

extension Journal {
  package var isShared: Bool { false }
}

/// Drafts in the order of their revisions, to be stored in one transaction.
package struct Batch<Root: Sendable>: Sendable {
  /// The version that the first draft was made from.
  package let base: Snapshot<Root>
  /// The drafts, each made from the previous one.
  package let drafts: [Snapshot<Root>]

  /// What each draft has changed; nil if only a comparison with its predecessor tells.
  package let changes: [Change?]
  /// The decisions to confirm; nil if there are none.
  package let confirmation: Confirmation?

  /// Creates a batch.
  package init(
    base: Snapshot<Root>, drafts: [Snapshot<Root>], changes: [Change?], confirmation: Confirmation? = nil
  ) {
    self.base = base
    self.drafts = drafts
    self.changes = changes
    self.confirmation = confirmation
  }

  /// Returns the revision that the draft at an index has made.
  ///
  /// - Parameter timestamp: the time of the commit, in milliseconds since 1970 in UTC.
  package func revision(_ index: Int, at timestamp: Int64, of shape: EditableShape<Root>) -> Revision {
    let previous = index == 0 ? base : drafts[index - 1]
    return Revision(at: timestamp, from: previous, to: drafts[index], shape, change: changes[index])
  }
}

/// Decisions of a shared store that changed nothing: rejected commits, commits without effect, and reads of the newest
/// state.
///
/// A server that is behind must not report them: a condition may hold on the newest state. They are confirmed by an
/// append that is kept, or by a look at the head of the storage, if either began after the decisions were made.
package struct Confirmation: Sendable {
  let epoch = CommitEpoch(isConfirmation: true)
  var completions: [@Sendable (Result<Void, JournalFailure>) -> Void] = []

  /// Returns callbacks with the result.
  ///
  /// - Parameter failure: nil if the decisions are confirmed.
  func end(_ failure: JournalFailure?) -> [@Sendable () -> Void] {
    epoch.confirm(failure)
    return completions.map { completion in { completion(failure.map { .failure($0) } ?? .success(())) } }
  }
}

/// The reason why a journal could not store commits.
@usableFromInline
package enum JournalFailure: Error, Hashable, Sendable {
  /// The storage is full. Nothing was stored.
  case full(String)
  /// Any other failure that may be temporary. Nothing was stored.
  case unavailable(String)
  /// Another server has committed first. Nothing was stored, and the commit is decided again on the newer state.
  case overtaken
  /// The commits after a revision, the last one that is certain, may have been stored or not.
  case unknownOutcome(String, after: Int)

  /// The reason for users and logs.
  @usableFromInline
  package var reason: String {
    switch self {
    case .full(let reason), .unavailable(let reason), .unknownOutcome(let reason, _): reason
    case .overtaken: "Other servers committed first, again and again. Repeat the request."
    }
  }

  /// The failure of a commit that was drafted after the failed ones, and was never written.
  package var ofLaterCommits: JournalFailure {
    if case .unknownOutcome(let reason, _) = self { .unavailable(reason) } else { self }
  }
}
