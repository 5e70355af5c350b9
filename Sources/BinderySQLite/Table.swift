import BinderyDigest

/// A table whose rows end in a checksum of their other columns.
struct Table: Sendable {
  let name: String
  /// How many columns there are before the checksum.
  let width: Int32
  /// Adds a row, or puts it in the place of the one with its key.
  let insert: String

  private init(_ name: String, width: Int32, replacing: Bool = false) {
    self.name = name
    self.width = width
    let marks = String(repeating: "?, ", count: Int(width)) + "?"
    insert = "INSERT \(replacing ? "OR REPLACE " : "")INTO \(name) VALUES (\(marks))"
  }

  /// last, first, at, lines
  static let batch = Table("batch", width: 4)
  /// number, at, patch, undo, shown_patch, shown_undo; in stores before version 3
  static let revision = Table("revision", width: 6)
  /// revision, piece, content
  static let snapshot = Table("snapshot", width: 3)
  /// name, value
  static let setting = Table("setting", width: 2, replacing: true)
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
