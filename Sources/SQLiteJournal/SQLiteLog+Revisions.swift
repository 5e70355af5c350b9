package import Journaling
import Sockets
package import State

extension SQLiteLog: Log {
  package func append(_ revisions: [Revision]) throws(LogFailure) {
    guard let first = revisions.first else { return }
    var last: Int?
    try commit { connection throws(SQLiteError) in
      last = try lastRevision(connection)
      guard last == first.number - 1 else { return }
      try connection.insert(rows: revisions.lazy.map(\.row), into: .revision)
      // Where a page loses its last row, nothing else would tell that there was one.
      try Self.set("last", .integer(first.number + revisions.count - 1), connection)
    }
    guard last == first.number - 1 else {
      throw .refused(.unavailable("The store is at revision \(last ?? 0), which \(first.number) does not follow."))
    }
  }

  func lastRevision(_ connection: Connection) throws(SQLiteError) -> Int {
    if case .integer(let last)? = try setting("last", connection) { return last }
    return try snapshotRevision(connection) ?? 0
  }

  package func reopen() throws(LogFailure) -> Int {
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

  package func probe() throws(LogFailure) {
    try commit { connection throws(SQLiteError) in try Self.probe(connection) }
  }

  private static func probe(_ connection: Connection) throws(SQLiteError) {
    try set("probe", .integer(Int(Clock.wallMilliseconds)), connection)
  }

  package func forEachPatch<E: Error>(
    after revision: Int, _ body: (_ number: Int, _ patch: [UInt8]) throws(E) -> Void
  ) throws(E) -> LogFailure? {
    guard let opened else { return .refused(.unavailable("The store is closed.")) }
    var failure: SQLiteError?
    var last = revision
    let error = try opened.query(
      "\(columns) WHERE number > ? ORDER BY number", .integer(revision)
    ) { row throws(E) in
      let number = row.integer(0)
      do throws(SQLiteError) {
        guard number == last + 1 else { throw .missing(last + 1) }
        try verify(row, "revision \(number)")
      } catch {
        failure = error
        return false
      }
      last = number
      try body(number, row.bytes(2) ?? [])
      return true
    }
    do throws(SQLiteError) {
      if let error = failure ?? error { throw error }
      if !lacksChecksums, last < (try lastRevision(opened)) { throw .missing(last + 1) }
      return nil
    } catch { return error.readFailure }
  }

  package func revisions(
    after revision: Int?, limit: Int, _ retention: Retention
  ) throws(LogFailure) -> HistoryPage {
    try read { connection throws(SQLiteError) in
      let last = try lastRevision(connection)
      let oldest =
        try connection.first(
          "SELECT number FROM revision WHERE number > ? AND at >= ? ORDER BY number LIMIT 1",
          .integer(last - retention.revisions), .integer(Self.horizon(retention))
        ) { $0.integer(0) } ?? last + 1
      var page: [Revision] = []
      var bytes = 0
      let error = try connection.query(
        "\(columns) WHERE number > ? AND number >= ? ORDER BY number LIMIT ?",
        .integer(revision ?? 0), .integer(oldest), .integer(limit)
      ) { row throws(SQLiteError) in
        try verify(row, "revision \(row.integer(0))")
        let one = Revision(row)
        page.append(one)
        bytes += one.byteCount
        return bytes < HistoryPage.fullBytes
      }
      if let error { throw error }
      return HistoryPage(revisions: page, oldest: oldest)
    }
  }

  private var columns: String {
    "SELECT number, at, patch, undo, shown_patch, shown_undo, \(checksum) FROM revision"
  }

  private func verify(_ row: Statement, _ name: @autoclosure () -> String) throws(SQLiteError) {
    try verify(row, Table.revision.width, name())
  }

  static func horizon(_ retention: Retention) -> Int { Int(retention.horizon(now: Clock.wallMilliseconds)) }
}

extension Revision {
  fileprivate var row: [SQLiteValue] {
    [
      .integer(number), .integer(Int(at)), .text(patch), .text(undo), shown.map { .text($0.patch) } ?? .null,
      shown.map { .text($0.undo) } ?? .null,
    ]
  }

  fileprivate init(_ row: Statement) {
    var shown: Shown?
    if let patch = row.bytes(4), let undo = row.bytes(5) { shown = Shown(patch: patch, undo: undo) }
    self.init(
      number: row.integer(0), at: Int64(row.integer(1)), patch: row.bytes(2) ?? [], undo: row.bytes(3) ?? [],
      shown: shown)
  }
}
