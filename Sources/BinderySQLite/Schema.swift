import BinderyCore
import CBinderySQLite

/// The database schema of a store, and the checks that a file has it.
enum Schema {
  /// `PRAGMA application_id`, which distinguishes stores from other SQLite databases: “Bndy”.
  static let applicationID = 0x426E_6479

  /// The format that this program writes and reads: the low byte of `PRAGMA user_version`. The other bytes are the
  /// ``StoreGeneration``.
  static let version = 1

  private static let tables = """
    CREATE TABLE setting (name TEXT PRIMARY KEY, value NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE batch (
      last INTEGER PRIMARY KEY,
      first INTEGER NOT NULL,
      at INTEGER NOT NULL,
      start INTEGER NOT NULL,
      size INTEGER NOT NULL,
      patches TEXT NOT NULL,
      checksum INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE keyed (
      last INTEGER PRIMARY KEY,
      total INTEGER NOT NULL,
      at INTEGER NOT NULL,
      results TEXT NOT NULL,
      checksum INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE session_end (
      session BLOB PRIMARY KEY,
      expires INTEGER NOT NULL,
      checksum INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE snapshot (
      revision INTEGER NOT NULL,
      piece INTEGER NOT NULL,
      content TEXT NOT NULL,
      checksum INTEGER NOT NULL,
      PRIMARY KEY (revision, piece)
    ) STRICT;
    """

  private static let tableCount = tables.split(separator: ";").count

  /// Checks that a database is empty or a store of this format.
  ///
  /// - Returns: Whether the database is empty.
  /// - Throws: `notAStore` for another kind of database, `otherFormat` or `otherTables` for a store of another version
  ///   of this program.
  @discardableResult
  static func check(_ connection: SQLiteConnection) throws(StoreError) -> Bool {
    let (id, tables, version, known): (Int, Int, Int, Int)
    do throws(SQLiteError) {
      id = try connection.first("PRAGMA application_id") { $0.integer(0) } ?? 0
      tables = try connection.first("SELECT count(*) FROM sqlite_schema") { $0.integer(0) } ?? 0
      version = try connection.first("PRAGMA user_version") { $0.integer(0) & 0xFF } ?? 0
      // SQLite keeps the text of each statement.
      known =
        try connection.first("SELECT count(*) FROM sqlite_schema WHERE instr(?, sql)", .text(Array(Self.tables.utf8))) {
          $0.integer(0)
        } ?? 0
    } catch { throw StoreError(error) }
    if id == 0, tables == 0 { return true }
    guard id == applicationID else { throw .notAStore }
    guard version == Self.version else { throw .otherFormat(version) }
    guard known == tableCount else { throw .otherTables }
    return false
  }

  /// Creates the tables in an empty database, in one transaction, and checks any other. Afterwards there is a WAL file.
  static func prepare(_ connection: SQLiteConnection) throws(StoreError) {
    let isEmpty = try check(connection)
    do throws(SQLiteError) {
      // The mode is stored in the file. It cannot be changed inside a transaction.
      try connection.run(script: "PRAGMA journal_mode = WAL")
      guard isEmpty else {
        // A copy had another mode: only the first transaction in the new one creates the WAL file.
        try connection.run("PRAGMA user_version")
        return
      }
      try connection.run(script: "BEGIN IMMEDIATE")
      do throws(SQLiteError) {
        try connection.run(
          script: """
            \(tables)
            PRAGMA application_id = \(applicationID);
            PRAGMA user_version = \(version);
            COMMIT;
            """)
      } catch {
        try? connection.run(script: "ROLLBACK")
        throw error
      }
    } catch { throw StoreError(error) }
  }
}
