import BinderyCore
import CBinderySQLite

/// What the tables of a store are, and how older ones become today's.
enum Schema {
  /// Tells these databases from others (`PRAGMA application_id`): “Bndy”.
  static let applicationID = 0x426E_6479

  /// Today's version: how many steps have been taken since the empty file (`PRAGMA user_version`).
  static let version = 4

  /// The oldest version that today's is read as it stands.
  static let readableVersion = 3

  /// Whether it is a store that this program can read, perhaps after some steps.
  ///
  /// - Returns: its version; 0 for an empty file.
  @discardableResult
  static func check(_ connection: SQLiteConnection) throws(StoreError) -> Int {
    let (id, tables, version): (Int, Int, Int)
    do throws(SQLiteError) {
      id = try connection.first("PRAGMA application_id") { $0.integer(0) } ?? 0
      tables = try connection.first("SELECT count(*) FROM sqlite_schema") { $0.integer(0) } ?? 0
      version = try connection.first("PRAGMA user_version") { $0.integer(0) } ?? 0
    } catch { throw StoreError(error) }
    guard id == applicationID || (id == 0 && tables == 0) else { throw .foreign }
    guard version <= Self.version else { throw .newer(version) }
    return version
  }

  /// Brings a store to today's version, all steps or none.
  static func prepare(_ connection: SQLiteConnection) throws(StoreError) {
    let version = try check(connection)
    do throws(SQLiteError) {
      // Kept in the file: who opens it later need not say so. It cannot change within a transaction.
      try connection.run(script: "PRAGMA journal_mode = WAL")
      guard version < Self.version else { return }
      try connection.run(script: "BEGIN IMMEDIATE")
      do throws(SQLiteError) {
        for step in version..<Self.version { try take(step, connection) }
        try connection.run(
          script: """
            PRAGMA application_id = \(applicationID);
            PRAGMA user_version = \(Self.version);
            COMMIT;
            """)
      } catch {
        try? connection.run(script: "ROLLBACK")
        throw error
      }
    } catch { throw StoreError(error) }
  }
}

extension Schema {
  /// The step from a version to the next, within a transaction.
  private static func take(_ version: Int, _ connection: SQLiteConnection) throws(SQLiteError) {
    switch version {
    case 0: try connection.run(script: first)
    case 1: try addChecksums(connection)
    case 2: try gatherRevisions(connection)
    // From version 4 on the change of a scalar has a form of its own in a row, which older programs cannot read; what
    // they have written stays as it is.
    default: break
    }
  }
}

// MARK: Version 1

extension Schema {
  private static let first = """
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
}

// MARK: Version 2

extension Schema {
  /// Every row gets a checksum of its other columns, for which there is no expression in SQL: the tables are copied.
  private static func addChecksums(_ connection: SQLiteConnection) throws(SQLiteError) {
    try connection.run(
      script: """
        ALTER TABLE setting RENAME TO old_setting;
        ALTER TABLE revision RENAME TO old_revision;
        ALTER TABLE snapshot RENAME TO old_snapshot;
        CREATE TABLE setting (name TEXT PRIMARY KEY, value NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE revision (
          number INTEGER PRIMARY KEY,
          at INTEGER NOT NULL,
          patch TEXT NOT NULL,
          undo TEXT NOT NULL,
          shown_patch TEXT,
          shown_undo TEXT,
          checksum INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE snapshot (
          revision INTEGER NOT NULL,
          piece INTEGER NOT NULL,
          content TEXT NOT NULL,
          checksum INTEGER NOT NULL,
          PRIMARY KEY (revision, piece)
        ) STRICT;
        """)
    for table in [Table.setting, .revision, .snapshot] {
      let error = try connection.query("SELECT * FROM old_\(table.name)") { row throws(SQLiteError) in
        try connection.insert((0..<table.width).map { row.value($0) }, into: table)
        return true
      }
      if let error { throw error }
      try connection.run(script: "DROP TABLE old_\(table.name)")
    }
    let last = try connection.first("SELECT number FROM revision ORDER BY number DESC LIMIT 1") { $0.integer(0) }
    if let last { try SQLiteStorage.set("last", .integer(last), connection) }
  }
}

// MARK: Version 3

extension Schema {
  /// Revisions get rows for as many as were kept together; those of before are packed.
  private static func gatherRevisions(_ connection: SQLiteConnection) throws(SQLiteError) {
    try connection.run(
      script: """
        CREATE TABLE batch (
          last INTEGER PRIMARY KEY,
          first INTEGER NOT NULL,
          at INTEGER NOT NULL,
          lines TEXT NOT NULL,
          checksum INTEGER NOT NULL
        ) STRICT;
        """)
    let snapshot = try connection.first("SELECT name, value, checksum FROM setting WHERE name = 'snapshot'") { row in
      row.isWhole(Table.setting.width) ? row.integer(1) : nil
    }
    guard let whole = snapshot ?? 0 else { throw .damaged("the setting “snapshot”") }
    var gathered: [Revision] = []
    var bytes = 0
    let error = try connection.query("SELECT * FROM revision ORDER BY number") { row throws(SQLiteError) in
      let number = row.integer(0)
      if number > 0, row.isWhole(Table.revision.width) {
        let one = Revision(row)
        gathered.append(one)
        bytes += one.byteCount
      } else if number <= whole {
        // Only kept to be looked at: the state does not need it, nor is there any history before it.
        try connection.run("DELETE FROM batch")
        gathered = []
      } else {
        throw .damaged("revision \(number)")
      }
      // No row is needed for the state and for history at once.
      if bytes >= BatchRow.fullBytes || number == whole {
        try insert(gathered, connection)
        gathered = []
        bytes = 0
      }
      return true
    }
    if let error { throw error }
    try insert(gathered, connection)
    try connection.run(script: "DROP TABLE revision")
  }

  private static func insert(_ revisions: [Revision], _ connection: SQLiteConnection) throws(SQLiteError) {
    try connection.insert(rows: BatchRow.rows(of: revisions).lazy.map(\.values), into: .batch)
  }
}

extension Revision {
  /// From a row of the table of before.
  fileprivate init(_ row: SQLiteStatement) {
    var shown: Shown?
    if let patch = row.bytes(4), let undo = row.bytes(5) { shown = Shown(patch: patch, undo: undo) }
    self.init(
      number: row.integer(0), at: Int64(row.integer(1)), patch: row.bytes(2) ?? [], undo: row.bytes(3) ?? [],
      shown: shown)
  }
}
