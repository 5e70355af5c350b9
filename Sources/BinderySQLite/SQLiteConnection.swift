import CBinderySQLite

/// An open SQLite database. Not safe for concurrent use: its owner confines it to one thread at a time.
@safe final class SQLiteConnection {
  private let handle: OpaquePointer
  private var statements: [String: SQLiteStatement] = [:]
  /// The number of frames in the WAL file after the last commit of this connection (sqlite3_wal_hook).
  private(set) var walFrames = 0

  enum Mode {
    case writing
    case reading
    /// Reads a file without a WAL file on a read-only file system, where SQLite cannot create the files that other
    /// modes need (https://sqlite.org/c3ref/open.html, `immutable`).
    case readingImmutable
  }

  /// The time to wait for a lock that another program holds.
  private static let busyMilliseconds: Int32 = 1_000

  /// Opens a database. The file must exist; an empty file is an empty database.
  init(_ path: String, _ mode: Mode) throws(SQLiteError) {
    let flags = mode == .writing ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
    let path = mode == .readingImmutable ? "file:\(Self.percentEncoded(path))?immutable=1" : path
    var opened: OpaquePointer?
    let isURI = mode == .readingImmutable ? SQLITE_OPEN_URI : 0
    let result = unsafe sqlite3_open_v2(path, &opened, flags | isURI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard result == SQLITE_OK, let handle = unsafe opened else {
      let error = unsafe Self.error(result, opened)
      unsafe sqlite3_close(opened)
      throw error
    }
    unsafe self.handle = handle
    unsafe sqlite3_busy_timeout(handle, Self.busyMilliseconds)
    unsafe bindery_disable_schema_code(handle)
    guard mode == .writing else { return }
    // Replaces the hook of automatic checkpoints. The connection is closed, and the hook gone, before this value is.
    let observer = unsafe Unmanaged.passUnretained(self).toOpaque()
    _ = unsafe sqlite3_wal_hook(
      handle,
      { observer, _, _, frames in
        if let observer = unsafe observer {
          unsafe Unmanaged<SQLiteConnection>.fromOpaque(observer).takeUnretainedValue().walFrames = Int(frames)
        }
        return SQLITE_OK
      }, observer)
  }

  /// Returns a path for a URI, in which `%`, `?` and `#` have a meaning of their own.
  private static func percentEncoded(_ path: String) -> String {
    path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
  }

  deinit {
    statements.removeAll()
    unsafe sqlite3_close_v2(handle)
  }

  private static func error(_ result: Int32, _ handle: OpaquePointer?) -> SQLiteError {
    guard let handle = unsafe handle else { return SQLiteError(code: result & 0xFF, description: "out of memory") }
    var text = unsafe String(cString: sqlite3_errmsg(handle))
    var number = unsafe sqlite3_system_errno(handle)
    if number == 0, result & 0xFF == SQLITE_IOERR { number = unsafe bindery_wal_errno(handle) }
    if number != 0 { text += unsafe ", " + String(cString: strerror(number)).lowercased() }
    // SQLite returns a general I/O error if a file would exceed a limit, and if delayed allocation reports a full disk
    // only at fsync.
    let isIOError = result & 0xFF == SQLITE_IOERR
    let isFull = isIOError && [ENOSPC, EDQUOT, EFBIG].contains(number)
    let writeError = SQLITE_IOERR | 3 << 8  // SQLITE_IOERR_WRITE, a macro that Swift cannot import.
    return SQLiteError(
      code: isFull ? SQLITE_FULL : result & 0xFF, description: text, isAfterWrite: isIOError && result != writeError)
  }

  /// Returns the error of the last call, with the text and errno that SQLite keeps for it.
  func lastError(_ result: Int32) -> SQLiteError { unsafe Self.error(result, handle) }

  /// Whether no transaction is open.
  var isIdle: Bool { unsafe sqlite3_get_autocommit(handle) != 0 }

  /// The number of rows that the last statement changed.
  var changes: Int { unsafe Int(sqlite3_changes64(handle)) }

  /// Whether the file that this connection has open is no longer at its path.
  var hasMoved: Bool {
    var moved: Int32 = 0
    let result = unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved)
    return result == SQLITE_OK && moved != 0
  }

  /// Writes the commits in the WAL file to the database, up to the version that the oldest reader uses.
  ///
  /// - Returns: Whether all were written, so that the next commit starts at the beginning of the WAL file. A failed
  ///   checkpoint loses nothing, and is repeated after the next commit.
  func checkpointsAll() -> Bool {
    let row = try? first("PRAGMA wal_checkpoint(PASSIVE)") { ($0.integer(1), $0.integer(2)) }
    return row.map { $0.0 == $0.1 } ?? false
  }

  /// Copies a consistent snapshot of the whole database into another one.
  func copy(to destination: SQLiteConnection) throws(SQLiteError) {
    guard let backup = unsafe sqlite3_backup_init(destination.handle, "main", handle, "main") else {
      throw destination.lastError(SQLITE_ERROR)
    }
    let result = unsafe sqlite3_backup_step(backup, -1)
    let end = unsafe sqlite3_backup_finish(backup)
    guard result == SQLITE_DONE, end == SQLITE_OK else {
      throw destination.lastError(result == SQLITE_DONE ? end : result)
    }
  }
}

extension SQLiteConnection {
  /// Runs a statement to its end.
  func run(_ sql: String, _ values: SQLiteValue...) throws(SQLiteError) {
    let statement = try prepared(sql)
    try statement.bind(values)
    defer { statement.reset() }
    while try statement.step() {}
  }

  /// Runs several statements without values in order.
  func run(script: String) throws(SQLiteError) {
    let result = unsafe sqlite3_exec(handle, script, nil, nil, nil)
    guard result == SQLITE_OK else { throw lastError(result) }
  }

  /// Calls `body` with each row of a query until it returns false.
  ///
  /// - Returns: The error of the query, if it failed. Errors of `body` are thrown.
  func query<E: Error>(
    _ sql: String, _ values: SQLiteValue..., each body: (SQLiteStatement) throws(E) -> Bool
  ) throws(E) -> SQLiteError? {
    let statement: SQLiteStatement
    do throws(SQLiteError) {
      statement = try prepared(sql)
      try statement.bind(values)
    } catch { return error }
    defer { statement.reset() }
    while true {
      do throws(SQLiteError) { if try !statement.step() { return nil } } catch { return error }
      if try !body(statement) { return nil }
    }
  }

  /// Returns the first row of a query; nil if there is none.
  func first<R>(
    _ sql: String, _ values: SQLiteValue..., read: (SQLiteStatement) -> R
  ) throws(SQLiteError) -> R? {
    let statement = try prepared(sql)
    try statement.bind(values)
    defer { statement.reset() }
    return try statement.step() ? read(statement) : nil
  }

  /// Returns the prepared statement for some SQL. Statements are cached for the life of the connection.
  func prepared(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
    if let statement = statements[sql] { return statement }
    var prepared: OpaquePointer?
    let result = unsafe sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard result == SQLITE_OK, let prepared = unsafe prepared else { throw lastError(result) }
    let statement = unsafe SQLiteStatement(prepared, of: self)
    statements[sql] = statement
    return statement
  }
}
