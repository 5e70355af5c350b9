package import BinderyCore
package import BinderyJournal
import BinderySystem

extension SQLiteStorage: JournalStorage {
  package func append(_ revisions: [Revision]) throws(StorageFailure) {
    guard let first = revisions.first else { return }
    var last: Int?
    try commit { connection throws(SQLiteError) in
      last = try lastRevision(connection)
      guard last == first.number - 1 else { return }
      let start = try historyEnd(connection)
      try connection.insert(rows: BatchRow.rows(of: revisions, startingAt: start).lazy.map(\.values), into: .batch)
      // Detects a page that lost its last row, which no checksum of a row can.
      try Self.set("last", .integer(first.number + revisions.count - 1), connection)
    }
    guard last == first.number - 1 else {
      throw .refused(
        .unavailable("The store is at revision \(last ?? 0), so revision \(first.number) cannot be appended."))
    }
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
  func page(after revision: Int?, limit: Int, _ retention: Retention) throws(StorageFailure) -> HistoryPage {
    try read { connection throws(SQLiteError) in
      let last = try lastRevision(connection)
      let oldest = try oldest(of: last, retention, connection) ?? last + 1
      let after = max(revision ?? 0, oldest - 1)
      var page: [Revision] = []
      var bytes = 0
      let error = try connection.query(
        "\(BatchRow.query) WHERE last > ? ORDER BY last", .integer(after)
      ) { row throws(SQLiteError) in
        for revision in try BatchRow.revisions(of: row) where revision.number > after {
          guard page.count < limit, bytes < HistoryPage.byteLimit else { return false }
          page.append(revision)
          bytes += revision.byteCount
        }
        return page.count < limit && bytes < HistoryPage.byteLimit
      }
      if let error { throw error }
      return HistoryPage(revisions: page, oldest: oldest)
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
