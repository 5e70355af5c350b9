import CSQLite

/// What the tables of a store are, and how older ones become today's.
enum Schema {
  /// Tells these databases from others (`PRAGMA application_id`): “Bndy”.
  static let applicationID = 0x426E_6479

  /// The steps from one version to the next; the version is how many have been taken (`PRAGMA user_version`).
  static let migrations = [
    """
    CREATE TABLE setting (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
    CREATE TABLE revision (
      number INTEGER PRIMARY KEY,
      at INTEGER NOT NULL,
      patch TEXT NOT NULL,
      undo TEXT NOT NULL,
      shown_patch TEXT,
      shown_undo TEXT
    ) STRICT;
    CREATE TABLE snapshot (
      revision INTEGER NOT NULL,
      piece INTEGER NOT NULL,
      content TEXT NOT NULL,
      PRIMARY KEY (revision, piece)
    ) STRICT;
    """
  ]

  /// Whether it is a store that this program can read.
  ///
  /// - Returns: its version; 0 for an empty file.
  @discardableResult
  static func check(_ connection: Connection) throws(StoreError) -> Int {
    let (id, tables, version): (Int, Int, Int)
    do throws(SQLiteError) {
      id = try connection.first("PRAGMA application_id") { $0.integer(0) } ?? 0
      tables = try connection.first("SELECT count(*) FROM sqlite_schema") { $0.integer(0) } ?? 0
      version = try connection.first("PRAGMA user_version") { $0.integer(0) } ?? 0
    } catch { throw StoreError(error) }
    guard id == applicationID || (id == 0 && tables == 0) else { throw .foreign }
    guard version <= migrations.count else { throw .newer(version) }
    return version
  }

  /// Brings a store to today's version, all steps or none.
  static func prepare(_ connection: Connection) throws(StoreError) {
    let version = try check(connection)
    do throws(SQLiteError) {
      // Kept in the file: who opens it later need not say so. It cannot change within a transaction.
      try connection.run(script: "PRAGMA journal_mode = WAL")
      guard version < migrations.count else { return }
      try connection.run(
        script: """
          BEGIN IMMEDIATE;
          \(migrations[version...].joined(separator: "\n"))
          PRAGMA application_id = \(applicationID);
          PRAGMA user_version = \(migrations.count);
          COMMIT;
          """)
    } catch { throw StoreError(error) }
  }
}
