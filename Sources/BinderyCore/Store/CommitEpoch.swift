import Synchronization

/// The period between two journal failures.
///
/// Drafts of one epoch build on each other and are published in order. A journal failure ends the epoch: revisions up
/// to the last published one stay valid, and all later drafts are discarded. A revision number alone cannot identify a
/// draft, because the next epoch reuses the numbers of discarded drafts.
package final class CommitEpoch: Sendable {
  /// The last published revision and the failure that ended the epoch; nil while the epoch lasts.
  private let end = Mutex<(revision: Int, failure: JournalFailure)?>(nil)

  /// Ends the epoch.
  ///
  /// - Parameter revision: the last revision that was published.
  func end(at revision: Int, _ failure: JournalFailure) { end.withLock { $0 = (revision, failure) } }

  /// Returns the final outcome of a revision of this epoch, or nil while the epoch lasts.
  func outcome(of revision: Int) -> CommitOutcome? {
    end.withLock { end in end.map { revision <= $0.revision ? .published : .failed($0.failure) } }
  }
}

/// The outcome of a decision that was made on a draft.
package enum CommitOutcome: Sendable {
  /// The draft is neither published nor discarded yet.
  case pending
  /// The draft was published, and the decision is final.
  case published
  /// The draft was discarded, and so was every decision made on it.
  case failed(JournalFailure)
}
