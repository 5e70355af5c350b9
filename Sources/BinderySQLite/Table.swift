import BinderyDigest

/// A table whose rows end in a checksum of their other columns.
struct Table: Sendable {
  let name: String
  /// The number of columns before the checksum.
  let width: Int32
  /// The SQL that adds a row; in a replacing table it replaces the row with the same key.
  let insert: String

  private init(_ name: String, width: Int32, replacing: Bool = false) {
    self.name = name
    self.width = width
    let marks = String(repeating: "?, ", count: Int(width)) + "?"
    insert = "INSERT \(replacing ? "OR REPLACE " : "")INTO \(name) VALUES (\(marks))"
  }

  /// Columns: last, first, at, start, size, patches.
  static let batch = Table("batch", width: 6)
  /// Columns: revision, piece, content.
  static let snapshot = Table("snapshot", width: 3)
  /// Columns: last, total, at, results.
  static let keyed = Table("keyed", width: 4)
  /// Columns: name, value.
  static let setting = Table("setting", width: 2, replacing: true)

  /// Columns: session, expires.
  static let sessionEnd = Table("session_end", width: 2, replacing: true)

  static let all = [batch, snapshot, keyed, setting, sessionEnd]
}

extension SQLiteConnection {
  /// Inserts a row with its checksum.
  func insert(_ values: [SQLiteValue], into table: Table) throws(SQLiteError) {
    try insert(rows: CollectionOfOne(values), into: table)
  }

  /// Inserts rows, each with its checksum.
  func insert(rows: some Sequence<[SQLiteValue]>, into table: Table) throws(SQLiteError) {
    let statement = try prepared(table.insert)
    for values in rows {
      try statement.bind(values)
      try statement.bind(.integer(Checksum(of: values).column), at: table.width)
      defer { statement.reset() }
      while try statement.step() {}
    }
  }
}
