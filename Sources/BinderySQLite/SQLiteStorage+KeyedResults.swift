package import BinderyCore
package import BinderyJournal

/// The results of commits with idempotency keys. They are stored in the transaction of their revisions, and kept longer
/// than these if the history is short.
extension SQLiteStorage {
  /// Adds results that another storage has kept, to a copy of its state.
  ///
  /// - Parameter results: In the order of their commits.
  package func add(_ results: [KeyedResult]) throws(StorageFailure) {
    try commit { connection throws(SQLiteError) in
      for start in stride(from: 0, to: results.count, by: 1_000) {
        try insertKeyedResults(Array(results[start..<min(start + 1_000, results.count)]), connection)
      }
    }
  }

  /// Adds results as one row, if there are any.
  func insertKeyedResults(_ results: [KeyedResult], _ connection: SQLiteConnection) throws(SQLiteError) {
    guard let last = results.last else { return }
    let total = try connection.first("SELECT total FROM keyed ORDER BY last DESC LIMIT 1") { $0.integer(0) } ?? 0
    let time = results.reduce(Int64.min) { max($0, $1.time) }
    let json = KeyedResult.json(results)
    try connection.insert(
      [.integer(last.revision), .integer(total + results.count), .integer(Int(time)), .text(json)], into: .keyed)
  }

  package func keyedResults() throws(StorageFailure) -> [KeyedResult] {
    try read { connection throws(SQLiteError) in
      var results: [KeyedResult] = []
      let error = try connection.query(
        "SELECT last, total, at, results, checksum FROM keyed ORDER BY last"
      ) { row throws(SQLiteError) in
        guard row.hasValidChecksum(columns: Table.keyed.width), let json = row.bytes(3),
          let found = KeyedResult.results(json)
        else { throw .damaged("the idempotency keys of revision \(row.integer(0))") }
        results += found
        return true
      }
      if let error { throw error }
      return results.suffix(KeyedResult.maximumCount)
    }
  }

  /// Removes the results that are not needed any more.
  ///
  /// - Parameter time: The time of the oldest needed result, in seconds since 1970.
  func removeExpiredKeyedResults(before time: Int, _ connection: SQLiteConnection) throws(SQLiteError) {
    // The newest row stays, because the total continues from it.
    try connection.run(
      """
      DELETE FROM keyed WHERE last IN (SELECT last FROM keyed ORDER BY last LIMIT 64)
        AND last < (SELECT max(last) FROM keyed)
        AND (at < ?1 OR total <= (SELECT total FROM keyed ORDER BY last DESC LIMIT 1) - ?2)
      """, .integer(time), .integer(KeyedResult.maximumCount))
  }
}
