import BinderyCore
import BinderyJournal

extension PostgreSQLStorage {
  /// Appends again what this server has published and a promoted standby does not have, under the history that the
  /// promotion begins.
  ///
  /// Batches keep their nonces and hashes, so that servers that have the same batches append each of them once. They
  /// are appended only where the head is their exact ancestor.
  ///
  /// - Returns: What became of the revisions that the standby did not have.
  func appendAgain() throws(StorageFailure) -> MissingRevisions {
    _ = try beginHistoryOfTimeline()
    var missing: [StoredBatch] = []
    var stored: [StoredBatch] = []
    for batch in recentBatches.all {
      if try isAppended(batch) { missing = [] } else { missing.append(batch) }
    }
    while let batch = missing.first, let head = try headOfAnyHistory() {
      // Another server may have appended it meanwhile, or only changed the token.
      var isAdded = batch.previous == head.chain
      if isAdded { isAdded = try append(batch, at: head) }
      if !isAdded { isAdded = try isAppended(batch) }
      if isAdded {
        stored.append(missing.removeFirst())
      } else if batch.previous != head.chain {
        break
      }
    }
    var revisions = MissingRevisions()
    if let first = stored.first, let last = stored.last { revisions.appendedAgain = first.first...last.last }
    if let first = missing.first, let last = missing.last, let head = try headOfAnyHistory() {
      let taken = min(head.revision, last.last)
      if taken >= first.first { revisions.lost = first.first...taken }
      if taken < last.last { revisions.perhapsLost = max(first.first, taken + 1)...last.last }
    }
    return revisions
  }

  private func isAppended(_ batch: StoredBatch) throws(StorageFailure) -> Bool {
    let isStored: Bool?
    do throws(PostgreSQLError) { isStored = try self.isStored(batch) } catch { throw .refused(error.failure) }
    guard let isStored else {
      throw .refused(.outdated("The batch with revision \(batch.last) was removed. Restart this server."))
    }
    return isStored
  }

  /// Reads the head row, whatever its history is.
  private func headOfAnyHistory() throws(StorageFailure) -> Position? {
    let position = position
    self.position = nil
    defer { self.position = position }
    return try look().head
  }
}
