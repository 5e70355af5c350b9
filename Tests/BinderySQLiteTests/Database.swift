import BinderyDigest
import CBinderySQLite

/// The database file of a store, opened directly with SQLite.
@safe final class Database {
  enum Value {
    case integer(Int)
    case text([UInt8])
    case null
  }

  private struct Failure: Error {
    let sql: String
    let result: Int32
  }

  private let handle: OpaquePointer?

  init(_ path: String) throws {
    var opened: OpaquePointer?
    let result = unsafe sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
    unsafe handle = opened
    if result != SQLITE_OK { throw Failure(sql: path, result: result) }
  }

  deinit { unsafe sqlite3_close_v2(handle) }

  /// Runs SQL statements in order.
  func run(_ sql: String) throws {
    let result = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    if result != SQLITE_OK { throw Failure(sql: sql, result: result) }
  }

  /// Returns the rows of a query whose columns are all integers.
  func integers(_ sql: String) throws -> [[Int]] {
    var rows: [[Int]] = []
    try unsafe withStatement(sql) { statement in
      while unsafe sqlite3_step(statement) == SQLITE_ROW {
        let count = unsafe sqlite3_column_count(statement)
        rows.append((0..<count).map { unsafe Int(sqlite3_column_int64(statement, $0)) })
      }
    }
    return rows
  }

  /// Inserts or replaces a row, followed by a valid checksum of its values.
  func insert(_ values: [Value], into table: String) throws {
    let sql = "INSERT OR REPLACE INTO \(table) VALUES (\(String(repeating: "?, ", count: values.count))?)"
    var checksum = Checksum()
    try unsafe withStatement(sql) { statement in
      for (index, value) in values.enumerated() {
        let parameter = Int32(index + 1)
        switch value {
        case .integer(let number):
          checksum.add(Int(SQLITE_INTEGER))
          checksum.add(number)
          unsafe sqlite3_bind_int64(statement, parameter, Int64(number))
        case .text(let bytes):
          checksum.add(Int(SQLITE_TEXT))
          checksum.add(bytes.span)
          _ = unsafe bytes.withUnsafeBytes { bytes in
            unsafe bindery_bind_text(statement, parameter, bytes.baseAddress, Int32(bytes.count))
          }
        case .null: checksum.add(Int(SQLITE_NULL))
        }
      }
      unsafe sqlite3_bind_int64(statement, Int32(values.count + 1), Int64(bitPattern: checksum.value))
      let result = unsafe sqlite3_step(statement)
      if result != SQLITE_DONE { throw Failure(sql: sql, result: result) }
    }
  }

  private func withStatement(_ sql: String, _ body: (OpaquePointer?) throws -> Void) throws {
    var statement: OpaquePointer?
    let result = unsafe sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
    defer { unsafe sqlite3_finalize(statement) }
    if result != SQLITE_OK { throw Failure(sql: sql, result: result) }
    try unsafe body(statement)
  }
}
