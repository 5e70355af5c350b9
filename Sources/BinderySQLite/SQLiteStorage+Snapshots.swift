import BinderyCore
package import BinderyJournal
import BinderySystem

extension SQLiteStorage {
  package func snapshot() throws(StorageFailure) -> StoredSnapshot? {
    try read { connection throws(SQLiteError) in
      guard let revision = try snapshotRevision(connection) else { return nil }
      var content: [UInt8] = []
      content.reserveCapacity(try expectedLength(ofSnapshotAt: revision, connection))
      var number = 0
      let error = try connection.query(
        "SELECT revision, piece, content, checksum FROM snapshot WHERE revision = ? ORDER BY piece",
        .integer(revision)
      ) { row throws(SQLiteError) in
        guard row.hasValidChecksum(columns: Table.snapshot.width), row.integer(1) == number else {
          throw .damaged("the snapshot of revision \(revision)")
        }
        row.append(2, to: &content)
        number += 1
        return true
      }
      if let error { throw error }
      let layout = try setting(Setting.layout.rawValue, connection)?.text
      return StoredSnapshot(revision: revision, content: content, layout: layout)
    }
  }

  /// Returns the expected length of a snapshot, to reserve its memory at once: growing would hold the text twice.
  ///
  /// The lengths of all pieces are in their rows, and reading them would read the whole snapshot. The first piece is as
  /// long as the others but for a part of an element; a sixteenth is added for that.
  private func expectedLength(
    ofSnapshotAt revision: Int, _ connection: SQLiteConnection
  ) throws(SQLiteError) -> Int {
    try connection.first(
      """
      SELECT length(CAST(content AS BLOB)) * 17 / 16 * (SELECT count(*) FROM snapshot WHERE revision = ?1)
      FROM snapshot WHERE revision = ?1 AND piece = 0
      """, .integer(revision)
    ) { $0.integer(0) } ?? 0
  }

  /// Returns the revision of the latest complete snapshot; nil if there is none.
  func snapshotRevision(_ connection: SQLiteConnection) throws(SQLiteError) -> Int? {
    guard case .integer(let revision)? = try setting("snapshot", connection) else { return nil }
    return revision
  }

  package func write(piece: [UInt8], number: Int, ofSnapshotAt revision: Int) throws(StorageFailure) {
    try commit { connection throws(SQLiteError) in try Self.put(piece, number, revision, connection) }
  }

  package func finish(
    piece: [UInt8], number: Int, ofSnapshotAt revision: Int, layout: String
  ) throws(StorageFailure) {
    try commit { connection throws(SQLiteError) in
      try Self.finish(piece, number, revision, layout, connection)
    }
  }

  /// Stores the last piece of a snapshot, in a transaction.
  static func finish(
    _ piece: [UInt8], _ number: Int, _ revision: Int, _ layout: String, _ connection: SQLiteConnection
  ) throws(SQLiteError) {
    try put(piece, number, revision, connection)
    try set("snapshot", .integer(revision), connection)
    try set(Setting.layout.rawValue, .blob(Array(layout.utf8)), connection)
  }

  private static func put(
    _ piece: [UInt8], _ number: Int, _ revision: Int, _ connection: SQLiteConnection
  ) throws(SQLiteError) {
    // Removes the pieces of an earlier snapshot of this revision that was not finished.
    try connection.run("DELETE FROM snapshot WHERE revision = ? AND piece >= ?", .integer(revision), .integer(number))
    try connection.insert([.integer(revision), .integer(number), .text(piece)], into: .snapshot)
  }

  package func removeExpired(_ retention: Retention, atMost limit: Int) throws(StorageFailure) -> Bool {
    var hasMore = false
    try commit { connection throws(SQLiteError) in
      let snapshot = try snapshotRevision(connection) ?? 0
      let first = try lastRevision(connection) - retention.revisions + 1
      let start = try historyEnd(connection) &- retention.bytes
      // Only the oldest rows are examined: where nothing can be removed, a scan of all rows would be wasted.
      try connection.run(
        """
        DELETE FROM batch WHERE last IN (
          SELECT last FROM (SELECT last, at, start FROM batch ORDER BY last LIMIT ?6)
          WHERE last <= ?1 AND (last < ?2 OR at < ?3 OR start < ?4)
            AND start < (SELECT start FROM batch ORDER BY last LIMIT 1) + ?5)
        """,
        .integer(snapshot), .integer(first), .integer(Self.expiryTime(retention)), .integer(start),
        .integer(limit), .integer(JournalStep.rows(limit)))
      hasMore = connection.changes > 0
      try connection.run(
        """
        DELETE FROM snapshot WHERE (revision, piece) IN (
          SELECT revision, piece FROM snapshot WHERE revision <> ? LIMIT ?)
        """, .integer(snapshot), .integer(JournalStep.pieces(limit)))
      hasMore = hasMore || connection.changes > 0
      try removeExpiredKeyedResults(before: Int(Clock.wallMilliseconds / 1_000 - KeyedResult.lifetime), connection)
      hasMore = hasMore || connection.changes > 0
    }
    return hasMore
  }
}

// MARK: Settings

extension SQLiteStorage {
  /// A value that is stored in addition to the state.
  package enum Setting: String, Sendable {
    /// The secret key of the ETag digests.
    case secret
    /// The stored members of the model's types when the snapshot was written.
    case layout
    /// The id of the history that the revisions belong to.
    case history
  }

  /// Returns a setting; nil if it was never set.
  package func setting(_ name: Setting) throws(StorageFailure) -> [UInt8]? {
    try read { connection throws(SQLiteError) in try setting(name.rawValue, connection)?.bytes }
  }

  /// Stores a setting durably.
  package func set(_ name: Setting, to value: [UInt8]) throws(StorageFailure) {
    try commit { connection throws(SQLiteError) in try Self.set(name.rawValue, .blob(value), connection) }
  }

  /// Returns the stored value of an option of the program; nil if none was stored.
  package func option(_ name: String) throws(StorageFailure) -> String? {
    try read { connection throws(SQLiteError) in try setting("option:" + name, connection)?.text }
  }

  /// Stores the value of an option of the program durably.
  package func set(option name: String, to value: String) throws(StorageFailure) {
    try commit { connection throws(SQLiteError) in
      try Self.set("option:" + name, .text(Array(value.utf8)), connection)
    }
  }

  func setting(_ name: String, _ connection: SQLiteConnection) throws(SQLiteError) -> SQLiteValue? {
    var value: SQLiteValue?
    let error = try connection.query(
      "SELECT name, value, checksum FROM setting WHERE name = ?", .text(Array(name.utf8))
    ) { row throws(SQLiteError) in
      guard row.hasValidChecksum(columns: Table.setting.width) else { throw .damaged("the setting “\(name)”") }
      value = row.value(1)
      return true
    }
    if let error { throw error }
    return value
  }

  static func set(_ name: String, _ value: SQLiteValue, _ connection: SQLiteConnection) throws(SQLiteError) {
    try connection.insert([.text(Array(name.utf8)), value], into: .setting)
  }
}

extension SQLiteValue {
  fileprivate var bytes: [UInt8]? {
    switch self {
    case .blob(let bytes), .text(let bytes): bytes
    case .integer, .null: nil
    }
  }

  fileprivate var text: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }
}
