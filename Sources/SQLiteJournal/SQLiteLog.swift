import CSQLite
package import Journaling
import Sockets
package import State

/// A log in an SQLite database, which this process alone writes to.
///
/// Every commit waits until the disk has it (`synchronous=FULL`): `NORMAL` would survive the end of the process, and
/// lose what was acknowledged when the power goes.
package final class SQLiteLog: Log {
  package let path: String
  /// It was not closed by the one who had it last: SQLite has taken what was committed from its journal.
  package let wasInterrupted: Bool
  /// nil only after a reopening has failed.
  private var opened: Connection?
  /// nil for one who only reads.
  private var ownership: FileLock?

  /// Opens a store, and makes one where there is no file or an empty one.
  ///
  /// - Throws: ``StoreError``; `owned` where another server has it.
  package init(_ path: String) throws(StoreError) {
    self.path = path
    do throws(Errno) {
      ownership = try FileLock(path + "-lock")
    } catch {
      throw error == .again ? .owned : .unusable("\(path)-lock: \(error)")
    }
    wasInterrupted = (FileStatus.size(path + "-wal") ?? 0) > 0
    do throws(SQLiteError) { opened = try Self.open(path, .creating) } catch { throw StoreError(error) }
    if let opened { try Schema.prepare(opened) }
  }

  /// Opens a store for reading, while a server may have it; what is read is as it was when reading began.
  package init(reading path: String) throws(StoreError) {
    self.path = path
    wasInterrupted = false
    ownership = nil
    do throws(SQLiteError) {
      let connection = try Connection(path, .reading)
      try connection.run("BEGIN")
      opened = connection
    } catch { throw error.code == SQLITE_CANTOPEN ? .missing : StoreError(error) }
    if let opened { try Schema.check(opened) }
  }

  /// Copies a store, while a server may have it, as it is at one moment.
  ///
  /// - Parameter copy: must not exist.
  package static func copy(_ path: String, to copy: String) throws(StoreError) {
    let source = try SQLiteLog(reading: path)
    do throws(SQLiteError) {
      try source.opened?.copy(to: try Connection(copy, .creating))
    } catch { throw StoreError(error) }
  }

  private static func open(_ path: String, _ mode: Connection.Mode) throws(SQLiteError) -> Connection {
    let connection = try Connection(path, mode)
    // Overwriting what is deleted would double the work of forgetting.
    try connection.run(
      script: """
        PRAGMA synchronous = FULL;
        PRAGMA secure_delete = OFF;
        PRAGMA trusted_schema = OFF;
        PRAGMA journal_size_limit = 16777216;
        """)
    return connection
  }

  package func close() {
    // The last to close brings the journal's pages into the database; then another server may have it.
    opened = nil
    ownership = nil
  }

  private func connection() throws(LogFailure) -> Connection {
    guard let opened else { throw .unknown(.unavailable("The store is closed.")) }
    // What is written to a file that nobody can find is not kept.
    guard !opened.hasMoved else { throw .unknown(.unavailable("The file of the store has been moved or removed.")) }
    return opened
  }

  /// Carries out statements as one transaction.
  private func commit(_ body: (Connection) throws(SQLiteError) -> Void) throws(LogFailure) {
    let connection = try connection()
    do throws(SQLiteError) {
      try connection.run("BEGIN IMMEDIATE")
      try body(connection)
    } catch {
      try? connection.run("ROLLBACK")
      throw error.isHarmless && connection.isIdle ? .refused(error.failure) : .unknown(error.failure)
    }
    do throws(SQLiteError) {
      try connection.run("COMMIT")
    } catch {
      // Busy is said before anything is written; after any other error the disk may have it or not.
      if error.isBusy { try? connection.run("ROLLBACK") }
      throw error.isBusy && connection.isIdle ? .refused(error.failure) : .unknown(error.failure)
    }
  }

  /// Reads; a failure to do so is none of unknown outcome.
  private func read<R>(_ body: (Connection) throws(SQLiteError) -> R) throws(LogFailure) -> R {
    guard let opened else { throw .refused(.unavailable("The store is closed.")) }
    do throws(SQLiteError) { return try body(opened) } catch { throw .refused(error.failure) }
  }
}

// MARK: Revisions

extension SQLiteLog {
  package func append(_ revisions: [Revision]) throws(LogFailure) {
    guard let first = revisions.first else { return }
    var last: Int?
    try commit { connection throws(SQLiteError) in
      last = try Self.lastRevision(connection)
      guard last == first.number - 1 else { return }
      for one in revisions {
        try connection.run(
          "INSERT INTO revision (number, at, patch, undo, shown_patch, shown_undo) VALUES (?, ?, ?, ?, ?, ?)",
          .integer(one.number), .integer(Int(one.at)), .text(one.patch), .text(one.undo),
          one.shown.map { .text($0.patch) } ?? .null, one.shown.map { .text($0.undo) } ?? .null)
      }
    }
    guard last == first.number - 1 else {
      throw .refused(.unavailable("The store is at revision \(last ?? 0), which \(first.number) does not follow."))
    }
  }

  private static func lastRevision(_ connection: Connection) throws(SQLiteError) -> Int {
    let number = try connection.first("SELECT max(number) FROM revision") { $0.integer(0) } ?? 0
    return max(number, try snapshotRevision(connection) ?? 0)
  }

  package func reopen() throws(LogFailure) -> Int {
    opened = nil
    do throws(SQLiteError) {
      let connection = try Self.open(path, .writing)
      let last = try Self.lastRevision(connection)
      // After a failed fsync the kernel takes pages for written that are not: what is found must be written anew, from
      // the journal into the database, before anything may follow it.
      let busy = try connection.first("PRAGMA wal_checkpoint(TRUNCATE)") { $0.integer(0) }
      guard busy == 0 else { throw SQLiteError(code: SQLITE_BUSY, description: "it is being read") }
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
    let error = try opened.query(
      "SELECT number, patch FROM revision WHERE number > ? ORDER BY number", .integer(revision)
    ) { row throws(E) in
      try body(row.integer(0), row.bytes(1) ?? [])
      return true
    }
    return error.map { .refused($0.failure) }
  }

  package func revisions(
    after revision: Int?, limit: Int, _ retention: Retention
  ) throws(LogFailure) -> HistoryPage {
    try read { connection throws(SQLiteError) in
      let last = try Self.lastRevision(connection)
      let oldest =
        try connection.first(
          "SELECT number FROM revision WHERE number > ? AND at >= ? ORDER BY number LIMIT 1",
          .integer(last - retention.revisions), .integer(Self.horizon(retention))
        ) { $0.integer(0) } ?? last + 1
      var page: [Revision] = []
      let error = connection.query(
        """
        SELECT number, at, patch, undo, shown_patch, shown_undo FROM revision
        WHERE number > ? AND number >= ? ORDER BY number LIMIT ?
        """,
        .integer(revision ?? 0), .integer(oldest), .integer(limit)
      ) { row in
        page.append(Revision(row))
        return true
      }
      if let error { throw error }
      return HistoryPage(revisions: page, oldest: oldest)
    }
  }

  private static func horizon(_ retention: Retention) -> Int {
    Int(retention.horizon(now: Clock.wallMilliseconds))
  }
}

extension Revision {
  fileprivate init(_ row: Statement) {
    var shown: Shown?
    if let patch = row.bytes(4), let undo = row.bytes(5) { shown = Shown(patch: patch, undo: undo) }
    self.init(
      number: row.integer(0), at: Int64(row.integer(1)), patch: row.bytes(2) ?? [], undo: row.bytes(3) ?? [],
      shown: shown)
  }
}

// MARK: Snapshots

extension SQLiteLog {
  package func snapshot() throws(LogFailure) -> (revision: Int, content: [UInt8])? {
    try read { connection throws(SQLiteError) in
      guard let revision = try Self.snapshotRevision(connection) else { return nil }
      var content: [UInt8] = []
      let error = connection.query(
        "SELECT content FROM snapshot WHERE revision = ? ORDER BY piece", .integer(revision)
      ) { row in
        content += row.bytes(0) ?? []
        return true
      }
      if let error { throw error }
      return (revision, content)
    }
  }

  /// The revision of the latest whole snapshot.
  private static func snapshotRevision(_ connection: Connection) throws(SQLiteError) -> Int? {
    try connection.first("SELECT value FROM setting WHERE name = 'snapshot'") { $0.integer(0) }
  }

  package func write(piece: [UInt8], number: Int, ofSnapshotAt revision: Int) throws(LogFailure) {
    try commit { connection throws(SQLiteError) in
      try Self.put(piece, number, revision, connection)
    }
  }

  package func finish(piece: [UInt8], number: Int, ofSnapshotAt revision: Int) throws(LogFailure) {
    try commit { connection throws(SQLiteError) in
      try Self.put(piece, number, revision, connection)
      try Self.set("snapshot", .integer(revision), connection)
    }
  }

  private static func put(
    _ piece: [UInt8], _ number: Int, _ revision: Int, _ connection: Connection
  ) throws(SQLiteError) {
    // One that was begun before and not finished leaves pieces.
    try connection.run(
      "DELETE FROM snapshot WHERE revision = ? AND piece >= ?", .integer(revision), .integer(number))
    try connection.run(
      "INSERT INTO snapshot (revision, piece, content) VALUES (?, ?, ?)", .integer(revision), .integer(number),
      .text(piece))
  }

  package func forget(_ retention: Retention) throws(LogFailure) -> Bool {
    var more = false
    try commit { connection throws(SQLiteError) in
      let whole = try Self.snapshotRevision(connection) ?? 0
      let first = try Self.lastRevision(connection) - retention.revisions + 1
      try connection.run(
        """
        DELETE FROM revision WHERE number IN (
          SELECT number FROM revision WHERE number <= ?1 AND (number < ?2 OR at < ?3) ORDER BY number LIMIT 256)
        """,
        .integer(whole), .integer(first), .integer(Self.horizon(retention)))
      let forgotten = connection.changes
      try connection.run(
        """
        DELETE FROM snapshot WHERE (revision, piece) IN (
          SELECT revision, piece FROM snapshot WHERE revision <> ? LIMIT 4)
        """, .integer(whole))
      more = forgotten == 256 || connection.changes == 4
    }
    return more
  }
}

// MARK: Settings

extension SQLiteLog {
  /// What is kept beside the state.
  package enum Setting: String, Sendable {
    /// The secret of the digests.
    case secret
    case timeZone = "time-zone"
    /// What the types of the model stored when it was last opened.
    case layout
  }

  package func setting(_ name: Setting) throws(LogFailure) -> [UInt8]? {
    try read { connection throws(SQLiteError) in
      try connection.first("SELECT value FROM setting WHERE name = ?", .text(Array(name.rawValue.utf8))) {
        $0.bytes(0)
      } ?? nil
    }
  }

  package func set(_ name: Setting, to value: [UInt8]) throws(LogFailure) {
    try commit { connection throws(SQLiteError) in try Self.set(name.rawValue, .blob(value), connection) }
  }

  private static func set(
    _ name: String, _ value: SQLiteValue, _ connection: Connection
  ) throws(SQLiteError) {
    try connection.run("INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)", .text(Array(name.utf8)), value)
  }
}
