package import BinderyCore
import BinderyJSON
package import BinderyJournal
import BinderySystem

extension SQLiteStorage: JournalStorage {
  package func append(_ revisions: [Revision], completing end: SnapshotEnd?) throws(StorageFailure) {
    guard let first = revisions.first else { return }
    var last: Int?
    try commit { connection throws(SQLiteError) in
      last = try lastRevision(connection)
      guard last == first.number - 1 else { return }
      let start = try historyEnd(connection)
      try connection.insert(rows: BatchRow.rows(of: revisions, startingAt: start).lazy.map(\.values), into: .batch)
      if let end { try Self.finish(end.piece, end.number, end.revision, end.layout, connection) }
      try insertKeyedResults(revisions.compactMap(\.metadata.keyedResult), connection)
      // Detects a page that lost its last row, which no checksum of a row can.
      try Self.set("last", .integer(first.number + revisions.count - 1), connection)
    }
    guard last == first.number - 1 else {
      throw .refused(
        .unavailable("The store is at revision \(last ?? 0), so revision \(first.number) cannot be appended."))
    }
  }

  /// Lets a new file begin with a later revision than the first, for a copy.
  package func beginHistory(after revision: Int) throws(StorageFailure) {
    try commit { connection throws(SQLiteError) in try Self.set("last", .integer(revision), connection) }
  }

  /// Returns the position after the newest row; see ``BatchRow/start``.
  func historyEnd(_ connection: SQLiteConnection) throws(SQLiteError) -> Int {
    try connection.first("SELECT start + size FROM batch ORDER BY last DESC LIMIT 1") { $0.integer(0) } ?? 0
  }

  package func historySize() throws(StorageFailure) -> Int {
    try read { connection throws(SQLiteError) in
      let start = try connection.first("SELECT start FROM batch ORDER BY last LIMIT 1") { $0.integer(0) }
      guard let start else { return 0 }
      return try historyEnd(connection) &- start
    }
  }

  /// Returns the number of the last stored revision.
  func lastRevision(_ connection: SQLiteConnection) throws(SQLiteError) -> Int {
    if case .integer(let last)? = try setting("last", connection) { return last }
    return try snapshotRevision(connection) ?? 0
  }

  package func forEachPatch<E: Error>(
    after revision: Int, _ body: (_ number: Int, _ patch: [UInt8]) throws(E) -> Void
  ) throws(E) -> StorageFailure? {
    guard let openConnection else { return .refused(.unavailable("The store is closed.")) }
    var failure: SQLiteError?
    var last = revision
    let error = try openConnection.query(
      "\(BatchRow.query) WHERE last > ? ORDER BY last", .integer(revision)
    ) { row throws(E) in
      let revisions: [Revision]
      do throws(SQLiteError) { revisions = try BatchRow.revisions(of: row) } catch {
        failure = error
        return false
      }
      for next in revisions where next.number > revision {
        guard next.number == last + 1 else {
          failure = .missing(last + 1)
          return false
        }
        last = next.number
        try body(next.number, next.patch)
      }
      return true
    }
    do throws(SQLiteError) {
      if let error = failure ?? error { throw error }
      if last < (try lastRevision(openConnection)) { throw .missing(last + 1) }
      return nil
    } catch { return error.readFailure }
  }

  /// Returns a page of the stored revisions.
  func page(_ query: HistoryQuery, _ retention: Retention) throws(StorageFailure) -> HistoryPage {
    try read { connection throws(SQLiteError) in
      let last = try lastRevision(connection)
      let oldest = try oldest(of: last, retention, connection) ?? last + 1
      let after = max(query.after ?? 0, oldest - 1)
      var page = HistoryPage.Builder(query)
      let error = try connection.query(
        "\(BatchRow.query) WHERE last > ? AND first < ? ORDER BY last \(query.isBackward ? "DESC" : "")",
        .integer(after), .integer(query.before ?? .max)
      ) { row throws(SQLiteError) in
        // The text of a row that does not fit is not read.
        guard page.hasRoom(for: BatchRow.size(of: row)) else { return false }
        let revisions = try BatchRow.revisions(of: row)
        for revision in query.isBackward ? revisions.reversed() : revisions where revision.number > after {
          guard page.append(revision) else { return false }
        }
        return true
      }
      if let error { throw error }
      return page.finish(oldest: oldest)
    }
  }

  /// Returns the oldest revision that the retention keeps for `/history`; nil if there is none.
  private func oldest(
    of last: Int, _ retention: Retention, _ connection: SQLiteConnection
  ) throws(SQLiteError) -> Int? {
    let (limit, expiryTime) = (last - retention.revisions, Self.expiryTime(retention))
    let start = try historyEnd(connection) &- retention.bytes
    var found: Int?
    let error = try connection.query(
      "\(BatchRow.query) WHERE last > ? AND at >= ? AND start >= ? ORDER BY last LIMIT 1",
      .integer(limit), .integer(expiryTime), .integer(start)
    ) { row throws(SQLiteError) in
      found = try BatchRow.revisions(of: row).first { $0.number > limit && $0.timestamp >= expiryTime }?.number
      return false
    }
    if let error { throw error }
    return found
  }

  /// Returns the time before which revisions have expired, in milliseconds since 1970.
  static func expiryTime(_ retention: Retention) -> Int { Int(retention.expiryTime(now: Clock.wallMilliseconds)) }
}

// MARK: The rows

extension BatchRow {
  /// The column values of the row, in order.
  var values: [SQLiteValue] {
    [.integer(last), .integer(first), .integer(Int(at)), .integer(start), .integer(lines.count), .text(lines)]
  }

  /// The beginning of a query whose rows ``revisions(of:)`` can read.
  static let query = "SELECT last, first, at, start, size, patches, checksum FROM batch"

  /// Returns the length of the `patches` of a result row of ``query``, without reading them.
  static func size(of row: SQLiteStatement) -> Int { row.integer(4) }

  /// Reads the revisions of one result row of ``query``.
  ///
  /// - Throws: `damaged` if the row is not exactly what was written.
  static func revisions(of row: SQLiteStatement) throws(SQLiteError) -> [Revision] {
    let (last, first) = (row.integer(0), row.integer(1))
    func damage() -> SQLiteError {
      .damaged(first == last ? "revision \(last)" : "one of the revisions \(first) to \(last)")
    }
    guard row.hasValidChecksum(columns: Table.batch.width), let lines = row.bytes(5) else { throw damage() }
    guard let revisions = Self.revisions(first: first, last: last, lines: lines) else { throw damage() }
    return revisions
  }
}
