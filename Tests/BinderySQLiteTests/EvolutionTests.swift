import BinderyCore
import BinderyJournal
import BinderySQLite
import Testing

/// A store that one version of a model has kept, opened with another.
struct EvolutionTests {
  private let folder: TemporaryFolder

  /// Kept by the first version: a snapshot, and revisions of every member behind it.
  init() throws {
    folder = try TemporaryFolder()
    let log = try SQLiteStorage(folder("store.db"))
    defer { log.close() }
    let first = try Recovery(from: log) { First(title: "a", rank: 1, mood: .calm, gone: Gone(note: "x")) }.root
    var second = first
    second.title = "b"
    second.gone.note = "y"
    second.mood = .wild(level: 3)
    try log.append([Revision(number: 1, at: 0, from: first, to: second)])
    var third = second
    third.rank = 2
    try log.append([Revision(number: 2, at: 0, from: second, to: third)])
  }

  private func open<Root: Model>(_ type: Root.Type) throws -> Recovery<Root> {
    let log = try SQLiteStorage(folder("store.db"))
    defer { log.close() }
    return try #require(try Recovery<Root>(of: log))
  }

  @Test func `a new member has its default, and one that is gone is left out`() throws {
    let found = try open(Second.self)
    #expect(found.revision == 2)
    #expect(found.root == Second(title: "b", rank: 2, mood: .wild(level: 3), color: "red", remark: nil))
    #expect(found.changes.added == ["/color string", "/remark? string"])
    #expect(found.changes.removed == ["/gone/note string"])
  }

  @Test func `a member of another type is refused, and what is kept stays as it is`() throws {
    #expect { try open(Retyped.self) } throws: { error in
      "\(error)".hasPrefix("is not readable with this model: the snapshot of revision 0: ")
        && "\(error)".hasSuffix("(at /rank)")
    }
    #expect(try open(First.self).revision == 2)
  }

  @Test func `a case that has another name is refused where it was active`() throws {
    #expect { try open(Renamed.self) } throws: { error in
      "\(error)".hasPrefix("is not readable with this model: revision 1: ") && "\(error)".hasSuffix("(at /mood)")
    }
  }

  @Test func `a member without a default is refused where nothing of it is kept`() throws {
    #expect { try open(Demanding.self) } throws: { error in
      "\(error)" == "is not readable with this model: the snapshot of revision 0: “color” is missing (at /color)"
    }
  }

  @Test func `what the types have become stricter about is refused`() throws {
    #expect { try open(Stricter.self) } throws: { error in
      "\(error)".hasPrefix("is not readable with this model: the state does not fit the types any more: ")
    }
  }

  @Test func `after a change of the model a snapshot is written while commits go on`() async throws {
    let script = Script()
    let log = try SQLiteStorage(folder("store.db"))
    let recovery = try Recovery(from: log) { Second() }
    let journal = try StorageJournal(ScriptedStorage(log, script), recovery)
    let store = Store(recovery.root, revision: recovery.revision, journal: journal)
    try journal.start(store)
    try await store.commit { $0.title = "c" }
    journal.stop()
    #expect(script.pieces.count == 1)
    let found = try open(Second.self)
    #expect(found.root.title == "c")
    #expect(found.changes.isEmpty)
    #expect(found.replayed <= 1)
    // What is kept now has nothing of the first version's: it can be read where the old types cannot.
    #expect(throws: RecoveryError.self) { try open(First.self) }
  }

  @Test func `the first snapshot of a large state comes in pieces`() throws {
    let script = Script()
    let log = ScriptedStorage(MemoryStorage(), script)
    let text = String(repeating: "x", count: 1_000)
    let large = Notes(notes: .init(uniquing: (0..<2_000).map { Note(id: $0, text: text, stars: 0) }))
    _ = try Recovery(from: log) { large }
    #expect(script.pieces.count > 5)
    #expect(script.pieces.allSatisfy { $0 < StoredWriter.pieceLength * 2 })
    let found = try #require(try Recovery<Notes>(of: log))
    #expect(Notes.shape.areSame(found.root, large))
  }
}

private enum Mood: Bindable, Equatable {
  case calm
  case wild(level: Int)

  static let wild = Case("wild", label: "level", Mood.wild(level:)) { if case .wild(let it) = $0 { it } else { nil } }
  static let shape = Shape<Mood>.cases(
    Case("calm", .calm) { if case .calm = $0 { () } else { nil } }, wild)
}

private enum OtherMood: Bindable {
  case calm
  case mad(level: Int)

  static let mad = Case("mad", label: "level", OtherMood.mad(level:)) { if case .mad(let it) = $0 { it } else { nil } }
  static let shape = Shape<OtherMood>.cases(
    Case("calm", .calm) { if case .calm = $0 { () } else { nil } }, mad)
}

private struct Gone: Bindable {
  var note: String

  static let shape = Shape<Gone>.members(Gone.init, Member("note", \.note))
}

private struct First: Model {
  var title: String
  var rank: Int
  var mood: Mood
  var gone: Gone

  static let shape = Shape<First>.members(
    First.init, Member("title", \.title), Member("rank", \.rank), Member("mood", \.mood), Member("gone", \.gone))
}

private struct Second: Model, Equatable {
  var title = ""
  var rank = 0
  var mood = Mood.calm
  var color = ""
  var remark: String?

  static let shape = Shape<Second>.members(
    Second.init(title:rank:mood:color:remark:), Member("title", \.title), Member("rank", \.rank),
    Member("mood", \.mood), Member("color", \.color, default: "red"), Member("remark", \.remark))
}

private struct Retyped: Model {
  var rank: String

  static let shape = Shape<Retyped>.members(Retyped.init, Member("rank", \.rank))
}

private struct Renamed: Model {
  var mood: OtherMood

  static let shape = Shape<Renamed>.members(Renamed.init, Member("mood", \.mood))
}

private struct Demanding: Model {
  var title: String
  var color: String

  static let shape = Shape<Demanding>.members(Demanding.init, Member("title", \.title), Member("color", \.color))
}

private struct Stricter: Model {
  var rank: Int

  static let shape = Shape<Stricter>.members(Stricter.init, Member("rank", \.rank, .atLeast(10)))
}
