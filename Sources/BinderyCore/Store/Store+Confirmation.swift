import Synchronization

// The parts of a store that exist because other servers commit to the same storage.

extension Store {
  /// The number of decisions that were made again because another server had committed first.
  package var repeatedDecisionCount: Int { repeatedDecisions.load(ordering: .relaxed) }

  /// Counts a decision that is made again, when it is made.
  @usableFromInline
  package func countRepeatedDecision() { repeatedDecisions.add(1, ordering: .relaxed) }

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
