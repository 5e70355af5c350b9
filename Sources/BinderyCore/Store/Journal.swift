/// Durable storage for commits.
///
/// A journal has its own thread. The thread takes all pending drafts (``Store/takeBatch(after:atMost:)``),
/// writes them as one transaction, and reports the result to the store (``Store/finish(_:_:)``).
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

  /// The change of each draft; nil if it must be found by comparing the draft with its predecessor.
  package let changes: [Change?]
  /// The decisions to confirm; nil if there are none.
  package private(set) var confirmation: Confirmation?
  /// The reads that wait until this server has published everything that others had committed; nil if there are none.
  package private(set) var newestReads: Confirmation?

  /// Returns some of the drafts, without the decisions and reads.
  package func part(_ range: Range<Int>) -> Batch {
    Batch(
      base: range.lowerBound == 0 ? base : drafts[range.lowerBound - 1], drafts: Array(drafts[range]),
      changes: Array(changes[range]))
  }

  /// Returns the drafts of this batch and of the one after it, without the decisions and reads.
  package func joined(with next: Batch) -> Batch {
    Batch(base: base, drafts: drafts + next.drafts, changes: changes + next.changes)
  }

  /// Returns the revision that the draft at an index has made.
  ///
  /// - Parameter timestamp: the time of the commit, in milliseconds since 1970 in UTC.
  package func revision(_ index: Int, at timestamp: Int64, of shape: EditableShape<Root>) -> Revision {
    let previous = index == 0 ? base : drafts[index - 1]
    return Revision(at: timestamp, from: previous, to: drafts[index], shape, change: changes[index])
  }
}

/// Decisions of a shared store that changed nothing (rejected commits and commits without effect), or reads of the
/// newest state.
///
/// A server that is behind must not report them: a condition may hold on the newest state. They are confirmed by an
/// append that is kept, or by a check of the head of the storage, if either began after the decisions were made. If
/// the check finds commits of other servers, decisions are made again, and reads are confirmed as soon as those commits
/// are published.
package struct Confirmation: Sendable {
  let epoch = CommitEpoch(isConfirmation: true)
  /// The time of the first decision or read that waits.
  private let start = ContinuousClock.now
  var completions: [@Sendable (Result<Void, JournalFailure>) -> Void] = []

  /// The time for which the first decision or read has waited.
  package var age: Duration { ContinuousClock.now - start }

  /// Returns callbacks with the result.
  ///
  /// - Parameter failure: nil if the decisions are confirmed.
  func end(_ failure: JournalFailure?) -> [@Sendable () -> Void] {
    epoch.confirm(failure)
    return completions.map { completion in { completion(failure.map { .failure($0) } ?? .success(())) } }
  }
}
