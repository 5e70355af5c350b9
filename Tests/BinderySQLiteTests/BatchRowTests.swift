import BinderyCore
import BinderyJSON
import BinderyJournal
import BinderySQLite
import BinderyTestKit
import BindingLaws
import Testing

/// Consecutive revisions in one database row.
struct BatchRowTests {
  private let folder: TemporaryFolder
  private let retention = Retention(revisions: 1_000_000, days: 36_500)

  init() throws { folder = try TemporaryFolder() }

  /// Returns canonical JSON of an array that contains a text, as a placeholder for a patch.
  private static func patch(_ text: String) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginArray()
    writer.string(text)
    writer.endArray()
    return writer.bytes
  }

  /// Returns random revisions of all kinds and many sizes.
  private static func revisions(_ numbers: ClosedRange<Int>, _ random: inout SeededGenerator) -> [Revision] {
    let letters = Array("a\t\n\r\u{0}\u{1F41D}\"\\\u{2028}")
    var time: Int64 = 1_800_000_000_000
    return numbers.map { number in
      if Bool.random(using: &random) { time += Int64.random(in: 0...1_000, using: &random) }
      func patch() -> [UInt8] {
        let isLong = Int.random(in: 0..<20, using: &random) == 0
        let count = Int.random(in: 0...(isLong ? 50_000 : 50), using: &random)
        // Arbitrary bytes too, because the row format must not depend on the content.
        if count % 5 == 0 { return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) } }
        return Self.patch(String((0..<count).map { _ in letters.randomElement(using: &random) ?? "a" }))
      }
      let shown = Bool.random(using: &random) ? Revision.Pair(patch: patch(), undo: patch()) : nil
      let positions = Revision.Pair(patch: Self.patch("/\(number)"), undo: patch())
      return Revision(
        number: number, at: time, patch: patch(), undo: patch(), shown: shown,
        positions: Bool.random(using: &random) ? positions : nil,
        metadata: CommitMetadata(author: number % 3 == 0 ? "alice" : ""))
    }
  }

  @Test func `revisions are read as they were written, regardless of how many share a row`() throws {
    var random = SeededGenerator(seed: 4)
    let storage = try SQLiteStorage(folder("store.db"))
    defer { storage.close() }
    try storage.finish(piece: [1], number: 0, ofSnapshotAt: 0, layout: "")
    var expected: [Revision] = []
    for size in [1, 2, 40, 1, 100, 7] {
      let batch = Self.revisions((expected.count + 1)...(expected.count + size), &random)
      try storage.append(batch)
      expected += batch
    }
    var patches: [[UInt8]] = []
    #expect(storage.forEachPatch(after: 0) { _, patch in patches.append(patch) } == nil)
    #expect(patches == expected.map(\.patch))
    for after in [0, 1, 2, 3, 20, 42, 43, 44, 80, 143, 144, 150, 151] {
      var found: [Revision] = []
      while let page = try? storage.revisions(after: after + found.count, limit: 9, retention), !page.revisions.isEmpty
      {
        found += page.revisions
      }
      #expect(found == Array(expected.dropFirst(after)), "after \(after)")
      var numbers: [Int] = []
      #expect(storage.forEachPatch(after: after) { number, _ in numbers.append(number) } == nil)
      #expect(numbers == expected.dropFirst(after).map(\.number))
    }
  }

  @Test func `a revision is stored as author, patch, undo and paths with positions`() throws {
    let positions = Revision.Pair(patch: Array("[5]".utf8), undo: Array("[6]".utf8))
    let revision = Revision(
      number: 1, at: -5, patch: Array("[1]".utf8), undo: Array("[-1]".utf8), shown: nil, positions: positions,
      metadata: CommitMetadata(author: "alice"))
    let storage = try SQLiteStorage(folder("store.db"))
    defer { storage.close() }
    try storage.append([revision])
    #expect(try storage.revisions(after: nil, limit: 1, retention).revisions == [revision])
    let database = try Database(folder("store.db"))
    #expect(try database.integers("SELECT patches = '-5 5 3 4 3 3\nalice\n[1]\n[-1]\n[5]\n[6]\n' FROM batch") == [[1]])
  }

  @Test func `a new row is started when a row is full`() throws {
    let long = [UInt8](repeating: 0x20, count: 30_000)
    do {
      let storage = try SQLiteStorage(folder("store.db"))
      defer { storage.close() }
      try storage.append((1...7).map { Revision(number: $0, at: 5, patch: long, undo: [], shown: nil) })
    }
    #expect(try Database(folder("store.db")).integers("SELECT first, last FROM batch") == [[1, 3], [4, 6], [7, 7]])
  }

  @Test func `expired revisions are not listed, even in a row with newer revisions`() throws {
    let storage = try SQLiteStorage(folder("store.db"))
    defer { storage.close() }
    try storage.finish(piece: [1], number: 0, ofSnapshotAt: 0, layout: "")
    let old: Int64 = 1_000
    try storage.append(
      (1...9).map { Revision(number: $0, at: $0 < 6 ? old : 4_000_000_000_000, patch: [], undo: [], shown: nil) })
    let page = try storage.revisions(after: nil, limit: 100, Retention(revisions: 100, days: 30))
    #expect(page.oldest == 6)
    #expect(page.revisions.map(\.number) == [6, 7, 8, 9])
  }

  @Test(arguments: [
    "UPDATE batch SET last = 5 WHERE last = 4", "UPDATE batch SET first = 2 WHERE last = 4",
    "UPDATE batch SET patches = replace(patches, 'one', 'two')", "UPDATE batch SET at = 6 WHERE last = 4",
    "UPDATE batch SET start = 1 << 62, size = 1 << 62 WHERE last = 4",
  ])
  func `a changed row is reported with its revisions`(_ sql: String) throws {
    try write(4)
    try Database(folder("store.db")).run(sql)
    let storage = try SQLiteStorage(folder("store.db"))
    defer { storage.close() }
    guard case .damaged(let detail)? = storage.forEachPatch(after: 0, { _, _ in }) else {
      Issue.record("the damage was not detected")
      return
    }
    #expect(detail.hasPrefix("one of the revisions "))
    #expect(detail.hasSuffix(" failed its integrity check"))
  }

  @Test(arguments: [
    "", "\n", "5", "5 1 1 1 0 0", "5 1 1 1 0 0\n", "5 1 1 1 0 0\na\nb\nc\n\n", "5 1 1 2 0 0\na\nb\nc\n\n\n",
    "5 1 1\na\nb\n", "5 1 1 1 1 1 1\na\nb\nc\nd\ne\nf\n", "5 1 1 1 1\na\nb\nc\nd\n", "5 1 1 1 0 2\na\nb\nc\n\nd\n",
    "x 1 1 1 0 0\na\nb\nc\n\n\n", "5 1 1 1 0 0\na\nb-c\n\n\n", "5 -1 1 1 0 0\na\nb\nc\n\n\n",
    "5 1 1 9223372036854775807 0 0\na\nb\nc\n\n\n", "5 1 1 99999999999999999999 0 0\na\nb\nc\n\n\n",
    "5 1 1 1 0 0\na\nb\nc\n\n\nmore", "5 1 1 1 0 0\na\nb\nc\n\n\n5 1 1 1 0 0\na\nb\nc\n\n\n",
  ])
  func `a malformed row with a valid checksum is reported as damaged`(_ lines: String) throws {
    try write(4)
    try Database(folder("store.db"))
      .insert(
        [.integer(4), .integer(4), .integer(5), .integer(0), .integer(9), .text(Array(lines.utf8))], into: "batch")
    let storage = try SQLiteStorage(folder("store.db"))
    defer { storage.close() }
    #expect(storage.forEachPatch(after: 3) { _, _ in } == .damaged("revision 4 failed its integrity check"))
    #expect(throws: StorageFailure.self) { try storage.revisions(after: nil, limit: 9, retention) }
  }

  @Test func `a store with other tables is refused`() throws {
    try write(1)
    try Database(folder("store.db")).run("ALTER TABLE batch RENAME COLUMN patches TO lines")
    #expect(throws: StoreError.otherTables) { try SQLiteStorage(folder("store.db")) }
    #expect(StoreError.otherTables.description.contains("export the state with that version"))
  }

  @Test func `a missing row is reported with its first revision`() throws {
    try write(4)
    try write(3, from: 5)
    try Database(folder("store.db")).run("DELETE FROM batch WHERE last = 4")
    let storage = try SQLiteStorage(folder("store.db"))
    defer { storage.close() }
    #expect(storage.forEachPatch(after: 0) { _, _ in } == .damaged("revision 1 is missing"))
    #expect(storage.forEachPatch(after: 4) { _, _ in } == nil)
  }

  /// Appends revisions in one batch, after a first snapshot if the store is new.
  private func write(_ count: Int, from first: Int = 1) throws {
    let storage = try SQLiteStorage(folder("store.db"))
    defer { storage.close() }
    if first == 1 { try storage.finish(piece: [1], number: 0, ofSnapshotAt: 0, layout: "") }
    try storage.append(
      (first..<first + count).map {
        Revision(number: $0, at: 5, patch: Self.patch("one"), undo: Self.patch("one"), shown: nil)
      })
  }
}
