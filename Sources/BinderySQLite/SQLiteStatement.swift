import BinderyDigest
import CBinderySQLite

/// What a statement is given.
enum SQLiteValue {
  case integer(Int)
  /// In UTF-8.
  case text([UInt8])
  case blob([UInt8])
  case null
}

/// A prepared statement, and the row that it stands on.
@safe final class SQLiteStatement {
  private let handle: OpaquePointer
  private unowned let connection: SQLiteConnection

  init(_ handle: OpaquePointer, of connection: SQLiteConnection) {
    unsafe self.handle = handle
    self.connection = connection
  }

  deinit { unsafe sqlite3_finalize(handle) }

  func bind(_ values: [SQLiteValue]) throws(SQLiteError) {
    for index in values.indices { try bind(values[index], at: Int32(index)) }
  }

  /// - Parameter index: counted from 0.
  func bind(_ value: SQLiteValue, at index: Int32) throws(SQLiteError) {
    let parameter = index + 1
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

  /// Goes to the next row; false at the end.
  func step() throws(SQLiteError) -> Bool {
    switch unsafe sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let result: throw connection.lastError(result)
    }
  }

  /// Ends the query, so that its locks are given back.
  func reset() {
    // It repeats the error of the last step, which has been reported.
    unsafe sqlite3_reset(handle)
    unsafe sqlite3_clear_bindings(handle)
  }

  func integer(_ column: Int32) -> Int { unsafe Int(sqlite3_column_int64(handle, column)) }

  /// The bytes of a text or a blob; nil for null.
  func bytes(_ column: Int32) -> [UInt8]? {
    guard unsafe sqlite3_column_type(handle, column) != SQLITE_NULL else { return nil }
    return unsafe Array(raw(column))
  }

  /// Appends the bytes of a text or a blob, without an array of their own.
  func append(_ column: Int32, to bytes: inout [UInt8]) {
    unsafe bytes.append(contentsOf: raw(column))
  }

  func value(_ column: Int32) -> SQLiteValue {
    switch unsafe sqlite3_column_type(handle, column) {
    case SQLITE_INTEGER: .integer(integer(column))
    case SQLITE_TEXT: .text(bytes(column) ?? [])
    case SQLITE_NULL: .null
    default: .blob(bytes(column) ?? [])
    }
  }

  /// The bytes of a text or a blob where SQLite has them, until the next step.
  private func raw(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
    let start = unsafe sqlite3_column_blob(handle, column)
    let count = unsafe Int(sqlite3_column_bytes(handle, column))
    return unsafe UnsafeBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: count)
  }
}

// MARK: Checksums

extension Checksum {
  /// That of a row with these values.
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

  /// As a column holds it.
  var column: Int { Int(Int64(bitPattern: value)) }
}

extension SQLiteStatement {
  /// Whether the first columns of the row are those that the checksum in the last one was made of.
  ///
  /// - Parameter count: how many there are before the checksum.
  func isWhole(_ count: Int32) -> Bool {
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
