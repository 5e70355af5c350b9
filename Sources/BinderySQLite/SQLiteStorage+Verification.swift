import BinderySystem

extension SQLiteStorage {
  /// Reads a whole store that no server uses, and checks its pages and the checksums of all its rows.
  ///
  /// A server notices damage only in the rows that it needs, and SQLite copies pages without reading their rows.
  ///
  /// - Throws: ``StoreError``; `damaged` if anything differs from what was written.
  /// - Complexity: O(size of the file).
  package static func verify(_ path: String) throws(StoreError) {
    // The writer has closed the store, but its last commits are not in the file.
    guard FileStatus.size(path + "-wal") ?? 0 == 0 else { throw .cannotCopy("the disk is full or fails") }
    guard let storage = try SQLiteStorage(reading: path), let connection = storage.openConnection else { return }
    defer { storage.close() }
    do throws(SQLiteError) {
      let result = try connection.first("PRAGMA integrity_check(1)") { $0.bytes(0) ?? [] }
      guard let result, result == Array("ok".utf8) else {
        throw SQLiteError.damaged("the database, with \(String(decoding: result ?? [], as: UTF8.self)),")
      }
      for table in Table.all {
        let error = try connection.query("SELECT * FROM \(table.name)") { row throws(SQLiteError) in
          guard row.hasValidChecksum(columns: table.width) else { throw .damaged("a row of the table \(table.name)") }
          return true
        }
        if let error { throw error }
      }
    } catch { throw StoreError(error) }
  }
}
