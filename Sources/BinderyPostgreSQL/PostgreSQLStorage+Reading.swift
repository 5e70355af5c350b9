package import BinderyCore
package import BinderyJournal
import BinderySQLite
import BinderySystem

// Rows are read a few at a time, because libpq keeps all rows of a result in memory.

extension PostgreSQLStorage {
  /// A batch that was read, and its revisions.
  private typealias ReadBatch = (stored: StoredBatch, revisions: [Revision])

  /// Reads the next batches after a revision, up to another one.
  ///
  /// - Throws: `damaged` if a row differs from what was written.
  private func batches(after revision: Int, to last: Int) throws(StorageFailure) -> [ReadBatch] {
    let rows = try query(
      """
      SELECT batch.last, first, nonce, previous, chain, patches, layout, results
      FROM bindery.batch LEFT JOIN bindery.keyed USING (document, last)
      WHERE document = $1 AND batch.last > $2 AND batch.last <= $3
        AND \(PostgreSQLFunctions.byteLimit("$1", after: "$2"))
      ORDER BY batch.last LIMIT \(PostgreSQLFunctions.rowLimit)
      """, [.text(document), .integer(revision), .integer(last)])
    return try batches(in: rows, at: 0)
  }

  /// Returns the batches in rows.
  ///
  /// - Parameter column: The first of their columns.
  /// - Throws: `damaged` if a row differs from what was written.
  private func batches(in rows: PostgreSQLRows, at column: Int) throws(StorageFailure) -> [ReadBatch] {
    var batches: [ReadBatch] = []
    for row in 0..<rows.count where !rows.isNull(row, column) {
      let (last, first) = (rows.integer(row, column), rows.integer(row, column + 1))
      let patches = rows.bytes(row, column + 5)
      let results = rows.isNull(row, column + 7) ? [] : KeyedResult.results(rows.bytes(row, column + 7))
      guard let revisions = BatchRow.revisions(first: first, last: last, lines: patches), let results,
        case let batch = StoredBatch(
          first: first, last: last, at: revisions.last?.timestamp ?? 0, patches: patches, results: results,
          layout: rows.integer(row, column + 6), after: rows.bytes(row, column + 3),
          nonce: rows.bytes(row, column + 2)),
        batch.chain == rows.bytes(row, column + 4)
      else { throw .damaged(first == last ? "revision \(last)" : "one of the revisions \(first) to \(last)") }
      batches.append((batch, revisions))
    }
    return batches
  }

  /// Reads what other servers have appended after the position of this server.
  ///
  /// - Parameter reading: The batches that were read together with the head.
  func readBatches(
    from position: Position, to head: Position, _ reading: HeadReading
  ) throws(StorageFailure) -> HeadCheck {
    var next = try batches(in: reading.rows, at: 10)
    var reached = position
    var found: [ForeignBatch] = []
    while reached.revision < head.revision {
      if next.isEmpty { next = try batches(after: reached.revision, to: head.revision) }
      guard let first = next.first?.revisions.first?.number else { return .forgotten }
      // A batch begins where another one ended, so this one is of a state that was restored and changed since.
      if first <= reached.revision { throw Self.lost(position) }
      if first > reached.revision + 1 { return .forgotten }
      for (batch, revisions) in next {
        guard batch.previous == reached.chain else { throw Self.lost(position) }
        (reached.revision, reached.chain) = (batch.last, batch.chain)
        recentBatches.append(batch)
        found.append(ForeignBatch(revisions: revisions, keyedResults: batch.results))
      }
      next = []
    }
    guard reached.chain == head.chain else { throw .damaged("the hash of revision \(head.revision)") }
    self.position = head
    return .advanced(found)
  }

  package func forEachPatch<E: Error>(
    after revision: Int, _ body: (_ number: Int, _ patch: [UInt8]) throws(E) -> Void
  ) throws(E) -> StorageFailure? {
    guard let position else { return nil }
    var last = revision
    var chain: [UInt8]?
    while last < position.revision {
      let next: [(stored: StoredBatch, revisions: [Revision])]
      do throws(StorageFailure) { next = try batches(after: last, to: position.revision) } catch { return error }
      if next.isEmpty { return .damaged("revision \(last + 1) is missing") }
      for (batch, revisions) in next {
        if let chain, batch.previous != chain { return .damaged("revision \(last + 1) does not follow \(last)") }
        chain = batch.chain
        for revision in revisions where revision.number > last {
          guard revision.number == last + 1 else { return .damaged("revision \(last + 1) is missing") }
          last = revision.number
          try body(last, revision.patch)
        }
      }
    }
    return nil
  }

  /// Copies the latest snapshot, the history, the results of idempotency keys and the ends of sessions to a new file.
  ///
  /// - Returns: False if there is no state yet.
  /// - Throws: `damaged` also if another server has removed a part meanwhile.
  func copyState(to copy: SQLiteStorage) throws(StorageFailure) -> Bool {
    guard let snapshot = try snapshot(), let position else { return false }
    var last = try historyStart(before: snapshot.revision, position)
    try copy.beginHistory(after: last)
    var chain: [UInt8]?
    while last < position.revision {
      let next = try batches(after: last, to: position.revision)
      if next.isEmpty { throw .damaged("revision \(last + 1) is missing") }
      for (batch, revisions) in next {
        if let chain, batch.previous != chain { throw .damaged("revision \(last + 1) does not follow \(last)") }
        chain = batch.chain
        let new = revisions.filter { $0.number > last }
        guard new.first?.number == last + 1 else { throw .damaged("revision \(last + 1) is missing") }
        try copy.append(new)
        last = batch.last
      }
    }
    try copy.finish(piece: snapshot.content, number: 0, ofSnapshotAt: snapshot.revision, layout: snapshot.layout ?? "")
    try copy.add(try keyedResults())
    let sessions = try storedSessionEnds()
    if !sessions.isEmpty { try copy.end(sessions) }
    return true
  }

  /// Returns the revision before the oldest one from which all later ones up to a snapshot are stored and belong to the
  /// same history.
  private func historyStart(before snapshot: Int, _ position: Position) throws(StorageFailure) -> Int {
    var (start, last) = (snapshot, 0)
    var chain: [UInt8]?
    while last < snapshot {
      let next = try batches(after: last, to: position.revision)
      if next.isEmpty { break }
      for (batch, revisions) in next {
        let first = revisions.first?.number ?? 0
        if first != last + 1 || batch.previous != chain { start = first - 1 }
        (last, chain) = (batch.last, batch.chain)
      }
    }
    return last >= snapshot ? min(start, snapshot) : snapshot
  }

  package func keyedResults() throws(StorageFailure) -> [KeyedResult] {
    var results: [KeyedResult] = []
    var last = -1
    while true {
      let rows = try query(
        """
        SELECT last, results FROM bindery.keyed WHERE document = $1 AND last > $2 AND last <= $3
        ORDER BY last LIMIT \(PostgreSQLFunctions.rowLimit)
        """, [.text(document), .integer(last), .integer(position?.revision ?? 0)])
      guard rows.count > 0 else { return results.suffix(KeyedResult.maximumCount) }
      for row in 0..<rows.count {
        last = rows.integer(row, 0)
        guard let found = KeyedResult.results(rows.bytes(row, 1)) else {
          throw .damaged("the idempotency keys of revision \(last)")
        }
        results += found
      }
    }
  }

  package func historySize() throws(StorageFailure) -> Int {
    let rows = try query(
      "SELECT coalesce(max(start + size) - min(start), 0) FROM bindery.batch WHERE document = $1", [.text(document)])
    return rows.integer(0, 0)
  }
}

/// Reads pages of revisions, with a connection for each page.
struct PostgreSQLRevisionReader: RevisionReader {
  let address: PostgreSQLAddress
  let document: String
  let clock: DatabaseClock
  let timeouts: DatabaseTimeouts

  func revisions(_ query: HistoryQuery, _ retention: Retention) throws(StorageFailure) -> HistoryPage {
    do throws(PostgreSQLError) {
      let deadline = Clock.monotonicMilliseconds + timeouts.answer
      return try page(query, retention, try connect(until: deadline))
    } catch { throw .refused(.unavailable("The history cannot be read: \(error).")) }
  }

  /// Connects to the first host that responds.
  private func connect(until deadline: Int64) throws(PostgreSQLError) -> PostgreSQLConnection {
    for parameters in address.parameters.dropLast() {
      if let connection = try? PostgreSQLConnection(parameters, until: Clock.monotonicMilliseconds + 500) {
        return connection
      }
    }
    return try PostgreSQLConnection(address.parameters[address.parameters.count - 1], until: deadline)
  }

  private func page(
    _ query: HistoryQuery, _ retention: Retention, _ connection: PostgreSQLConnection
  ) throws(PostgreSQLError) -> HistoryPage {
    let head = try connection.run(
      "SELECT revision, size FROM bindery.document WHERE id = $1", [.text(document)], within: timeouts.answer)
    guard head.count > 0 else { return HistoryPage(revisions: [], oldest: 1) }
    let last = head.integer(0, 0)
    let expiryTime = retention.expiryTime(now: clock.milliseconds)
    let first = try rows(
      """
      last > $2 AND last <= $3 AND at >= $4 AND start >= $5 ORDER BY last LIMIT 1
      """,
      [
        .integer(last - retention.revisions), .integer(last), .integer(Int(expiryTime)),
        .integer(head.integer(0, 1) &- retention.bytes),
      ], connection)
    let oldest =
      first.first?.first { $0.number > last - retention.revisions && $0.timestamp >= expiryTime }?.number ?? last + 1
    var (after, before) = (max(query.after ?? 0, oldest - 1), min(query.before ?? .max, last + 1))
    var page = HistoryPage.Builder(query)
    let lowest = after
    reading: while true {
      let next = try rows(
        "last > $2 AND first < $3 ORDER BY last \(query.isBackward ? "DESC" : "") LIMIT 4",
        [.integer(after), .integer(before)], connection)
      for revisions in next {
        guard page.hasRoom(for: revisions.reduce(0) { $0 + $1.byteCount }) else { break reading }
        for revision in query.isBackward ? revisions.reversed() : revisions
        where revision.number > lowest && revision.number <= last {
          guard page.append(revision) else { break reading }
        }
        guard let first = revisions.first, let last = revisions.last else { continue }
        if query.isBackward { before = first.number } else { after = last.number }
      }
      if next.isEmpty { break }
    }
    return page.finish(oldest: oldest)
  }

  /// Returns the revisions of the batches that a condition selects.
  private func rows(
    _ condition: String, _ values: [PostgreSQLValue], _ connection: PostgreSQLConnection
  ) throws(PostgreSQLError) -> [[Revision]] {
    let rows = try connection.run(
      "SELECT last, first, patches FROM bindery.batch WHERE document = $1 AND \(condition)",
      [.text(document)] + values, within: timeouts.answer)
    var batches: [[Revision]] = []
    for row in 0..<rows.count {
      let (last, first) = (rows.integer(row, 0), rows.integer(row, 1))
      guard let revisions = BatchRow.revisions(first: first, last: last, lines: rows.bytes(row, 2)) else {
        throw .unusable("revision \(last) is damaged")
      }
      batches.append(revisions)
    }
    return batches
  }
}
