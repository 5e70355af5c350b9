import BinderyCore
import BinderySync
import BinderySystem
import BinderyTestKit
import Foundation
import Testing

/// The start of an engine after a crash, or after a time without a server.
struct SyncStartTests {
  private let edited = Blog.data.replacing("Two", with: "2")
  private let changed = Blog.data.replacing(#""zoom": 3"#, with: #""zoom": 4"#)

  private func isInStep(_ scene: SyncScene) throws -> Bool {
    Blog.shape.areSame(try Blog.state(scene.text), scene.store.snapshot.root)
  }

  @Test func `a file that was edited while the server was down is read`() throws {
    let scene = try SyncScene()
    try scene.write(edited)
    try scene.restart()
    #expect(scene.store.revision == 1)
    #expect(scene.text == edited)
    #expect(try isInStep(scene))
    try scene.restart()
    #expect(scene.store.revision == 1)
    #expect(scene.problems() == [])
  }

  @Test func `a store that was changed without the file is written`() throws {
    let scene = try SyncScene()
    try scene.replaceStore(changed)
    try scene.restart()
    #expect(scene.text == changed)
    #expect(scene.problems() == [])
  }

  @Test func `after a crash between a commit and the write the file is written`() throws {
    let scene = try SyncScene()
    try scene.commit(#""zoom":3"#, #""zoom":4"#)
    try scene.restart()
    #expect(scene.text == changed)
    #expect(scene.problems() == [])
  }

  @Test func `if both have changed the store wins and the text of the file is kept`() throws {
    let scene = try SyncScene()
    try scene.replaceStore(changed)
    try scene.write(edited)
    try scene.restart()
    #expect(
      scene.problems() == [
        "db.json: both the file and the store have changed, and they differ at /posts/2/title: nothing of its change "
          + "was applied; its text is kept as db.json.conflict"
      ])
    #expect(try scene.text(of: "db.json.conflict") == edited)
    #expect(scene.text == changed)
    try scene.restart()
    #expect(scene.problems() == [])
  }

  @Test func `if both have changed to the same state nothing happens`() throws {
    let scene = try SyncScene()
    try scene.replaceStore(changed)
    let other = changed.replacing("1e3", with: "1000")
    try scene.write(other)
    try scene.restart()
    #expect(scene.text == other)
    #expect(scene.problems() == [])
  }

  @Test func `without a record the text of another file is kept`() throws {
    let scene = try SyncScene()
    try FileManager.default.removeItem(atPath: scene.recordPath)
    try scene.write(edited)
    try scene.restart()
    #expect(
      scene.problems() == [
        "db.json: the store has another value at /posts/2/title, and was not in step before: nothing of its change "
          + "was applied; its text is kept as db.json.conflict"
      ])
    #expect(try scene.text(of: "db.json.conflict") == edited)
    #expect(try isInStep(scene))
  }

  @Test func `a wrong text waits for its correction if the store has not changed`() throws {
    let scene = try SyncScene()
    try scene.write("{\n")
    try scene.restart()
    #expect(
      scene.problems() == [
        "db.json: invalid JSON: unexpected end of input at line 2, column 1; this change is not applied, and the file "
          + "is not written until it is corrected or the server stops"
      ])
    try scene.edit(edited)
    #expect(scene.state.contains(#""title":"2""#))
    #expect(scene.text == edited)
  }

  @Test func `without a record the correction of a wrong text does not replace the state`() throws {
    let scene = try SyncScene()
    try FileManager.default.removeItem(atPath: scene.recordPath)
    try scene.replaceStore(changed)
    try scene.write("{\n")
    try scene.restart()
    _ = scene.problems()
    try scene.edit(edited)
    #expect(
      scene.problems() == [
        "db.json: the store has another value at /posts/2/title, and was not in step before: nothing of its change "
          + "was applied; its text is kept as db.json.conflict"
      ])
    #expect(try scene.text(of: "db.json.conflict") == edited)
    #expect(scene.state.contains(#""zoom":4"#) && scene.store.revision == 1)
    #expect(try isInStep(scene))
    // From now on they are in step.
    try scene.edit(scene.text.replacing("Two", with: "2"))
    #expect(scene.state.contains(#""title":"2""#) && scene.state.contains(#""zoom":4"#))
    #expect(scene.problems() == [])
  }

  @Test func `a revision of another history is not the one that was written`() throws {
    let scene = try SyncScene()
    try scene.replaceStore(changed, revision: scene.store.revision)
    try scene.write(edited)
    try scene.restart()
    #expect(try scene.text(of: "db.json.conflict") == edited)
    #expect(scene.text == changed)
    #expect(scene.state.contains(#""zoom":4"#) && !scene.state.contains(#""title":"2""#))
  }

  @Test func `the start waits for a program that is saving the file`() throws {
    let scene = try SyncScene()
    // Truncated, half written, removed to be replaced, and complete.
    var steps: [String?] = ["", "", String(edited.prefix(20)), nil, edited]
    var pauses = 0
    SyncFile(scene.path).waitUntilQuiet { _ in
      pauses += 1
      guard !steps.isEmpty else { return }
      if let text = steps.removeFirst() {
        try? Data(text.utf8).write(to: URL(filePath: scene.path))
      } else {
        try? FileManager.default.removeItem(atPath: scene.path)
      }
    }
    #expect(scene.text == edited && pauses == 6)
    // Not forever.
    try scene.write("{")
    pauses = 0
    SyncFile(scene.path).waitUntilQuiet { _ in pauses += 1 }
    #expect(pauses == 20)
  }

  @Test func `a wrong text is kept if the store has changed`() throws {
    let scene = try SyncScene()
    try scene.replaceStore(changed)
    try scene.write("{\n")
    try scene.restart()
    #expect(try scene.text(of: "db.json.conflict") == "{\n")
    #expect(try isInStep(scene))
  }

  @Test func `what an interrupted write leaves behind is not taken for data`() throws {
    let scene = try SyncScene()
    let folder = scene.folder
    // The write was interrupted before the new text was complete, and after the exchange.
    try Data("{ incompl".utf8).write(to: folder.url.appending(path: ".db.json.sync-new"))
    try Data(Blog.data.utf8).write(to: folder.url.appending(path: ".db.json.sync"))
    try scene.restart()
    #expect(try scene.files == ["db.db-sync", "db.json"])
    #expect(scene.problems() == [])
    // Another program wrote to the file at the moment of the exchange.
    try Data(edited.utf8).write(to: folder.url.appending(path: ".db.json.sync"))
    try scene.restart()
    #expect(try scene.files == ["db.db-sync", "db.json", "db.json.conflict"])
    #expect(try scene.text(of: "db.json.conflict") == edited)
    #expect(scene.problems().count == 1)
  }

  @Test func `an exchange with a version that was not read is undone`() throws {
    let scene = try SyncScene()
    let (file, other) = (SyncFile(scene.path), scene.folder.url.appending(path: ".db.json.sync").path)
    let known = try #require(FileStatus(scene.path)?.stamp)
    // Another program saves after the last look, and before the exchange.
    try scene.write(edited, atomically: true)
    let new = try File.create(other, Array(changed.utf8))
    try File.exchange(other, with: scene.path)
    #expect(try file.finishExchange(of: known, by: new) == nil)
    #expect(scene.text == edited)
    #expect(try scene.files == ["db.db-sync", "db.json"])
  }

  @Test func `files that cannot be replaced are refused`() throws {
    func refusal(_ scene: SyncScene) -> String? {
      do throws(SyncRefusal) { try SyncFile(scene.path).checkIsReplaceable() } catch {
        return error.description.replacing(scene.folder.path + "/", with: "")
      }
      return nil
    }
    let scene = try SyncScene()
    let other = scene.folder.url.appending(path: "other.json").path
    #expect(refusal(scene) == nil)
    try FileManager.default.linkItem(atPath: scene.path, toPath: other)
    #expect(refusal(scene) == "db.json has other names (hard links), which would keep the old content: remove them")
    try FileManager.default.removeItem(atPath: scene.path)
    try FileManager.default.createSymbolicLink(atPath: scene.path, withDestinationPath: other)
    #expect(
      refusal(scene) == "db.json is a symbolic link, which --sync would replace by a file: pass its target, other.json")
    try FileManager.default.removeItem(atPath: scene.path)
    #expect(refusal(scene) == "db.json does not exist or cannot be accessed")
    try FileManager.default.moveItem(atPath: other, toPath: scene.path)
    try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: scene.path)
    #expect(refusal(scene) == "db.json is read-only: make it writable, or leave out --sync")
  }

  /// A regular file that is a mount point, as containers have them.
  private static let mountedFile = (try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8))?
    .split(separator: "\n").map { String($0.split(separator: " ")[4]) }
    .first { FileStatus(withoutFollowing: $0)?.isRegular == true }

  @Test(.enabled(if: mountedFile != nil)) func `a file that is a mount point is refused`() throws {
    let path = try #require(Self.mountedFile)
    #expect(throws: SyncRefusal.self) { try SyncFile(path).checkIsReplaceable() }
    #expect(File.isMountPoint(path))
    #expect(!File.isMountPoint("/etc/passwd"))
  }
}
