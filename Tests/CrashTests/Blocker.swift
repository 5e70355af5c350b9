import CBinderySQLite

/// Another program that holds a database locked.
@safe final class Blocker {
  enum Failure: Error {
    case sqlite(Int32)
  }

  private var database: OpaquePointer?

  init(_ path: String) throws {
    let opened = unsafe sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, nil)
    guard opened == SQLITE_OK else { throw Failure.sqlite(opened) }
    // The server may be writing just now.
    unsafe sqlite3_busy_timeout(database, 10_000)
    let begun = unsafe sqlite3_exec(database, "BEGIN IMMEDIATE", nil, nil, nil)
    guard begun == SQLITE_OK else { throw Failure.sqlite(begun) }
  }

  deinit { release() }

  func release() {
    unsafe sqlite3_close(database)
    unsafe database = nil
  }
}
