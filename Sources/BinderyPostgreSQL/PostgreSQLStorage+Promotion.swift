import BinderyCore
import BinderyJournal

extension PostgreSQLStorage {
  /// Appends again what this server has published and a promoted standby does not have, under the history that the
  /// promotion begins.
  ///
  /// Batches keep their nonces and hashes, so that servers that have the same batches append each of them once. They
  /// are appended only where the head is their exact ancestor.
  ///
  /// - Parameter onlyReporting: Whether to append nothing.
  /// - Returns: The outcome of the revisions that the standby did not have.
  func appendAgain(onlyReporting: Bool) throws(StorageFailure) -> MissingRevisions {
    if !onlyReporting { _ = try beginHistoryOfTimeline() }
    let (marks, recent) = (recentBatches.marks, recentBatches.all)
    var revisions = MissingRevisions()
    var storedCount = try storedCount(marks)
    guard let newest = marks.last, storedCount < marks.count else { return revisions }
    var missing = recent.dropFirst(max(0, storedCount - (marks.count - recent.count)))
    var lastHead: Position?
    while !onlyReporting, let batch = missing.first, let head = try headOfAnyHistory() {
      if batch.previous == head.chain, try append(batch, at: head) {
        revisions.addAppended(batch.first...batch.last)
      } else if try !isStored(BatchMark(batch)) {
        guard batch.previous == head.chain else { break }
        // Another server may only have changed the token. If nothing has changed, the database is another one by now.
        if head == lastHead { throw .refused(.unavailable("The database does not take the revisions again.")) }
        lastHead = head
        continue
      }
      missing.removeFirst()
    }
    if missing.count < recent.count { storedCount = marks.count - missing.count }
    if storedCount < marks.count, let head = try headOfAnyHistory() {
      let first = storedCount > 0 ? marks[storedCount - 1].last + 1 : min(marks[0].last, recent.first?.first ?? .max)
      let taken = min(head.revision, newest.last)
      if taken >= first { revisions.lost = first...taken }
      if taken < newest.last { revisions.perhapsLost = max(first, taken + 1)...newest.last }
    }
    recentBatches.keepFirst(storedCount)
    return revisions
  }

  /// Keeps only marks of the batches up to a revision, as if they were old. For tests.
  package func forgetBatches(upTo revision: Int) { recentBatches.forget(upTo: revision) }

  /// Returns how many of the batches are stored. A batch is stored only if those before it are.
  private func storedCount(_ marks: [BatchMark]) throws(StorageFailure) -> Int {
    // After an import, all are stored.
    if let newest = marks.last, try isStored(newest) { return marks.count }
    var range = 0..<max(marks.count - 1, 0)
    while let middle = range.isEmpty ? nil : range.lowerBound + range.count / 2 {
      range = try isStored(marks[middle]) ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }

  /// Returns whether a batch is stored. One that was removed when a snapshot had replaced it was.
  private func isStored(_ mark: BatchMark) throws(StorageFailure) -> Bool {
    do throws(PostgreSQLError) { return try isStored(last: mark.last, chain: mark.chain) ?? true } catch {
      throw .refused(error.failure)
    }
  }

  /// Reads the head row, whatever its history is.
  private func headOfAnyHistory() throws(StorageFailure) -> Position? {
    let position = position
    self.position = nil
    defer { self.position = position }
    return try readHead().head
  }
}
