import BinderyCore
import BinderyJournal
import BinderySQLite
import BinderyTestKit
import Foundation
import Testing

/// Bytes that change while nobody looks.
struct DamageTests {
  private let folder: TemporaryFolder
  private var store: String { folder("store.db") }
  private let expected: Notes

  /// A store with a snapshot, revisions behind it, and some that it stands for.
  init() throws {
    folder = try TemporaryFolder()
    let file = try StoreFile(folder("store.db"))
    defer { file.log.close() }
    let log = file.log
    var root = try Recovery(from: log) { Notes(secret: "marked") }.root
    for number in 1...60 {
      let before = root
      root.edit(number)
      try root.settle(from: before)
      try log.append([Revision(number: number, at: Int64(number), from: before, to: root)])
      if number == 30 { try log.finish(piece: Notes.shape.stored(root), number: 0, ofSnapshotAt: 30, layout: "") }
    }
    expected = root
  }

  /// What is read from the file, or why it is not.
  private func read() throws -> (root: Notes, revision: Int)? {
    let file = try StoreFile(store)
    defer { file.log.close() }
    let found = try #require(try Recovery<Notes>(of: file.log), "it takes itself for a new one")
    return (found.root, found.revision)
  }

  /// Changes one text in the file.
  private func replace(_ text: String, _ other: String, last: Bool = false) throws {
    var bytes = try Data(contentsOf: URL(filePath: store))
    let range = try #require(bytes.range(of: Data(text.utf8), options: last ? .backwards : []))
    bytes.replaceSubrange(range, with: Data(other.utf8))
    try bytes.write(to: URL(filePath: store))
  }

  @Test func `a revision of which a byte has changed is named, and not carried out`() throws {
    try replace(#""path":"/secret","value":"s47""#, #""path":"/secret","value":"s97""#, last: true)
    #expect { try read() } throws: { error in
      "\(error)" == "is damaged: revision 47 is not as it was written; bring back a backup"
    }
  }

  @Test func `a snapshot of which a byte has changed is named, and not read`() throws {
    try replace(#""secret":"s30""#, #""secret":"s31""#, last: true)
    #expect { try read() } throws: { error in
      "\(error)" == "is damaged: the snapshot of revision 30 is not as it was written; bring back a backup"
    }
  }

  @Test func `a revision that is only looked at is not shown when it has changed`() throws {
    try replace(#""path":"/secret","value":"s12""#, #""path":"/secret","value":"s92""#, last: true)
    #expect(try read()?.revision == 60)
    let log = try SQLiteStorage(store)
    defer { log.close() }
    let forever = Retention(revisions: 100, days: 36_500)
    #expect(throws: StorageFailure.damaged("revision 12 is not as it was written")) {
      try log.revisions(after: 10, limit: 5, forever)
    }
    #expect(try log.revisions(after: 12, limit: 5, forever).revisions.count == 5)
  }

  @Test func `whichever bit changes, it is told or makes no difference`() throws {
    let whole = try Data(contentsOf: URL(filePath: store))
    var random = SeededGenerator(seed: 9)
    var told = 0
    for _ in 0..<600 {
      var bytes = whole
      bytes[Int.random(in: bytes.indices, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      try bytes.write(to: URL(filePath: store))
      for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: store + suffix) }
      do {
        let found = try #require(try read())
        #expect(found.revision == 60)
        #expect(Notes.shape.areSame(found.root, expected))
      } catch is StoreError, is RecoveryError {
        told += 1
      }
    }
    #expect(told > 100)
  }
}
