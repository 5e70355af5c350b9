import BinderyCore
import BinderyJournal
import BinderySystem
import CBinderySQLite

/// Journal storage in an SQLite database that only this process writes to.
///
/// Every commit waits for fsync (`synchronous=FULL`). `NORMAL` would survive a killed process, but lose acknowledged
/// commits at a power failure.
package final class SQLiteStorage {
  package let path: String
  /// Indicates whether the previous server did not close the store, so that SQLite recovered commits from its WAL file.
  package let wasInterrupted: Bool
  /// The connection to the database; nil if reopening it failed.
  var openConnection: SQLiteConnection?
  /// The lock that makes this process the only writer; nil for a reader.
  private var ownership: FileLock?

  /// Opens a store for writing; creates it if the file does not exist or is empty.
  ///
  /// - Throws: ``StoreError``; `inUse` if another server uses the store.
  package init(_ path: String) throws(StoreError) {
    self.path = path
    do throws(Errno) {
      ownership = try FileLock(path + "-lock")
    } catch {
      throw error == .again ? .inUse : .unusable("\(path)-lock: \(error)")
    }
    wasInterrupted = (FileStatus.size(path + "-wal") ?? 0) > 0
    do throws(SQLiteError) { openConnection = try Self.open(path, .creating) } catch { throw StoreError(error) }
    if let openConnection { try Schema.prepare(openConnection) }
  }

  /// Opens a store for reading, even while a server writes to it. All reads see the store as it was at this moment.
  package init(reading path: String) throws(StoreError) {
    self.path = path
    wasInterrupted = false
    ownership = nil
    let connection = try Self.openForReading(path)
    guard try !Schema.check(connection) else { throw .notAStore }
    openConnection = connection
  }

  private static func openForReading(_ path: String) throws(StoreError) -> SQLiteConnection {
    do throws(SQLiteError) {
      let connection = try SQLiteConnection(path, .reading)
      try connection.run("BEGIN")
      return connection
    } catch { throw error.code == SQLITE_CANTOPEN ? .missing : StoreError(error) }
  }

  /// Copies a consistent snapshot of a store, even while a server writes to it.
  ///
  /// - Parameter copy: The path of the new file, which must not exist.
  package static func copy(_ path: String, to copy: String) throws(StoreError) {
    let source = try openForReading(path)
    try Schema.check(source)
    do throws(SQLiteError) {
      try source.copy(to: try SQLiteConnection(copy, .creating))
    } catch { throw StoreError(error) }
  }

  static func open(_ path: String, _ mode: SQLiteConnection.Mode) throws(SQLiteError) -> SQLiteConnection {
    let connection = try SQLiteConnection(path, mode)
    // Overwriting deleted rows with zeros would double the cost of removing old revisions.
    try connection.run(
      script: """
        PRAGMA synchronous = FULL;
        PRAGMA secure_delete = OFF;
        PRAGMA journal_size_limit = 16777216;
        """)
    return connection
  }

  /// Closes the database and then releases the lock.
  package func close() {
    // The last connection to close checkpoints the WAL file. Only then may another server open the store.
    openConnection = nil
    ownership = nil
  }

  /// Returns the open database, after a check that its file is still at its path.
  private func connection() throws(StorageFailure) -> SQLiteConnection {
    guard let openConnection else { throw .unknown(.unavailable("The store is closed.")) }
    // Commits to a file that was moved or removed would be lost at the next start.
    guard !openConnection.hasMoved else { throw .unknown(.unavailable("The file of the store was moved or removed.")) }
    return openConnection
  }

  /// Runs `body` as one transaction.
  ///
  /// - Throws: `refused` if certainly nothing was committed, else `unknown`.
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
      // SQLite reports “busy” before it writes anything. After any other error the commit may be on disk or not.
      if error.isBusy { try? connection.run("ROLLBACK") }
      throw error.isBusy && connection.isIdle ? .refused(error.failure) : .unknown(error.failure)
    }
  }

  /// Runs a read. The outcome of a failed read is never unknown.
  func read<R>(_ body: (SQLiteConnection) throws(SQLiteError) -> R) throws(StorageFailure) -> R {
    guard let openConnection else { throw .refused(.unavailable("The store is closed.")) }
    do throws(SQLiteError) { return try body(openConnection) } catch { throw error.readFailure }
  }
}
