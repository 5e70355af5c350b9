package import BinderyJournal

extension JournalStorage {
  /// Removes some of the revisions and snapshots that are no longer needed, in one short step.
  ///
  /// - Returns: whether there is more to remove.
  package func removeExpired(_ retention: Retention) throws(StorageFailure) -> Bool {
    try removeExpired(retention, atMost: JournalStep.bytes)
  }
}
