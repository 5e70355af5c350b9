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
      try connection.insert(rows: BatchRow.rows(of: revisions).lazy.map(\.values), into: .batch)
      // Where a page loses its last row, nothing else would tell that there was one.
      try Self.set("last", .integer(first.number + revisions.count - 1), connection)
    }
    guard last == first.number - 1 else {
      throw .refused(.unavailable("The store is at revision \(last ?? 0), which \(first.number) does not follow."))
    }
  }

  func lastRevision(_ connection: SQLiteConnection) throws(SQLiteError) -> Int {
    if case .integer(let last)? = try setting("last", connection) { return last }
    return try snapshotRevision(connection) ?? 0
  }

  package func reopen() throws(StorageFailure) -> Int {
    opened = nil
    do throws(SQLiteError) {
      let connection = try Self.open(path, .writing)
      let last = try lastRevision(connection)
      // After a failed fsync the kernel takes pages for written that are not: what is found must be written anew, from
      // the journal into the database, before anything may follow it.
      let busy = try connection.first("PRAGMA wal_checkpoint(TRUNCATE)") { $0.integer(0) }
      guard busy == 0 else { throw SQLiteError(code: SQLiteError.busy, description: "it is being read") }
      // And what is not there must not come back after a power cut, from a journal whose removal was not.
      try Self.probe(connection)
      opened = connection
      return last
    } catch {
      throw .unknown(error.failure)
    }
  }

  package func probe() throws(StorageFailure) {
    try commit { connection throws(SQLiteError) in try Self.probe(connection) }
  }

  private static func probe(_ connection: SQLiteConnection) throws(SQLiteError) {
    try set("probe", .integer(Int(Clock.wallMilliseconds)), connection)
  }

  package func forEachPatch<E: Error>(
    after revision: Int, _ body: (_ number: Int, _ patch: [UInt8]) throws(E) -> Void
  ) throws(E) -> StorageFailure? {
    guard let opened else { return .refused(.unavailable("The store is closed.")) }
    var failure: SQLiteError?
    var last = revision
    let error = try opened.query(
      "\(BatchRow.query) WHERE last > ? ORDER BY last", .integer(revision)
    ) { row throws(E) in
      let revisions: [Revision]
      do throws(SQLiteError) { revisions = try BatchRow.revisions(of: row) } catch {
        failure = error
        return false
      }
      for one in revisions where one.number > revision {
        guard one.number == last + 1 else {
          failure = .missing(last + 1)
          return false
        }
        last = one.number
        try body(one.number, one.patch)
      }
      return true
    }
    do throws(SQLiteError) {
      if let error = failure ?? error { throw error }
      if last < (try lastRevision(opened)) { throw .missing(last + 1) }
      return nil
    } catch { return error.readFailure }
  }

  package func revisions(
    after revision: Int?, limit: Int, _ retention: Retention
  ) throws(StorageFailure) -> HistoryPage {
    try read { connection throws(SQLiteError) in
      let last = try lastRevision(connection)
      let oldest = try oldest(of: last, retention, connection) ?? last + 1
      let known = max(revision ?? 0, oldest - 1)
      var page: [Revision] = []
      var bytes = 0
      let error = try connection.query(
        "\(BatchRow.query) WHERE last > ? ORDER BY last", .integer(known)
      ) { row throws(SQLiteError) in
        for one in try BatchRow.revisions(of: row) where one.number > known {
          guard page.count < limit, bytes < HistoryPage.fullBytes else { return false }
          page.append(one)
          bytes += one.byteCount
        }
        return page.count < limit && bytes < HistoryPage.fullBytes
      }
      if let error { throw error }
      return HistoryPage(revisions: page, oldest: oldest)
    }
  }

  /// The first revision that is kept for people to look at; nil where there is none.
  private func oldest(
    of last: Int, _ retention: Retention, _ connection: SQLiteConnection
  ) throws(SQLiteError) -> Int? {
    let (limit, horizon) = (last - retention.revisions, Self.horizon(retention))
    var found: Int?
    let error = try connection.query(
      "\(BatchRow.query) WHERE last > ? AND at >= ? ORDER BY last LIMIT 1", .integer(limit), .integer(horizon)
    ) { row throws(SQLiteError) in
      found = try BatchRow.revisions(of: row).first { $0.number > limit && $0.at >= horizon }?.number
      return false
    }
    if let error { throw error }
    return found
  }

  static func horizon(_ retention: Retention) -> Int { Int(retention.horizon(now: Clock.wallMilliseconds)) }
}
