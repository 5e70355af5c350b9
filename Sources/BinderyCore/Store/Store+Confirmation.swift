import Synchronization

// The parts of a store that exist because other servers commit to the same storage.

extension Store {
  /// The number of decisions that were made again because another server had committed first.
  package var repeatedDecisionCount: Int { repeatedDecisions.load(ordering: .relaxed) }

  /// Counts a decision that is made again, when it is made.
  @usableFromInline
  package func countRepeatedDecision() { repeatedDecisions.add(1, ordering: .relaxed) }

  /// Whether event loops have made all decisions of the last epoch again. They call ``wakeJournal()`` afterwards.
  package var hasDecidedAgain: Bool { withQueue { $0.endedEpoch.isClosed } }

  /// Defers the decision of a write while other servers commit at the same time: what is decided now would be decided
  /// again when their commits are published. Intended for event loops, which call ``wakeJournal()`` afterwards.
  ///
  /// - Returns: an epoch that ends when the write must be decided; nil if it can be decided now.
  package func deferDecision() -> CommitEpoch? {
    guard isShared else { return nil }
    return withQueue { queue in
      guard queue.isDeferring else { return nil }
      queue.hasDeferred = true
      return queue.epoch(isUnconfirmed: false)
    }
  }

  /// Sets whether event loops defer their decisions. Called by the journal.
  package func setDeferring(_ isDeferring: Bool) { withQueue { $0.isDeferring = isDeferring } }

  /// Whether decisions are deferred.
  package var hasDeferredDecisions: Bool { withQueue { $0.hasDeferred } }

  /// Lets the event loops make the decisions that were deferred, together with those of all drafts. Called by the
  /// journal.
  package func decideDeferred() { discardDrafts(attempted: .max, .overtaken) }

  /// Refuses the writes whose decisions were deferred, and those of all drafts. Called by the journal.
  package func refuseDeferred(_ failure: JournalFailure) { discardDrafts(attempted: .max, failure) }

  /// Requests a check whether other servers have committed to the same storage. Intended for event loops, which call
  /// ``wakeJournal()`` afterwards; observers are notified of the outcome.
  ///
  /// - Returns: an epoch whose outcome is `published` once everything is published that any server had committed before
  ///   this call.
  package func checkHead() -> CommitEpoch {
    withQueue { queue in
      let reads = queue.newestReads ?? Confirmation()
      if let closure = queue.closure { reads.epoch.confirm(closure) } else { queue.newestReads = reads }
      return reads.epoch
    }
  }

  /// Reports whether decisions that changed nothing, or reads, are confirmed. Called by the journal.
  ///
  /// - Parameter failure: nil if they are.
  package func finish(_ confirmation: Confirmation, _ failure: JournalFailure?) {
    for completion in confirmation.end(failure) { completion() }
    for observer in withQueue({ Array($0.observers.values) }) { observer() }
  }
}
