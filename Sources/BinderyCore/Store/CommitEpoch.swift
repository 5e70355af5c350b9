import Synchronization

/// The period in which drafts build on each other and are published in order.
///
/// A journal failure ends the epoch, and so does the lock of a shared storage: revisions up to the last published one
/// stay valid, and all later drafts are discarded. A revision number alone cannot identify a
/// draft, because the next epoch reuses the numbers of discarded drafts.
package final class CommitEpoch: Sendable {
  private struct End {
    /// The last revision that was published.
    let published: Int
    /// The last revision that the journal tried to store. Later drafts were never written.
    let attempted: Int
    let failure: JournalFailure
  }

  /// The end of the epoch; nil while it lasts.
  private let end = Mutex<End?>(nil)
  /// Whether its decisions changed nothing, and wait until no other server is known to have changed the state.
  let isConfirmation: Bool
  /// The number of decisions of this epoch whose event loop has neither answered nor made them again.
  private let openDecisions = Atomic(0)

  init(isConfirmation: Bool = false) { self.isConfirmation = isConfirmation }

  /// Ends the epoch.
  ///
  /// - Parameters:
  ///   - published: the last revision that was published.
  ///   - attempted: the last revision that the journal tried to store.
  func end(at published: Int, attempted: Int, _ failure: JournalFailure) {
    end.withLock { $0 = End(published: published, attempted: attempted, failure: failure) }
  }

  /// Ends the epoch of decisions that changed nothing.
  ///
  /// - Parameter failure: nil if the decisions are confirmed.
  func confirm(_ failure: JournalFailure?) {
    if let failure {
      end(at: -1, attempted: -1, failure)
    } else {
      end.withLock { $0 = End(published: .max, attempted: .max, failure: .overtaken) }
    }
  }

  /// Records that the response to a decision waits for its outcome.
  func addDecision() { openDecisions.add(1, ordering: .relaxed) }

  /// Records that a decision of this epoch was answered, or made again in another one.
  package func closeDecision() { openDecisions.subtract(1, ordering: .releasing) }

  /// Whether all decisions of this epoch were answered or made again.
  var isClosed: Bool { openDecisions.load(ordering: .acquiring) == 0 }

  /// Returns the final outcome of a revision of this epoch, or nil while the epoch lasts.
  func outcome(of revision: Int) -> CommitOutcome? {
    end.withLock { end in
      end.map { end in
        if revision <= end.published { return .published }
        return .failed(revision <= end.attempted ? end.failure : end.failure.ofLaterCommits)
      }
    }
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
