import BinderyDigest
import CBinderySQLite

/// A value bound to a statement parameter, or read from a column.
enum SQLiteValue {
  case integer(Int)
  /// UTF-8 bytes.
  case text([UInt8])
  case blob([UInt8])
  case null

  var byteCount: Int {
    switch self {
    case .text(let bytes), .blob(let bytes): bytes.count
    case .integer, .null: 0
    }
  }
}

/// A prepared statement and its current row.
@safe final class SQLiteStatement {
  private let handle: OpaquePointer
  private unowned let connection: SQLiteConnection

  init(_ handle: OpaquePointer, of connection: SQLiteConnection) {
    unsafe self.handle = handle
    self.connection = connection
  }

  deinit { unsafe sqlite3_finalize(handle) }

  /// Binds the first parameters in order.
  func bind(_ values: [SQLiteValue]) throws(SQLiteError) {
    for index in values.indices { try bind(values[index], at: Int32(index)) }
  }

  /// Binds one parameter.
  ///
  /// - Parameter index: Counts from 0.
  func bind(_ value: SQLiteValue, at index: Int32) throws(SQLiteError) {
    let parameter = index + 1
    guard value.byteCount <= Int(Int32.max) else {
      throw SQLiteError(code: SQLITE_TOOBIG, description: "a value has more than 2 GiB")
    }
    let result: Int32 =
      switch value {
      case .integer(let number): unsafe sqlite3_bind_int64(handle, parameter, Int64(number))
      case .text(let bytes):
        unsafe bytes.withUnsafeBytes {
          unsafe bindery_bind_text(handle, parameter, $0.baseAddress, Int32($0.count))
        }
      case .blob(let bytes):
        unsafe bytes.withUnsafeBytes {
          unsafe bindery_bind_blob(handle, parameter, $0.baseAddress, Int32($0.count))
        }
      case .null: unsafe sqlite3_bind_null(handle, parameter)
      }
    guard result == SQLITE_OK else { throw connection.lastError(result) }
  }

  /// Advances to the next row. Returns false at the end.
  func step() throws(SQLiteError) -> Bool {
    switch unsafe sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let result: throw connection.lastError(result)
    }
  }

  /// Ends the query and releases its locks.
  func reset() {
    // The result repeats the error of the last step, which was already reported.
    unsafe sqlite3_reset(handle)
    unsafe sqlite3_clear_bindings(handle)
  }

  /// Returns an integer column of the current row.
  func integer(_ column: Int32) -> Int { unsafe Int(sqlite3_column_int64(handle, column)) }

  /// Returns the bytes of a text or blob column; nil for NULL.
  func bytes(_ column: Int32) -> [UInt8]? {
    guard unsafe sqlite3_column_type(handle, column) != SQLITE_NULL else { return nil }
    return unsafe Array(raw(column))
  }

  /// Appends the bytes of a text or blob column without an intermediate array.
  func append(_ column: Int32, to bytes: inout [UInt8]) {
    unsafe bytes.append(contentsOf: raw(column))
  }

  /// Returns a column of the current row.
  func value(_ column: Int32) -> SQLiteValue {
    switch unsafe sqlite3_column_type(handle, column) {
    case SQLITE_INTEGER: .integer(integer(column))
    case SQLITE_TEXT: .text(bytes(column) ?? [])
    case SQLITE_NULL: .null
    default: .blob(bytes(column) ?? [])
    }
  }

  /// The bytes of a text or blob column in SQLite's own memory, valid until the next step.
  private func raw(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
    let start = unsafe sqlite3_column_blob(handle, column)
    let count = unsafe Int(sqlite3_column_bytes(handle, column))
    return unsafe UnsafeBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: count)
  }
}

// MARK: Checksums

extension Checksum {
  /// Creates the checksum of a row with these values.
  init(of values: [SQLiteValue]) {
    self.init()
    for value in values {
      switch value {
      case .integer(let number):
        add(Int(SQLITE_INTEGER))
        add(number)
      case .text(let bytes):
        add(Int(SQLITE_TEXT))
        add(bytes.span)
      case .blob(let bytes):
        add(Int(SQLITE_BLOB))
        add(bytes.span)
      case .null: add(Int(SQLITE_NULL))
      }
    }
  }

  /// The checksum as a column value.
  var column: Int { Int(Int64(bitPattern: value)) }
}

extension SQLiteStatement {
  /// Returns whether the column after the first `count` columns is their checksum.
  ///
  /// - Parameter count: The number of columns before the checksum.
  func hasValidChecksum(columns count: Int32) -> Bool {
    var checksum = Checksum()
    for column in 0..<count {
      let type = unsafe sqlite3_column_type(handle, column)
      checksum.add(Int(type))
      switch type {
      case SQLITE_NULL: continue
      case SQLITE_INTEGER: checksum.add(integer(column))
      default: unsafe checksum.add(raw(column).span)
      }
    }
    return checksum.column == integer(count)
  }
}
