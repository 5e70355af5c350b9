package import BinderyCore
import BinderyJournal

// Appends that are sent before the outcome of those before them is known. Each names the hash of the batch before it,
// so none is kept without the ones before.

/// An append that was sent.
struct SentAppend {
  let batch: StoredBatch
  /// The time at which it is given up, in milliseconds of the monotonic clock.
  var deadline: Int64
  let interruption: PostgreSQLStorage.Interruption?
}

extension PostgreSQLStorage {
  package func send(_ revisions: [Revision]) {
    // Within a transaction, an append that is not kept ends the transaction.
    guard !holdsLock, unresolved.isEmpty, var start = position, let connection = openConnection else { return }
    // The answer to an append behind a refused one may not have been read. `append` discards it.
    guard connection.sentCount == sent.count else { return }
    if let last = sent.last?.batch { (start.revision, start.chain) = (last.last, last.chain) }
    guard start.revision + 1 == revisions.first?.number, let batch = batch(of: revisions, at: start) else { return }
    let values = appending(batch, at: start)
    if sent.isEmpty { _ = connection.takeWarnings() }
    let interruption = interrupt?(appendStatement)
    if interruption == .beforeStatement {
      _ = interrupted(connection)
      return
    }
    let deadline = deadline(for: values)
    sent.append(SentAppend(batch: batch, deadline: deadline, interruption: interruption))
    // If this fails, the connection is closed, and `receive` finds that out.
    try? connection.send(appendStatement, values, until: deadline)
  }

  package var answerDescriptor: Int32? {
    guard !sent.isEmpty, let connection = openConnection, !connection.hasResult else { return nil }
    return connection.descriptor
  }

  /// Waits for the outcome of the oldest append that was sent.
  ///
  /// - Returns: Whether it is stored; false if it must be appended again. Then all later ones must, too.
  func receive() throws(StorageFailure) -> Bool {
    guard let append = sent.first, let position else { return false }
    do throws(PostgreSQLError) {
      guard let connection = openConnection else { throw .connection("the connection was lost") }
      let rows = try answer(of: connection, append.interruption) { () throws(PostgreSQLError) in
        try connection.receive(until: append.deadline)
      }
      if try isKept(rows, connection) {
        sent.removeFirst()
        // The database begins with the next one now.
        if let next = sent.first { sent[0].deadline = max(next.deadline, deadline(for: [])) }
        reach(append.batch)
        return true
      }
    } catch {
      let failure = failure(error, of: append.batch)
      if case .unknown = failure { unresolved = sent.map(\.batch) }
      sent = []
      throw failure
    }
    // The next statement discards the answers to the others.
    sent = []
    try readHead(afterRefusalAt: position)
    return false
  }
}

extension PostgreSQLError {
  /// The failure of a statement other than an append with this error.
  var ofStatement: StorageFailure { mayBeCommitted ? .unknown(failure) : .refused(failure) }

  /// The failure of an append with this error.
  var ofAppend: StorageFailure { isConflict ? .overtaken : ofStatement }
}
