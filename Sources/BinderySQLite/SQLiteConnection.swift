import CBinderySQLite

/// An open database: one user at a time.
@safe final class SQLiteConnection {
  private let handle: OpaquePointer
  private var statements: [String: SQLiteStatement] = [:]

  enum Mode {
    /// Makes the file where there is none.
    case creating
    case writing
    case reading
  }

  /// - Parameter busyMilliseconds: how long to wait for a lock of another program.
  init(_ path: String, _ mode: Mode, busyMilliseconds: Int32 = 1_000) throws(SQLiteError) {
    let flags =
      switch mode {
      case .creating: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .writing: SQLITE_OPEN_READWRITE
      case .reading: SQLITE_OPEN_READONLY
      }
    var opened: OpaquePointer?
    let result = unsafe sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard result == SQLITE_OK, let handle = unsafe opened else {
      let error = unsafe Self.error(result, opened)
      unsafe sqlite3_close(opened)
      throw error
    }
    unsafe self.handle = handle
    unsafe sqlite3_busy_timeout(handle, busyMilliseconds)
    unsafe bindery_distrust(handle)
  }

  deinit {
    statements.removeAll()
    unsafe sqlite3_close_v2(handle)
  }

  private static func error(_ result: Int32, _ handle: OpaquePointer?) -> SQLiteError {
    guard let handle = unsafe handle else { return SQLiteError(code: result & 0xFF, description: "out of memory") }
    var text = unsafe String(cString: sqlite3_errmsg(handle))
    let number = unsafe sqlite3_system_errno(handle)
    if number != 0 { text += unsafe ", " + String(cString: strerror(number)).lowercased() }
    // Where the room ends only when it is waited for the disk, SQLite takes it for any other error.
    let isFull = result & 0xFF == SQLITE_IOERR && (number == ENOSPC || number == EDQUOT)
    return SQLiteError(code: isFull ? SQLITE_FULL : result & 0xFF, description: text)
  }

  func lastError(_ result: Int32) -> SQLiteError { unsafe Self.error(result, handle) }

  /// Nothing has begun that has not ended.
  var isIdle: Bool { unsafe sqlite3_get_autocommit(handle) != 0 }

  /// How many rows the last statement has changed.
  var changes: Int { unsafe Int(sqlite3_changes64(handle)) }

  /// The file is no longer where it was opened: what is written to it is lost.
  var hasMoved: Bool {
    var moved: Int32 = 0
    let result = unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved)
    return result == SQLITE_OK && moved != 0
  }

  /// Copies the whole to another database, as it is at one moment.
  func copy(to other: SQLiteConnection) throws(SQLiteError) {
    guard let backup = unsafe sqlite3_backup_init(other.handle, "main", handle, "main") else {
      throw other.lastError(SQLITE_ERROR)
    }
    let result = unsafe sqlite3_backup_step(backup, -1)
    let end = unsafe sqlite3_backup_finish(backup)
    guard result == SQLITE_DONE, end == SQLITE_OK else { throw other.lastError(result == SQLITE_DONE ? end : result) }
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

  /// Runs several statements without values, one behind the other.
  func run(script: String) throws(SQLiteError) {
    let result = unsafe sqlite3_exec(handle, script, nil, nil, nil)
    guard result == SQLITE_OK else { throw lastError(result) }
  }

  /// Hands the rows of a query over; false ends it.
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

  /// The first row of a query.
  func first<R>(
    _ sql: String, _ values: SQLiteValue..., read: (SQLiteStatement) -> R
  ) throws(SQLiteError) -> R? {
    let statement = try prepared(sql)
    try statement.bind(values)
    defer { statement.reset() }
    return try statement.step() ? read(statement) : nil
  }

  func prepared(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
    if let statement = statements[sql] { return statement }
    var made: OpaquePointer?
    let result = unsafe sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil)
    guard result == SQLITE_OK, let made = unsafe made else { throw lastError(result) }
    let statement = unsafe SQLiteStatement(made, of: self)
    statements[sql] = statement
    return statement
  }
}
