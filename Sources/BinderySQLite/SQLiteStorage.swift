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
  /// The open database; nil after a failed reopening.
  var opened: SQLiteConnection?
  /// The lock that makes this process the only writer; nil for a reader.
  private var ownership: FileLock?

  /// Opens a store for writing; creates it if the file does not exist or is empty.
  ///
  /// - Throws: ``StoreError``; `owned` if another server has the store open.
  package init(_ path: String) throws(StoreError) {
    self.path = path
    ownership = try Self.lock(path)
    wasInterrupted = (FileStatus.size(path + "-wal") ?? 0) > 0
    do throws(SQLiteError) { opened = try Self.open(path, .creating) } catch { throw StoreError(error) }
    if let opened { try Schema.prepare(opened) }
  }

  private static func lock(_ path: String) throws(StoreError) -> FileLock {
    do throws(Errno) {
      return try FileLock(path + "-lock")
    } catch { throw error == .again ? .owned : .unusable("\(path)-lock: \(error)") }
  }

  /// Opens a store for reading, even while a server writes to it. All reads see the store as it was at this moment.
  package init(reading path: String) throws(StoreError) {
    self.path = path
    wasInterrupted = false
    ownership = nil
    let connection = try Self.openForReading(path)
    guard try !Schema.check(connection) else { throw .foreign }
    opened = connection
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

  /// Replaces a store by a copy of a backup, atomically. Creates the store if it does not exist.
  ///
  /// A crash leaves either the old store, with all its commits, or the new one.
  ///
  /// - Throws: ``StoreError``; `owned` if a server has the store open.
  package static func restore(_ path: String, from backup: String) throws(StoreError) {
    let ownership = try lock(path)
    let partial = path + ".restoring"
    for suffix in ["", "-wal", "-shm", "-journal"] { File.remove(partial + suffix) }
    try copy(backup, to: partial)
    // Commits of a killed server are still in the WAL file. A checkpoint moves them to the store, so that a crash
    // before the replacement loses none of them. The WAL file of a store that cannot be opened is useless.
    if let previous = try? SQLiteConnection(path, .writing) { try? previous.run("PRAGMA wal_checkpoint(TRUNCATE)") }
    // A WAL file that is left would be applied to the new store.
    for suffix in ["-wal", "-shm"] { File.remove(path + suffix) }
    do throws(Errno) {
      try File.replace(path, with: partial)
    } catch { throw .unusable("\(path): \(error)") }
    ownership.release()
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
    opened = nil
    ownership = nil
  }

  /// Returns the open database, after a check that its file is still at its path.
  private func connection() throws(StorageFailure) -> SQLiteConnection {
    guard let opened else { throw .unknown(.unavailable("The store is closed.")) }
    // Commits to a file that has no name any more would be lost at the next start.
    guard !opened.hasMoved else { throw .unknown(.unavailable("The file of the store was moved or removed.")) }
    return opened
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

  /// Runs a read; failures are never of unknown outcome.
  func read<R>(_ body: (SQLiteConnection) throws(SQLiteError) -> R) throws(StorageFailure) -> R {
    guard let opened else { throw .refused(.unavailable("The store is closed.")) }
    do throws(SQLiteError) { return try body(opened) } catch { throw error.readFailure }
  }
}
