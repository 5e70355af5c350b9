import CBinderyPostgreSQL

/// The rows that a statement has returned, in binary format.
@safe final class PostgreSQLRows {
  private let result: OpaquePointer
  /// The number of rows.
  let count: Int

  /// - Parameter result: Cleared with this object.
  init(_ result: OpaquePointer) {
    unsafe self.result = result
    count = unsafe Int(PQntuples(result))
  }

  deinit { unsafe PQclear(result) }

  /// The number of rows that an `INSERT`, `UPDATE` or `DELETE` has changed.
  var changed: Int { unsafe Int(String(cString: PQcmdTuples(result))) ?? 0 }

  func isNull(_ row: Int, _ column: Int) -> Bool { unsafe PQgetisnull(result, Int32(row), Int32(column)) != 0 }

  /// Returns the bytes of a `bytea` or `text`; none for NULL.
  func bytes(_ row: Int, _ column: Int) -> [UInt8] {
    let start = unsafe PQgetvalue(result, Int32(row), Int32(column))
    let count = unsafe Int(PQgetlength(result, Int32(row), Int32(column)))
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  func text(_ row: Int, _ column: Int) -> String { String(decoding: bytes(row, column), as: UTF8.self) }

  /// Returns a `bigint`.
  func integer(_ row: Int, _ column: Int) -> Int {
    Int(truncatingIfNeeded: bytes(row, column).reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
  }
}
