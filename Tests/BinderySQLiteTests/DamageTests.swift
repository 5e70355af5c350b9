import BinderyCore
import BinderyJournal
import BinderySQLite
import BinderyTestKit
import BindingLaws
import Foundation
import Testing

/// Detection of bytes that changed in the store file.
struct DamageTests {
  private let folder: TemporaryFolder
  private var path: String { folder("store.db") }
  /// The state after the last revision.
  private let expected: Notes

  /// Writes a store with 60 revisions and a snapshot of revision 30.
  init() throws {
    folder = try TemporaryFolder()
    let file = try StoreFile(folder("store.db"))
    defer { file.storage.close() }
    let storage = file.storage
    var root = try Recovery(from: storage) { Notes(secret: "marked") }.root
    for number in 1...60 {
      let before = root
      root.edit(number)
      try root.settle(from: before)
      try storage.append([Revision(number: number, at: Int64(number), from: before, to: root, Notes.shape)])
      if number == 30 { try storage.finish(piece: Notes.shape.stored(root), number: 0, ofSnapshotAt: 30, layout: "") }
    }
    expected = root
  }

  /// Recovers the state from the file.
  ///
  /// - Throws: `StoreError` or `RecoveryError` if damage was detected.
  private func recover() throws -> (root: Notes, revision: Int) {
    let file = try StoreFile(path)
    defer { file.storage.close() }
    let recovery = try #require(try Recovery<Notes>(of: file.storage), "the store appears to be empty")
    return (recovery.root, recovery.revision)
  }

  /// Replaces the last occurrence of a text in the file.
  private func replaceLast(_ text: String, with replacement: String) throws {
    var bytes = try Data(contentsOf: URL(filePath: path))
    let range = try #require(bytes.range(of: Data(text.utf8), options: .backwards))
    bytes.replaceSubrange(range, with: Data(replacement.utf8))
    try bytes.write(to: URL(filePath: path))
  }

  @Test func `a trigger in the file does not run`() throws {
    let database = try Database(path)
    try database.run(
      "CREATE TRIGGER thief AFTER INSERT ON setting BEGIN DELETE FROM snapshot; DELETE FROM setting; END")
    let storage = try SQLiteStorage(path)
    try storage.append([Revision(number: 61, at: 500_000, patch: [], undo: [], shown: nil)])
    #expect(try storage.reopen() == 61)
    storage.close()
    #expect(try database.integers("SELECT count(*) FROM setting WHERE name IN ('snapshot', 'last')") == [[2]])
  }

  @Test func `a revision with a changed byte is reported and not replayed`() throws {
    try replaceLast(#""path":"/secret","value":"s47""#, with: #""path":"/secret","value":"s97""#)
    #expect { try recover() } throws: { error in
      "\(error)" == "is damaged: revision 47 failed its integrity check; restore a backup"
    }
  }

  @Test func `a snapshot with a changed byte is reported and not restored`() throws {
    try replaceLast(#""secret":"s30""#, with: #""secret":"s31""#)
    #expect { try recover() } throws: { error in
      "\(error)" == "is damaged: the snapshot of revision 30 failed its integrity check; restore a backup"
    }
  }

  @Test func `the history does not contain a changed revision that recovery does not need`() throws {
    try replaceLast(#""path":"/secret","value":"s12""#, with: #""path":"/secret","value":"s92""#)
    #expect(try recover().revision == 60)
    let storage = try SQLiteStorage(path)
    defer { storage.close() }
    let retention = Retention(revisions: 100, days: 36_500)
    #expect(throws: StorageFailure.damaged("revision 12 failed its integrity check")) {
      try storage.revisions(after: 10, limit: 5, retention)
    }
    #expect(try storage.revisions(after: 12, limit: 5, retention).revisions.count == 5)
  }

  @Test func `a change of any bit is reported or has no effect`() throws {
    let intact = try Data(contentsOf: URL(filePath: path))
    var random = SeededGenerator(seed: 9)
    var reported = 0
    for _ in 0..<600 {
      var bytes = intact
      bytes[Int.random(in: bytes.indices, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      try bytes.write(to: URL(filePath: path))
      for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
      do {
        let recovered = try recover()
        #expect(recovered.revision == 60)
        #expect(Notes.shape.areSame(recovered.root, expected))
      } catch is StoreError, is RecoveryError {
        reported += 1
      }
    }
    #expect(reported > 100)
  }
}
