import BinderyCore
package import BinderyJournal
import BinderySystem
import CBinderySQLite

/// Journal storage in an SQLite database that only this process writes to.
///
/// Every commit waits for fsync (`synchronous=FULL`). `NORMAL` would survive a killed process, but lose acknowledged
/// commits at a power failure.
///
/// The lock on the database file is taken before SQLite opens the file and released after SQLite has closed it. While
/// it is held, the file is opened by SQLite only (see ``FileLock``).
package final class SQLiteStorage {
  /// The absolute path of the database file, without symbolic links.
  package let path: String
  /// Whether the previous server did not close the store, so that SQLite recovered commits from its WAL file.
  package let wasInterrupted: Bool
  /// The connection to the database; nil if reopening it failed.
  var openConnection: SQLiteConnection?
  /// The lock that makes this process the only writer; nil for a reader.
  private var lock: FileLock?
  /// The file that ``openConnection`` writes commits to.
  private var wal: FileIdentity?
  /// The generation of the open store; nil before the first commit, so that a store that cannot be read stays
  /// unchanged.
  private var generation: StoreGeneration?
  /// Whether the next commit is the first one in the WAL file, and must write the header of the database.
  private var isWALEmpty = true
  private let readerPause = ReaderPause()
  /// When the ends of expired sessions were last removed, in seconds since 1970.
  var lastSessionRemoval: Int64 = 0
  /// Called by ``close()`` if commits remain in the WAL file: they could not be moved to the database.
  package var didKeepWAL: @Sendable () -> Void = {}

  /// Opens a store for writing; creates it if the file does not exist or is empty.
  ///
  /// - Throws: ``StoreError``; `inUse` if another server uses the store.
  package init(_ path: String) throws(StoreError) {
    let lock = try Self.takeLock(path)
    self.path = lock.path
    wasInterrupted = (FileStatus.size(lock.path + "-wal") ?? 0) > 0
    self.lock = consume lock
    try StoreGeneration.checkWAL(of: self.path)
    try StoreLocation.checkFilesBeside(self.path)
    do throws(SQLiteError) { openConnection = try Self.open(self.path) } catch { throw StoreError(error) }
    // Checked again, because the file may have got another name before it was locked.
    try StoreLocation.check(self.path)
    if let openConnection {
      try Schema.prepare(openConnection)
      guard isInPlace, !openConnection.hasMoved else { throw .unusable("the file was replaced while it was opened") }
    }
    wal = walAtPath
  }

  /// Changes the generation of a store twice; see ``StoreGeneration``.
  private static func beginGeneration(_ connection: SQLiteConnection) throws(SQLiteError) -> StoreGeneration {
    var generation = try StoreGeneration(of: connection)
    // While another program reads the store, its WAL file cannot be emptied: the generation stays the same.
    guard try emptiesWAL(connection) else { return generation }
    for _ in 1...2 {
      generation = generation.next
      try generation.write(to: connection)
      guard try emptiesWAL(connection) else { break }
    }
    return generation
  }

  private static func takeLock(_ path: String) throws(StoreError) -> FileLock {
    try StoreLocation.check(path)
    try StoreLocation.checkDirectory(of: path)
    for _ in 0..<10 {
      do throws(Errno) { return try FileLock(path) } catch {
        guard error == .again else { throw StoreError(error, at: path) }
      }
      // A reader holds the lock for a moment, while it checks the WAL file.
      Thread.sleep(milliseconds: 10)
    }
    throw .inUse
  }

  /// Opens a store for reading, even while a server writes to it. All reads see the store as it was at this moment.
  ///
  /// Returns nil for an empty file, in which a server would create a new store.
  package init?(reading path: String) throws(StoreError) {
    (self.path, openConnection) = try Self.openForReading(path)
    wasInterrupted = false
    lock = nil
    guard let openConnection, try !Schema.check(openConnection) else { return nil }
  }

  deinit { close() }

  /// Checks that a server could write the file of a store, and create other files beside it.
  package static func checkAccess(_ path: String) throws(StoreError) {
    var canonical = path
    do throws(Errno) {
      canonical = try File.canonicalPath(path)
      try File.checkIsWritable(canonical)
    } catch {
      guard error == .noSuchFile else { throw StoreError(error, at: path) }
      try StoreGeneration.checkWAL(of: path)
    }
    try StoreLocation.checkFilesBeside(canonical)
    try StoreLocation.checkDirectory(of: path)
  }

  private static func openForReading(
    _ path: String
  ) throws(StoreError) -> (path: String, connection: SQLiteConnection) {
    try StoreLocation.check(path)
    let canonical: String
    do throws(Errno) {
      canonical = try File.canonicalPath(path)
      try File.checkIsReadable(canonical)
    } catch {
      throw error == .noSuchFile ? .missing : StoreError(error, at: path)
    }
    // Only a store without a server can have the WAL file of another store.
    if let lock = try? FileLock(canonical) {
      try StoreGeneration.checkWAL(of: canonical)
      lock.release()
    }
    do throws(SQLiteError) {
      return (canonical, try beginReading(canonical, .reading))
    } catch {
      guard error.code == SQLITE_READONLY || error.code == SQLITE_CANTOPEN else { throw StoreError(error) }
      // On a read-only file system, the file can be read if it contains all commits.
      let hasWAL = (FileStatus.size(canonical + "-wal") ?? 0) > 0
      if !hasWAL, File.isOnReadOnlyFileSystem(canonical) {
        do throws(SQLiteError) { return (canonical, try beginReading(canonical, .readingImmutable)) } catch {
          throw StoreError(error)
        }
      }
      try StoreLocation.checkDirectory(of: canonical)
      throw StoreError(error)
    }
  }

  private static func beginReading(
    _ path: String, _ mode: SQLiteConnection.Mode
  ) throws(SQLiteError) -> SQLiteConnection {
    let connection = try SQLiteConnection(path, mode)
    try connection.run("BEGIN")
    // The transaction begins with the first read, which creates the WAL files if no server uses the store.
    try connection.run("PRAGMA user_version")
    return connection
  }

  /// Copies a consistent snapshot of a store, even while a server writes to it.
  ///
  /// - Parameter copy: The path of the new file, which must not exist. It is incomplete if this throws an error.
  /// - Throws: ``StoreError``; `noState` if there is nothing to copy, `cannotCopy` if the new file cannot be written.
  package static func copy(_ path: String, to copy: String) throws(StoreError) {
    let (_, source) = try openForReading(path)
    if try Schema.check(source) { throw .noState }
    // The copy finds and reports damage.
    let snapshots = try? source.first("SELECT count(*) FROM snapshot") { $0.integer(0) }
    guard snapshots != 0 else { throw .noState }
    // SQLite would create the file with the permissions of the umask, and the file contains the key of the ETags.
    do throws(Errno) { try File.createPrivate(copy) } catch { throw .cannotCopy("\(error)") }
    do throws(SQLiteError) {
      let destination = try SQLiteConnection(copy, .writing)
      try source.copy(to: destination)
      try Self.leaveWAL(destination)
      try StoreGeneration.random().write(to: destination)
      // The copy and its original go different ways from here: the same revision may mean different states.
      try set(Setting.history.rawValue, .blob(Array(HistoryID.random().text.utf8)), destination)
    } catch { throw error.isDamage ? StoreError(error) : .cannotCopy(error.description) }
  }

  /// Makes the store one file, which stays one when it is read. A server changes the mode back.
  private static func leaveWAL(_ connection: SQLiteConnection) throws(SQLiteError) {
    try connection.run(script: "PRAGMA journal_mode = DELETE")
  }

  /// Makes a new store a backup: one file. Nothing can be committed afterwards.
  package func finishBackup() throws(StorageFailure) {
    try read { connection throws(SQLiteError) in try Self.leaveWAL(connection) }
  }

  /// Replaces a store by a copy of a backup, atomically. Creates the store if it does not exist.
  ///
  /// A crash leaves either the old store, with all its commits, or the new one.
  ///
  /// - Throws: ``StoreError``; `inUse` if a server uses the store, `notAStore` for a database of another program,
  ///   `damaged` if the backup is. The store is unchanged then.
  package static func restore(_ path: String, from backup: String) throws(StoreError) {
    // The lock creates the file if it does not exist.
    let previous = FileStatus(path)
    let owner = previous ?? FileStatus(File.directory(of: path))
    let lock = try takeLock(path)
    let path = lock.path
    var hasOwnWAL = true
    do throws(StoreError) { try StoreGeneration.checkWAL(of: path) } catch {
      guard case .foreignWAL = error else { throw error }
      hasOwnWAL = false
    }
    let partial = restoringPath(of: path)
    removeFiles(of: partial)
    do throws(StoreError) {
      try copy(backup, to: partial)
      try verify(partial)
    } catch {
      removeFiles(of: partial)
      // Only the empty file of the lock.
      if previous == nil, FileStatus.size(path) == 0 { File.remove(path) }
      throw error
    }
    // If root restores the store of a service, the service can still use it. Others cannot give files away.
    if let owner { try? File.copyOwner(of: owner, to: partial) }
    // Commits of a killed server are still in the WAL file. A checkpoint moves them to the store, so that a crash
    // before the replacement loses none of them. The WAL file of a store that cannot be opened is useless.
    if hasOwnWAL, let previous = try? SQLiteConnection(path, .writing) {
      do throws(StoreError) { try Schema.check(previous) } catch {
        if case .notAStore = error { throw error }
      }
      try? previous.run("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    // A WAL file that is left would be applied to the new store.
    for suffix in ["-wal", "-shm"] { File.remove(path + suffix) }
    do throws(Errno) {
      try File.replace(path, with: partial)
    } catch { throw .unusable("\(path): \(error)") }
    lock.release()
  }

  /// Returns the file that a backup is copied to before it replaces a store.
  private static func restoringPath(of path: String) -> String { path + ".restoring" }

  /// Returns the file that an interrupted restore has left beside a store without a state; nil if there is none.
  package static func interruptedRestore(of path: String) -> String? {
    let partial = restoringPath(of: path)
    return FileStatus.size(path) ?? 0 == 0 && FileStatus(partial) != nil ? partial : nil
  }

  /// Removes a database, with the files that SQLite creates beside it.
  package static func removeFiles(of path: String) {
    for suffix in ["", "-wal", "-shm", "-journal"] { File.remove(path + suffix) }
  }

  private static func open(_ path: String) throws(SQLiteError) -> SQLiteConnection {
    let connection = try SQLiteConnection(path, .writing)
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
    // Checked under the lock: the next server has a WAL file of its own. The empty files of a reader stay, because
    // another reader may have them open.
    if lock != nil, (FileStatus.size(path + "-wal") ?? 0) > 0 { didKeepWAL() }
    lock = nil
  }

  /// Runs `body` as one transaction.
  ///
  /// - Throws: `refused` if certainly nothing was committed, else `unknown`.
  func commit(_ body: (SQLiteConnection) throws(SQLiteError) -> Void) throws(StorageFailure) {
    guard let openConnection else { throw .unknown(.unavailable("The store is closed.")) }
    guard isInPlace else { throw .refused(moved) }
    do throws(SQLiteError) {
      if generation == nil { generation = try Self.beginGeneration(openConnection) }
      try openConnection.run("BEGIN IMMEDIATE")
      if isWALEmpty { try generation?.write(to: openConnection) }
      try body(openConnection)
      try openConnection.run("COMMIT")
    } catch {
      if !openConnection.isIdle { try? openConnection.run("ROLLBACK") }
      throw error.isHarmless && openConnection.isIdle ? .refused(error.failure) : .unknown(error.failure)
    }
    // A commit to a file that has lost its name would be lost at the next start.
    guard isInPlace, isWALInPlace else { throw .unknown(moved) }
    let frames = openConnection.walFrames
    isWALEmpty = frames >= Self.maximumWALFrames && openConnection.checkpointsAll()
    readerPause.request(!isWALEmpty && frames >= 4 * Self.maximumWALFrames)
  }

  /// The number of frames in the WAL file from which it is checkpointed after a commit: SQLite's default.
  private static let maximumWALFrames = 1_000

  /// Runs a read. The outcome of a failed read is never unknown.
  func read<R>(_ body: (SQLiteConnection) throws(SQLiteError) -> R) throws(StorageFailure) -> R {
    guard let openConnection else { throw .refused(.unavailable("The store is closed.")) }
    do throws(SQLiteError) { return try body(openConnection) } catch { throw error.readFailure }
  }
}

// MARK: The files

extension SQLiteStorage {
  /// Whether the locked file is still at its path.
  private var isInPlace: Bool { lock?.isInPlace ?? false }

  private var walAtPath: FileIdentity? { FileStatus(path + "-wal")?.identity }

  /// Whether the file that commits are written to is the one that the next start will read.
  private var isWALInPlace: Bool { wal != nil && wal == walAtPath }

  private var moved: JournalFailure {
    .unavailable(
      "A file of the store was moved, removed or replaced: put \(path) and \(path)-wal back.")
  }

  package func reopen() throws(StorageFailure) -> Int {
    // Only the locked file may be opened: another server may own what is at the path now.
    guard isInPlace else { throw .unknown(moved) }
    let last: Int
    do throws(SQLiteError) {
      // A WAL file without its name is lost when it is closed, so its commits are moved to the database first.
      if let openConnection, !isWALInPlace { try Self.checkpoint(openConnection) }
      openConnection = nil
      let connection = try Self.open(path)
      let generation = try StoreGeneration(of: connection)
      last = try lastRevision(connection)
      // After a failed fsync the kernel may hold dirty pages for clean. A checkpoint writes everything that was found
      // again, from the WAL file into the database, before anything is appended to it.
      try Self.checkpoint(connection)
      // A commit makes the truncation of the WAL durable. Otherwise a commit that was not found here could reappear
      // from the old WAL after a power failure.
      try connection.run("BEGIN IMMEDIATE")
      try generation.write(to: connection)
      try Self.probe(connection)
      try connection.run("COMMIT")
      isWALEmpty = false
      openConnection = connection
      wal = walAtPath
    } catch { throw .unknown(error.failure) }
    guard isInPlace, openConnection?.hasMoved == false else {
      openConnection = nil
      throw .unknown(moved)
    }
    return last
  }

  /// Writes all commits from the WAL file to the database, and empties the WAL file.
  ///
  /// - Returns: False if another program is reading the store.
  private static func emptiesWAL(_ connection: SQLiteConnection) throws(SQLiteError) -> Bool {
    try connection.first("PRAGMA wal_checkpoint(TRUNCATE)") { $0.integer(0) } == 0
  }

  private static func checkpoint(_ connection: SQLiteConnection) throws(SQLiteError) {
    guard try emptiesWAL(connection) else {
      throw SQLiteError(code: SQLiteError.busy, description: "another program is reading it")
    }
  }

  package func probe() throws(StorageFailure) -> Int {
    var last = 0
    try commit { connection throws(SQLiteError) in
      try Self.probe(connection)
      last = try lastRevision(connection)
    }
    return last
  }

  private static func probe(_ connection: SQLiteConnection) throws(SQLiteError) {
    try set("probe", .integer(Int(Clock.wallMilliseconds)), connection)
  }

  package func makeRevisionReader() -> any RevisionReader {
    SQLiteRevisionReader(path: path, identity: lock?.identity, pause: readerPause)
  }
}
