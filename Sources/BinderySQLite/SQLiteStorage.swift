import BinderyCore
import BinderyJournal
import BinderySystem
import CBinderySQLite

/// A log in an SQLite database, which this process alone writes to.
///
/// Every commit waits until the disk has it (`synchronous=FULL`): `NORMAL` would survive the end of the process, and
/// lose what was acknowledged when the power goes.
package final class SQLiteStorage {
  package let path: String
  /// It was not closed by the one who had it last: SQLite has taken what was committed from its journal.
  package let wasInterrupted: Bool
  /// nil only after a reopening has failed.
  var opened: SQLiteConnection?
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
    let source = try Self.reading(path)
    guard try Schema.check(source) < Schema.readableVersion else {
      opened = source
      return
    }
    // What is only read stays as it is on disk; its copy in memory is brought up to date.
    let copy: SQLiteConnection
    do throws(SQLiteError) {
      copy = try SQLiteConnection(":memory:", .creating)
      try source.copy(to: copy)
    } catch { throw StoreError(error) }
    try Schema.prepare(copy)
    opened = copy
  }

  private static func reading(_ path: String) throws(StoreError) -> SQLiteConnection {
    do throws(SQLiteError) {
      let connection = try SQLiteConnection(path, .reading)
      try connection.run("BEGIN")
      return connection
    } catch { throw error.code == SQLITE_CANTOPEN ? .missing : StoreError(error) }
  }

  /// Copies a store, while a server may have it, as it is at one moment.
  ///
  /// - Parameter copy: must not exist.
  package static func copy(_ path: String, to copy: String) throws(StoreError) {
    let source = try reading(path)
    try Schema.check(source)
    do throws(SQLiteError) {
      try source.copy(to: try SQLiteConnection(copy, .creating))
    } catch { throw StoreError(error) }
  }

  static func open(_ path: String, _ mode: SQLiteConnection.Mode) throws(SQLiteError) -> SQLiteConnection {
    let connection = try SQLiteConnection(path, mode)
    // Overwriting what is deleted would double the work of forgetting.
    try connection.run(
      script: """
        PRAGMA synchronous = FULL;
        PRAGMA secure_delete = OFF;
        PRAGMA journal_size_limit = 16777216;
        """)
    return connection
  }

  package func close() {
    // The last to close brings the journal's pages into the database; then another server may have it.
    opened = nil
    ownership = nil
  }

  private func connection() throws(StorageFailure) -> SQLiteConnection {
    guard let opened else { throw .unknown(.unavailable("The store is closed.")) }
    // What is written to a file that nobody can find is not kept.
    guard !opened.hasMoved else { throw .unknown(.unavailable("The file of the store has been moved or removed.")) }
    return opened
  }

  /// Carries out statements as one transaction.
  func commit(_ body: (SQLiteConnection) throws(SQLiteError) -> Void) throws(StorageFailure) {
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

  func read<R>(_ body: (SQLiteConnection) throws(SQLiteError) -> R) throws(StorageFailure) -> R {
    guard let opened else { throw .refused(.unavailable("The store is closed.")) }
    do throws(SQLiteError) { return try body(opened) } catch { throw error.readFailure }
  }
}
