import BinderySystem

/// A number in the header of a database that changes at each start of a server, and differs between a store and its
/// backups.
///
/// SQLite applies a WAL file to any database that has its name, and mixes the pages of two versions if the database was
/// replaced by a backup. The header is part of the database file and of its WAL file, so the two can be compared.
///
/// A start changes the number twice, with a checkpoint after each change. If it is interrupted, the number in the WAL
/// file is the successor of the one in the database. Copies from before the start are two changes behind.
struct StoreGeneration: Equatable {
  private let number: UInt32

  private init(_ number: UInt32) { self.number = number & 0xFF_FFFF }

  /// Creates a generation for a copy of a store.
  static func random() -> StoreGeneration { StoreGeneration(.random(in: 0...0xFF_FFFF)) }

  /// Reads the generation of a database.
  init(of connection: SQLiteConnection) throws(SQLiteError) {
    let version = try connection.first("PRAGMA user_version") { $0.integer(0) } ?? 0
    self.init(UInt32(truncatingIfNeeded: version) >> 8)
  }

  /// The generation after this one. The sequence has the full period of 2²⁴ (Hull and Dobell).
  var next: StoreGeneration { StoreGeneration(number &* 1_664_525 &+ 1_013_904_223) }

  /// Writes the header of the database. Inside a transaction, this adds the first page to the WAL file.
  func write(to connection: SQLiteConnection) throws(SQLiteError) {
    let version = Int32(bitPattern: number << 8 | UInt32(Schema.version))
    try connection.run(script: "PRAGMA user_version = \(version)")
  }
}

extension StoreGeneration {
  /// Checks that the WAL file next to a database, if there is one, can belong to the database.
  ///
  /// - Throws: `foreignWAL`, or `missingDatabase` if there is a WAL file and no database.
  /// - Precondition: No connection of this process has the database open: closing the descriptor used here would
  ///   release its locks.
  static func checkWAL(of path: String) throws(StoreError) {
    guard let walHeader = File.bytes(of: path + "-wal", at: 0, count: 32), walHeader.count == 32 else { return }
    // SQLite creates the WAL file after the first page of the database.
    guard let header = File.bytes(of: path, at: 0, count: 64), header.count == 64 else { throw .missingDatabase }
    // A database without a format is about to be created: its header is still in the WAL file.
    let version = header.bigEndian(at: 60)
    guard version != 0 else { return }
    let own = StoreGeneration(version >> 8)
    let frameSize = 24 + Int(walHeader.bigEndian(at: 8))
    var position = walHeader.count
    // The frames of the current use of the file carry the two salts of its header (https://sqlite.org/fileformat2.html,
    // section 4.1).
    while let frame = File.bytes(of: path + "-wal", at: position, count: 24 + 64), frame.count == 24 + 64,
      frame[8..<16].elementsEqual(walHeader[16..<24])
    {
      if frame.bigEndian(at: 0) == 1 {
        let found = StoreGeneration(frame.bigEndian(at: 24 + 60) >> 8)
        guard found == own || found == own.next else { throw .foreignWAL }
        return
      }
      position += frameSize
    }
  }
}

extension [UInt8] {
  /// The unsigned 32-bit number at an offset.
  fileprivate func bigEndian(at offset: Int) -> UInt32 {
    self[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }
}
