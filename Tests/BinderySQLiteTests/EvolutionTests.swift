import BinderyCore
import BinderyJournal
import BinderySQLite
import BinderyTestKit
import Testing

/// Opening a store that another version of the model wrote.
struct EvolutionTests {
  private let folder: TemporaryFolder

  /// Writes a store with `First`: a snapshot and revisions that change every member.
  init() throws {
    folder = try TemporaryFolder()
    let storage = try SQLiteStorage(folder("store.db"))
    defer { storage.close() }
    let first = try Recovery(from: storage) { First(title: "a", rank: 1, mood: .calm, gone: Gone(note: "x")) }.root
    var second = first
    second.title = "b"
    second.gone.note = "y"
    second.mood = .wild(level: 3)
    try storage.append([Revision(number: 1, at: 0, from: first, to: second, First.shape)])
    var third = second
    third.rank = 2
    try storage.append([Revision(number: 2, at: 0, from: second, to: third, First.shape)])
  }

  /// Recovers the store with a model.
  private func recover<Root: StateModel>(_ type: Root.Type) throws -> Recovery<Root> {
    let storage = try SQLiteStorage(folder("store.db"))
    defer { storage.close() }
    return try #require(try Recovery<Root>(of: storage))
  }

  @Test func `a new member gets its default and a removed member is ignored`() throws {
    let recovery = try recover(Second.self)
    #expect(recovery.revision == 2)
    #expect(recovery.root == Second(title: "b", rank: 2, mood: .wild(level: 3), color: "red", remark: nil))
    #expect(recovery.changes.added == ["/color string", "/remark? string"])
    #expect(recovery.changes.removed == ["/gone/note string"])
    #expect(recovery.dropped == ["/gone (1 value dropped)"])
  }

  @Test func `a member with a different type is rejected and the store stays unchanged`() throws {
    #expect { try recover(Retyped.self) } throws: { error in
      "\(error)" == """
        does not fit the model of this server: nothing was changed
        /rank: 2 is not a string; change the value with the previous model first, or let the model accept it
        """
    }
    #expect(try recover(First.self).revision == 2)
  }

  @Test func `a renamed case is rejected if it is stored`() throws {
    #expect { try recover(Renamed.self) } throws: { error in
      "\(error)".contains("\n/mood/wild: there is no case “wild” with a payload, expected one of ")
    }
  }

  @Test func `a value that was corrected after the snapshot does not refuse a model`() throws {
    let storage = try SQLiteStorage(folder("store.db"))
    let before = try #require(try Recovery<First>(of: storage)).root
    var after = before
    after.mood = .calm
    after.title = "c"
    try storage.append([Revision(number: 3, at: 0, from: before, to: after, First.shape)])
    storage.close()
    let recovery = try recover(Renamed.self)
    #expect(recovery.root.mood == .calm)
    #expect((recovery.revision, recovery.replayed) == (3, 3))
    #expect(recovery.dropped == ["/gone", "/rank", "/title"].map { "\($0) (1 value dropped)" })
  }

  @Test func `a store of another model is refused and stays unchanged`() throws {
    #expect { try recover(Foreign.self) } throws: { error in
      "\(error)".hasPrefix("belongs to another model: it has “gone”, “mood”, “rank”, “title”, and the model of this")
    }
    #expect(try recover(First.self).revision == 2)
  }

  @Test func `a new member without a default is rejected`() throws {
    #expect { try recover(Demanding.self) } throws: { error in
      "\(error)" == """
        does not fit the model of this server: nothing was changed
        /color: the member is new and has no default; declare one in the model
        """
    }
  }

  @Test func `a state that violates a new constraint is rejected`() throws {
    #expect { try recover(Stricter.self) } throws: { error in
      "\(error)".contains("\n/rank: ") && "\(error)".contains("10")
    }
  }

  @Test func `a snapshot is written with the first commit of a changed model`() async throws {
    let script = Script()
    let storage = try SQLiteStorage(folder("store.db"))
    let recovery = try Recovery(from: storage) { Second() }
    let journal = try StorageJournal(ScriptedStorage(storage, script), recovery)
    let store = Store(recovery.root, revision: recovery.revision, journal: journal)
    try journal.start(store)
    try await store.commit { $0.title = "c" }
    journal.stop()
    #expect(!script.pieces.isEmpty)
    let reopened = try recover(Second.self)
    #expect(reopened.root.title == "c")
    #expect(reopened.changes.isEmpty)
    #expect(reopened.replayed == 0)
    // The new snapshot no longer contains the members that `First` requires.
    #expect(throws: RecoveryError.self) { try recover(First.self) }
  }

  @Test func `a snapshot of a new layout never overwrites the only complete one`() async throws {
    let script = Script()
    let storage = try SQLiteStorage(folder("store.db"))
    let second = try #require(try Recovery<Second>(of: storage))
    // The latest snapshot is of the latest revision, and was written by `First`.
    try storage.finish(
      piece: First.shape.stored(try #require(try Recovery<First>(of: storage)).root), number: 0,
      ofSnapshotAt: second.revision, layout: "")
    let recovery = try #require(try Recovery<Second>(of: storage))
    let journal = try StorageJournal(ScriptedStorage(storage, script), recovery)
    let store = Store(recovery.root, revision: recovery.revision, journal: journal)
    try journal.start(store)
    journal.stop()
    #expect(script.pieces.isEmpty)
    #expect(try recover(First.self).revision == second.revision)
  }

  @Test func `values that the first revision of a changed model drops do not come back`() async throws {
    let storage = try SQLiteStorage(folder("store.db"))
    let recovery = try #require(try Recovery<Second>(of: storage))
    let journal = try StorageJournal(ScriptedStorage(storage, Script()), recovery)
    let store = Store(recovery.root, revision: recovery.revision, journal: journal)
    try journal.start(store)
    try await store.commit { $0.title = "c" }
    // As after a kill: nothing is written after the commit is acknowledged.
    let copy = folder("copy.db")
    try SQLiteStorage.copy(folder("store.db"), to: copy)
    journal.stop()
    let third = try SQLiteStorage(copy)
    defer { third.close() }
    let reopened = try #require(try Recovery<Third>(of: third))
    // `gone` is back with its default, and `color` has the default of `Second`.
    #expect(reopened.root == Third(title: "c", rank: 2, mood: .wild(level: 3), color: "red", gone: nil))
    #expect((reopened.revision, reopened.replayed) == (3, 0))
    #expect(reopened.changes.added == ["/gone?/note string"])
  }

  @Test func `the first snapshot of a changed model is not overwritten if its outcome was unknown`() async throws {
    let script = Script()
    let storage = try SQLiteStorage(folder("store.db"))
    let recovery = try #require(try Recovery<Second>(of: storage))
    let journal = try StorageJournal(ScriptedStorage(storage, script), recovery)
    let store = Store(recovery.root, revision: recovery.revision, journal: journal)
    try journal.start(store)
    script.fail(.stored)
    try await store.commit { $0.title = "c" }
    journal.stop()
    #expect(script.pieces.count == 1)
    #expect(try recover(Second.self).root.title == "c")
  }

  @Test func `a changed model that cannot write leaves the store to the previous one`() async throws {
    let script = Script()
    let storage = try SQLiteStorage(folder("store.db"))
    let recovery = try #require(try Recovery<Second>(of: storage))
    let journal = try StorageJournal(ScriptedStorage(storage, script), recovery)
    let store = Store(recovery.root, revision: recovery.revision, journal: journal)
    try journal.start(store)
    script.fail(.refused(.full("no room")), .notStored)
    for _ in 1...2 {
      await #expect(throws: CommitError.self) { try await store.commit { $0.title = "c" } }
    }
    let copy = folder("copy.db")
    try SQLiteStorage.copy(folder("store.db"), to: copy)
    try await store.commit { $0.title = "d" }
    journal.stop()
    #expect(try recover(Second.self).root.title == "d")
    let previous = try SQLiteStorage(copy)
    defer { previous.close() }
    let found = try #require(try Recovery<First>(of: previous))
    #expect(found.root.gone.note == "y" && found.root.title == "b" && found.changes.isEmpty)
  }

  @Test func `the first snapshot of a large state is written in pieces`() throws {
    let script = Script()
    let storage = ScriptedStorage(try SQLiteStorage(folder("large.db")), script)
    defer { storage.close() }
    let text = String(repeating: "x", count: 1_000)
    let large = Notes(notes: .init(uniquing: (0..<2_000).map { Note(id: $0, text: text, stars: 0) }))
    _ = try Recovery(from: storage) { large }
    #expect(script.pieces.count > 5)
    #expect(script.pieces.allSatisfy { $0 < StoredWriter.pieceLength * 2 })
    let recovery = try #require(try Recovery<Notes>(of: storage))
    #expect(Notes.shape.areSame(recovery.root, large))
  }
}

private enum Mood: Editable, Equatable {
  case calm
  case wild(level: Int)

  static let wild = EnumCase("wild", label: "level", Mood.wild(level:)) {
    if case .wild(let it) = $0 { it } else { nil }
  }
  static let shape = EditableShape<Mood>.cases(
    EnumCase("calm", Mood.calm), wild)
}

private enum OtherMood: Editable, Equatable {
  case calm
  case mad(level: Int)

  static let mad = EnumCase("mad", label: "level", OtherMood.mad(level:)) {
    if case .mad(let it) = $0 { it } else { nil }
  }
  static let shape = EditableShape<OtherMood>.cases(
    EnumCase("calm", OtherMood.calm), mad)
}

private struct Gone: Editable, Equatable {
  var note: String

  static let shape = EditableShape<Gone>.members(Gone.init, StoredMember("note", \.note))
}

private struct First: StateModel {
  var title: String
  var rank: Int
  var mood: Mood
  var gone: Gone

  static let shape = EditableShape<First>.members(
    First.init, StoredMember("title", \.title), StoredMember("rank", \.rank), StoredMember("mood", \.mood),
    StoredMember("gone", \.gone))
}

private struct Second: StateModel, Equatable {
  var title = ""
  var rank = 0
  var mood = Mood.calm
  var color = ""
  var remark: String?

  static let shape = EditableShape<Second>.members(
    Second.init(title:rank:mood:color:remark:), StoredMember("title", \.title), StoredMember("rank", \.rank),
    StoredMember("mood", \.mood), StoredMember("color", \.color, default: "red"), StoredMember("remark", \.remark))
}

/// A version after ``Second`` in which a removed member is back, and a member has another default.
private struct Third: StateModel, Equatable {
  var title = ""
  var rank = 0
  var mood = Mood.calm
  var color = ""
  var gone: Gone?

  static let shape = EditableShape<Third>.members(
    Third.init(title:rank:mood:color:gone:), StoredMember("title", \.title), StoredMember("rank", \.rank),
    StoredMember("mood", \.mood), StoredMember("color", \.color, default: "blue"), StoredMember("gone", \.gone))
}

private struct Retyped: StateModel {
  var rank: String

  static let shape = EditableShape<Retyped>.members(Retyped.init, StoredMember("rank", \.rank))
}

private struct Renamed: StateModel {
  var mood: OtherMood

  static let shape = EditableShape<Renamed>.members(Renamed.init, StoredMember("mood", \.mood))
}

private struct Foreign: StateModel {
  var pages: [String: Int] = [:]

  static let shape = EditableShape<Foreign>.members(Foreign.init, StoredMember("pages", \.pages))
}

private struct Demanding: StateModel {
  var title: String
  var color: String

  static let shape = EditableShape<Demanding>.members(
    Demanding.init, StoredMember("title", \.title), StoredMember("color", \.color))
}

private struct Stricter: StateModel {
  var rank: Int

  static let shape = EditableShape<Stricter>.members(Stricter.init, StoredMember("rank", \.rank, .atLeast(10)))
}
