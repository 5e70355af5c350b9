import CBinderySQLite

/// The write lock of a database, held on a connection of its own like another program would.
@safe final class WriteLock {
  enum Failure: Error {
    case sqlite(Int32)
  }

  private var database: OpaquePointer?

  /// Opens the database and waits up to 10 seconds for the lock.
  init(_ path: String) throws {
    let opened = unsafe sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, nil)
    guard opened == SQLITE_OK else { throw Failure.sqlite(opened) }
    // The server may hold the lock for a short write.
    unsafe sqlite3_busy_timeout(database, 10_000)
    let result = unsafe sqlite3_exec(database, "BEGIN IMMEDIATE", nil, nil, nil)
    guard result == SQLITE_OK else { throw Failure.sqlite(result) }
  }

  deinit { release() }

  /// Releases the lock by closing the connection.
  func release() {
    unsafe sqlite3_close(database)
    unsafe database = nil
  }
}
