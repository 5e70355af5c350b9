package import BinderyCore
package import BinderyJournal
import BinderySystem

extension PostgreSQLStorage: JournalStorage {
  package var isShared: Bool { true }

  package func append(_ revisions: [Revision], completing end: SnapshotEnd?) throws(StorageFailure) {
    assert(end == nil, "other servers may still write with the previous model")
    guard let first = revisions.first?.number, let last = revisions.last?.number else { return }
    // The search for the outcome of the append before has found this one, too.
    if let newest = recentBatches.newest, newest.first == first, newest.last == last, position?.revision == last {
      return
    }
    if sent.first?.batch.first == first, try receive() { return }
    try append(revisions, replacingHistoryBy: nil)
  }

  /// Appends a revision that replaces the state, and begins a new history with it.
  package func replaceState(by revision: Revision) throws(StorageFailure) {
    try append([revision], replacingHistoryBy: HistoryID.random().text)
    try adoptHistory()
  }

  /// - Parameter history: The history that begins with the revisions; nil to stay in the present one.
  private func append(_ revisions: [Revision], replacingHistoryBy history: String?) throws(StorageFailure) {
    guard let first = revisions.first?.number else { return }
    guard position?.revision == first - 1 else {
      throw .refused(
        .unavailable("The store is at revision \(position?.revision ?? 0), so revision \(first) cannot be appended."))
    }
    while let position {
      guard let batch = batch(of: revisions, at: position) else { return }
      unresolved = [batch]
      let isKept = try append(batch, at: position, replacingHistoryBy: history)
      unresolved = []
      if isKept { return reach(batch) }
      unlockHead()
      try readHead(afterRefusalAt: position)
    }
  }

  /// Returns the batch of revisions that are to be appended at a position.
  func batch(of revisions: [Revision], at position: Position) -> StoredBatch? {
    guard let row = BatchRow.rows(of: revisions, startingAt: 0, fullBytes: .max).first else { return nil }
    appends += 1
    return StoredBatch(
      first: row.first, last: row.last, at: row.at, patches: row.lines,
      results: revisions.compactMap(\.metadata.keyedResult), layout: layout ?? 0, after: position.chain,
      nonce: id + Array("\(appends)".utf8))
  }

  /// Finds out why an append was not kept.
  ///
  /// - Throws: `overtaken` if it cannot be repeated.
  func readHead(afterRefusalAt position: Position) throws(StorageFailure) {
    let observed = try readHead()
    guard let head = observed.head else { throw Self.lost(position) }
    // Only the token differs if another server had to resolve an append of unknown outcome.
    guard head.revision == position.revision, head.chain == position.chain, head.token != position.token else {
      overtaking = observed
      throw .overtaken
    }
    self.position = head
  }

  /// Moves the position behind a batch that is stored.
  func reach(_ batch: StoredBatch) {
    position?.revision = batch.last
    position?.chain = batch.chain
    recentBatches.append(batch)
    notifier?.announce()
  }

  /// Appends a batch if the head is at a position.
  ///
  /// - Parameter history: The history that begins with the batch; nil to stay in the present one.
  /// - Returns: Whether the batch is stored.
  func append(
    _ batch: StoredBatch, at position: Position, replacingHistoryBy history: String? = nil
  ) throws(StorageFailure) -> Bool {
    let connection: PostgreSQLConnection
    let heldLock = holdsLock
    do throws(PostgreSQLError) {
      connection = try connected()
      // The transaction ended with its connection, and another server may have appended since.
      guard holdsLock == heldLock else { throw .connection("the connection was lost") }
    } catch { throw .refused(error.failure) }
    do throws(PostgreSQLError) {
      _ = connection.takeWarnings()
      let append = (appendStatement, appending(batch, at: position, replacingHistoryBy: history))
      let rows = try run(heldLock ? [append, ("COMMIT", [])] : [append], on: connection)
      holdsLock = false
      return try isKept(rows[0], connection)
    } catch {
      // Ends the transaction, if there is one.
      if heldLock { disconnect() }
      throw failure(error, of: batch)
    }
  }

  /// Returns whether an append is stored.
  ///
  /// - Parameter rows: Its answer.
  func isKept(_ rows: PostgreSQLRows, _ connection: PostgreSQLConnection) throws(PostgreSQLError) -> Bool {
    // A server that does not wait any longer for its standby reports success, with a warning.
    if let warning = connection.takeWarnings().first { throw .connection(warning) }
    return rows.integer(0, 0) == 1
  }

  /// The statement that appends a batch.
  var appendStatement: String {
    "SELECT bindery.append($1, \(timeline), $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)"
  }

  /// Returns the values of ``appendStatement`` for a batch that is stored if the head is at a position.
  func appending(
    _ batch: StoredBatch, at position: Position, replacingHistoryBy history: String? = nil
  ) -> [PostgreSQLValue] {
    let results = batch.results
    let time = results.reduce(Int64.min) { max($0, $1.time) }
    return [
      .text(document), .integer(position.revision), .bytes(position.chain), .integer(position.token),
      .text(position.history), .integer(batch.first), .integer(batch.last), .integer(Int(batch.at)),
      .bytes(batch.nonce), .bytes(batch.chain), .bytes(batch.patches), .integer(batch.layout),
      .integer(results.count), .integer(Int(time)), .bytes(results.isEmpty ? [] : KeyedResult.json(results)),
      history.map { .text($0) } ?? .null,
    ]
  }

  /// Finds out whether the append of unknown outcome is stored, and makes sure that it will not be stored later.
  ///
  /// - Returns: The last revision that is stored of those that this server knows of. Other servers may have appended
  ///   more.
  package func reopen() throws(StorageFailure) -> Int {
    guard position != nil else { throw .unknown(.unavailable("The store is new.")) }
    let rows: PostgreSQLRows
    var kept: [StoredBatch] = []
    var undecided: StoredBatch?
    do throws(PostgreSQLError) {
      // Waits for the other attempts, whose transaction holds the lock of this row, and changes what they compare. A
      // commit that waits for a standby holds the lock too, and is not visible to a statement that does not lock.
      rows = try run(
        "UPDATE bindery.document SET token = token + 1 WHERE id = $1 RETURNING \(headColumns)", [.text(document)])
      // Statements of their own: the one above sees the tables as they were before it waited. A batch is stored only
      // if those before it are.
      for batch in unresolved {
        let isStored = try isStored(batch)
        guard isStored == true else {
          if isStored == nil { undecided = batch }
          break
        }
        kept.append(batch)
      }
    } catch { throw .unknown(error.failure) }
    for batch in kept where batch.previous == position?.chain { reach(batch) }
    do throws(StorageFailure) {
      if let head = try head(rows) { position?.token = head.token }
    } catch {
      // On another timeline a batch that is not found may have been stored on the previous one.
      if kept.count < unresolved.count { throw .unknown(error.failure) }
    }
    unresolved = []
    if let undecided {
      // Its writers get to know that. The next attempt finds nothing unresolved, and the server then loads the newest
      // state, which has the batch if it was stored.
      throw .unknown(
        .unavailable("The batch with revision \(undecided.last) was removed before its outcome was known."))
    }
    return position?.revision ?? 0
  }

  /// Returns whether the log contains a batch; nil if the rows that could tell have been removed.
  func isStored(_ batch: StoredBatch) throws(PostgreSQLError) -> Bool? {
    try isStored(last: batch.last, chain: batch.chain)
  }

  /// Returns whether the log contains a batch; nil if the rows that could tell have been removed.
  ///
  /// - Parameters:
  ///   - last: The last revision of the batch.
  ///   - chain: Its hash, or the first bytes of it.
  func isStored(last: Int, chain: [UInt8]) throws(PostgreSQLError) -> Bool? {
    // One statement, which sees the head and the batches at the same moment.
    let found = try run(
      """
      SELECT batch.chain, batch.first, revision FROM bindery.document LEFT JOIN LATERAL (
        SELECT chain, first FROM bindery.batch WHERE document = $1 AND last >= $2 ORDER BY last LIMIT 1
      ) batch ON TRUE WHERE id = $1
      """, [.text(document), .integer(last)])
    guard found.count > 0, found.integer(0, 2) >= last else { return false }
    guard !found.isNull(0, 0), found.integer(0, 1) <= last else { return nil }
    return found.bytes(0, 0).starts(with: chain)
  }

  package var wallMilliseconds: Int64 { clock.milliseconds }

  package func probe() throws(StorageFailure) -> Int {
    guard let position else { throw .unknown(.unavailable("The store is new.")) }
    let batch = StoredBatch(
      first: position.revision + 1, last: position.revision + 1, at: 0, patches: refusedLines, results: [],
      layout: layout ?? 0, after: position.chain, nonce: id)
    do throws(PostgreSQLError) {
      // A full disk keeps an append from adding a page to a table, but not from changing a row, so the probe appends
      // what was refused, in a transaction that it takes back. The last statement commits, as appends do.
      let rows = try run(
        [
          (Self.begin, []), (appendStatement, appending(batch, at: position)), ("ROLLBACK", []),
          ("UPDATE bindery.replica SET at = now() WHERE document = $1 AND id = $2", [.text(document), .bytes(id)]),
        ], on: connected())
      if rows[1].integer(0, 0) == 1 { return position.revision }
    } catch { throw error.ofAppend }
    try readHead(afterRefusalAt: position)
    throw .overtaken
  }

  /// Returns the failure of an append with an error, and keeps what the database refuses for ``probe()``.
  func failure(_ error: PostgreSQLError, of batch: StoredBatch) -> StorageFailure {
    if error.isLockTimeout { mustEndStalledLocks = true }
    let failure = error.ofAppend
    // A part of a long batch is enough. The rest must not keep this server from being ready for shorter writes.
    if case .refused = failure { refusedLines = Array(batch.patches.prefix(Self.probeBytes)) }
    return failure
  }

  /// The maximum size of what ``probe()`` appends, in bytes.
  private static var probeBytes: Int { 65_536 }

  package func makeRevisionReader() -> any RevisionReader {
    PostgreSQLRevisionReader(address: address, document: document, clock: clock, timeouts: timeouts)
  }
}
