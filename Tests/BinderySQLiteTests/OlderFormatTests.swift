import BinderyCore
import BinderyJournal
import BinderySQLite
import BinderyTestKit
import Testing

/// Stores of format 2, in which each revision had a row of its own.
struct OlderFormatTests {
  private let folder: TemporaryFolder
  private let store: String
  private let revisions: [Revision]
  private let snapshot = 350
  private let forever = Retention(revisions: 1_000_000, days: 36_500)

  /// What is left of 400 revisions, of which the first 99 are forgotten: more than one row has room for.
  init() throws {
    folder = try TemporaryFolder()
    store = folder("store.db")
    var random = SeededGenerator(seed: 5)
    revisions = (100...400).map { number in
      let length = Int.random(in: 0...900, using: &random)
      let patch = Array("[\(number)]".utf8) + [UInt8](repeating: 0x20, count: length)
      let shown = number % 3 == 0 ? Revision.Shown(patch: patch, undo: Array("[3]".utf8)) : nil
      return Revision(number: number, at: Int64(number) * 1_000, patch: patch, undo: Array("[]".utf8), shown: shown)
    }
    let database = try Database(store)
    try database.run(
      """
      CREATE TABLE setting (name TEXT PRIMARY KEY, value NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID;
      CREATE TABLE revision (number INTEGER PRIMARY KEY, at INTEGER NOT NULL, patch TEXT NOT NULL, undo TEXT NOT NULL,
        shown_patch TEXT, shown_undo TEXT, checksum INTEGER NOT NULL) STRICT;
      CREATE TABLE snapshot (revision INTEGER NOT NULL, piece INTEGER NOT NULL, content TEXT NOT NULL,
        checksum INTEGER NOT NULL, PRIMARY KEY (revision, piece)) STRICT;
      PRAGMA application_id = 1114530937;
      PRAGMA user_version = 2;
      """)
    try database.insert([.text(Array("snapshot".utf8)), .integer(snapshot)], into: "setting")
    try database.insert([.text(Array("last".utf8)), .integer(400)], into: "setting")
    for one in revisions { try Self.insert(one, database) }
  }

  private static func insert(_ one: Revision, _ database: Database) throws {
    try database.insert(
      [
        .integer(one.number), .integer(Int(one.at)), .text(one.patch), .text(one.undo),
        one.shown.map { .text($0.patch) } ?? .null, one.shown.map { .text($0.undo) } ?? .null,
      ], into: "revision")
  }

  /// All that a store tells, and what its state is made of.
  private func read(_ log: SQLiteStorage) throws -> (history: [Revision], oldest: Int, behind: [Int]) {
    defer { log.close() }
    var history: [Revision] = []
    var oldest = 0
    while true {
      let page = try log.revisions(after: history.last?.number ?? 0, limit: 50, forever)
      if page.revisions.isEmpty { break }
      history += page.revisions
      oldest = page.oldest
    }
    var behind: [Int] = []
    let failure = log.forEachPatch(after: snapshot) { number, _ in behind.append(number) }
    #expect(failure == nil)
    return (history, oldest, behind)
  }

  @Test func `all that it has kept is there, in rows that end where the snapshot does`() throws {
    for isWritten in [false, true] {
      let found = try read(isWritten ? SQLiteStorage(store) : SQLiteStorage(reading: store))
      let isAll = found.history == revisions
      #expect(isAll)
      #expect(found.oldest == 100)
      #expect(found.behind == Array(351...400))
    }
    let rows = try Database(store).integers("SELECT first, last FROM batch ORDER BY last")
    #expect(rows.count > 3 && rows.count < 20)
    #expect(rows.contains { $0[1] == snapshot })
    #expect(zip(rows, rows.dropFirst()).allSatisfy { $0[1] + 1 == $1[0] })
    let log = try SQLiteStorage(store)
    defer { log.close() }
    try log.append([Revision(number: 401, at: 500_000, patch: [], undo: [], shown: nil)])
    #expect(try log.reopen() == 401)
  }

  @Test func `a revision that is only told has changed: history begins behind it`() throws {
    try Database(store).run("UPDATE revision SET undo = '[1]' WHERE number = 340")
    for isWritten in [false, true] {
      let found = try read(isWritten ? SQLiteStorage(store) : SQLiteStorage(reading: store))
      #expect(found.history.map(\.number) == Array(341...400))
      #expect(found.oldest == 341)
      #expect(found.behind == Array(351...400))
    }
  }

  @Test func `a revision that the state is made of has changed: nothing is opened, and nothing lost`() throws {
    let database = try Database(store)
    try database.run("UPDATE revision SET undo = '[1]' WHERE number = 380")
    let damage = StoreError.damaged("revision 380 is not as it was written")
    #expect(throws: damage) { try SQLiteStorage(store) }
    #expect(throws: damage) { try SQLiteStorage(reading: store) }
    #expect(try database.integers("SELECT count(*) FROM revision") == [[301]])
    #expect(try database.integers("PRAGMA user_version") == [[2]])
  }

  @Test(arguments: [Int.min, -1, 0])
  func `a number that no revision has is passed over`(_ number: Int) throws {
    try Self.insert(Revision(number: number, at: 0, patch: [], undo: [], shown: nil), try Database(store))
    #expect(try read(SQLiteStorage(store)).history.count == 301)
  }

  @Test func `a gap is told`() throws {
    try Database(store).run("DELETE FROM revision WHERE number IN (130, 380)")
    let log = try SQLiteStorage(store)
    defer { log.close() }
    #expect(log.forEachPatch(after: snapshot) { _, _ in } == .damaged("revision 380 is missing"))
  }

  @Test func `rows of format 3 stay as they are, and others follow them`() throws {
    func log() throws -> SQLiteStorage { try SQLiteStorage(store) }
    let migrated = try log()
    migrated.close()
    let database = try Database(store)
    let rows = try database.integers("SELECT first, last, length(lines) FROM batch ORDER BY last")
    try database.run("PRAGMA user_version = 3")
    let change = ScalarChange(at: Array("/a".utf8), before: Array("1".utf8), after: Array("2".utf8))
    let later = Revision(number: 401, at: 500_000, .scalar(change))
    let opened = try log()
    try opened.append([later])
    opened.close()
    #expect(try database.integers("PRAGMA user_version") == [[4]])
    #expect(try database.integers("SELECT first, last, length(lines) FROM batch ORDER BY last").dropLast() == rows[...])
    let found = try read(log())
    let isAll = found.history == revisions + [later]
    #expect(isAll)
  }

  @Test func `what a file brings along to be run is not run`() throws {
    let database = try Database(store)
    try database.run(
      "CREATE TRIGGER thief AFTER INSERT ON setting BEGIN DELETE FROM snapshot; DELETE FROM setting; END")
    let log = try SQLiteStorage(store)
    try log.append([Revision(number: 401, at: 500_000, patch: [], undo: [], shown: nil)])
    #expect(try log.reopen() == 401)
    log.close()
    #expect(try database.integers("SELECT count(*) FROM setting WHERE name IN ('snapshot', 'last')") == [[2]])
  }
}
