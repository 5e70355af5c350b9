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

  @Test func `a snapshot is written after a change of the model while commits continue`() async throws {
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
    #expect(reopened.replayed <= 1)
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

  @Test func `the first append of a changed model stores its layout, and the snapshot keeps its own`() throws {
    let storage = try SQLiteStorage(folder("store.db"))
    defer { storage.close() }
    let before = try #require(try storage.snapshot())
    #expect(before.layout == before.latestLayout)
    let second = try #require(try Recovery<Second>(of: storage))
    storage.newLayout = second.newLayout
    let revision = { Revision(number: $0, at: 0, from: second.root, to: second.root, Second.shape) }
    try storage.append([revision(second.revision + 1)])
    let after = try #require(try storage.snapshot())
    #expect(after.layout == before.layout && after.latestLayout == second.newLayout)
    // The same model has no changes any more, and still needs a snapshot. The previous one has changes.
    #expect(try Recovery<Second>(of: storage)?.changes.isEmpty == true)
    #expect(try Recovery<First>(of: storage)?.newLayout == before.layout)
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

private struct Gone: Editable {
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
