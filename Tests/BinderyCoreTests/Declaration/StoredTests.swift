import BinderyCore
import BinderyJSON
import BinderyMenu
import FoundationEssentials
import Testing

private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// Returns the patch that turns one value into another, in the storage format by default.
private func patch<Value: Editable>(_ old: Value, _ new: Value, _ scope: PatchBuilder.Scope = .stored) -> String {
  var difference = PatchBuilder(scope)
  Value.shape.difference(from: old, to: new, &difference)
  return text(difference.finish())
}

private func restored<Value: Editable>(_ old: Value, _ patch: String) throws -> Value {
  var value = old
  try Value.shape.restore(&value, try StoredPatch(parsing: Array(patch.utf8)))
  return value
}

struct StoredTests {
  private let menu = Menu(today: CalendarDay(number: 20_000), evening: Date(timeIntervalSince1970: 1_728_068_400))

  @Test func `the storage format contains hidden members and no computed ones`() {
    let stored = text(Menu.shape.stored(menu))
    #expect(stored.contains(#""evening":"2024-10-04T19:00:00.000Z""#))
    #expect(!stored.contains("pinnedDish"))
    #expect(!stored.contains("favorites"))
  }

  @Test func `an edit of one dish is a single operation`() {
    var edited = menu
    edited.pinnedDish?.isFavorite = true
    let id = Dish.samples[0].id.keyText
    #expect(patch(menu, edited) == #"[{"op":"replace","path":"/dishes/\#(id)/isFavorite","value":true}]"#)
  }

  @Test func `a patch restores hidden and read-only members`() throws {
    var edited = menu
    edited.advance(to: CalendarDay(number: 20_001), evening: Date(timeIntervalSince1970: 1_728_154_800))
    edited.lastCustomTime = Date(timeIntervalSince1970: 0)
    let copy = try restored(menu, patch(menu, edited))
    #expect(Menu.shape.areSame(copy, edited))
    #expect(copy.evening == edited.evening)
    #expect(patch(menu, edited, .history).contains("/today"))
    #expect(!patch(menu, edited, .history).contains("evening"))
  }

  @Test func `a patch restores any change of elements and their order`() throws {
    var generator = SeededNumbers(state: 7)
    var pool = Dish.samples
    for number in 0..<12 {
      pool.append(Dish(id: UUID(), name: "Dish \(number)", isFavorite: false, status: .inStock(quantity: 1)))
    }
    for _ in 0..<300 {
      var (old, new) = (menu, menu)
      let count = Int.random(in: 0...16, using: &generator)
      old.dishes = Identified(uniquing: pool.shuffled(using: &generator).prefix(count))
      new.dishes = Identified(
        uniquing: pool.shuffled(using: &generator).prefix(Int.random(in: 0...16, using: &generator)).map { dish in
          var dish = dish
          if Bool.random(using: &generator) { dish.isFavorite.toggle() }
          return dish
        })
      #expect(Menu.shape.areSame(try restored(old, patch(old, new)), new))
    }
  }

  @Test func `the undo patch equals the patch in the other direction`() throws {
    var generator = SeededNumbers(state: 11)
    let pool = Identified(
      uniquing: (0..<12).map {
        Dish(id: UUID(), name: "Dish \($0)", isFavorite: false, status: .inStock(quantity: 1))
      })
    func randomMenu() -> Menu {
      var random = menu
      let count = Bool.random(using: &generator) ? 12 : Int.random(in: 0...12, using: &generator)
      random.dishes = Identified(uniquing: pool.prefix(count))
      for index in random.dishes.indices where Int.random(in: 0..<4, using: &generator) == 0 {
        random.dishes.edit(at: index) { $0.isFavorite.toggle() }
      }
      random.time = Bool.random(using: &generator) ? .tomorrow : .custom(Date(timeIntervalSince1970: 60))
      random.editing = [nil, .some(nil), .some(pool.first)].randomElement(using: &generator) ?? nil
      return random
    }
    for _ in 0..<200 {
      let (old, new) = (randomMenu(), randomMenu())
      for scope in [PatchBuilder.Scope.stored, .history, .shown] {
        var both = PatchBuilder(scope, withUndo: true)
        Menu.shape.difference(from: old, to: new, &both)
        #expect(text(both.finish()) == patch(old, new, scope))
        #expect(text(both.finishUndo() ?? []) == patch(new, old, scope))
      }
    }
  }

  @Test(arguments: ["plain", "a/b", "~", "\"\\", "\n", "é", ""])
  func `any id can be a segment of a path`(_ id: String) throws {
    let old = Cabinet(folders: [Folder(id: id, notes: [Note(number: 1, text: "a", tags: [])])], open: nil)
    var new = old
    new.folders.edit(id: id) { $0.notes.edit(id: 1) { $0.text = "b" } }
    #expect(try Cabinet.shape.areSame(restored(old, patch(old, new)), new))
    new.folders.remove(id: id)
    #expect(try Cabinet.shape.areSame(restored(old, patch(old, new)), new))
    #expect(try Cabinet.shape.areSame(restored(new, patch(new, old)), old))
  }

  @Test func `any member name can be a segment of a path`() throws {
    let old = Shelf(byName: [:], byNumber: [:], byID: [:], byDay: [:], grid: [], maybe: [], oddlyNamed: "")
    var new = old
    new.oddlyNamed = "b"
    #expect(patch(old, new) == #"[{"op":"replace","path":"/a~1b~0\"é\n","value":"b"}]"#)
    #expect(try restored(old, patch(old, new)).oddlyNamed == "b")
  }

  @Test func `an id of digits is not mistaken for a position`() throws {
    let old = Numbered(items: [NumberedItem(id: 0, text: "a"), NumberedItem(id: 2, text: "b")])
    let new = Numbered(items: [
      NumberedItem(id: 1, text: "c"), NumberedItem(id: 2, text: "b"), NumberedItem(id: 0, text: "a"),
    ])
    #expect(Numbered.shape.areSame(try restored(old, patch(old, new)), new))
    #expect(Numbered.shape.areSame(try restored(new, patch(new, old)), old))
  }

  @Test func `a revision has paths with positions beside its patches with ids`() throws {
    let old = Numbered(items: [NumberedItem(id: 7, text: "a")])
    let new = Numbered(items: [NumberedItem(id: 9, text: "b"), NumberedItem(id: 7, text: "a")])
    let kept = patch(old, new)
    #expect(kept == #"[{"op":"add","path":"/items/9","at":0,"value":{"id":9,"text":"b"}}]"#)
    let revision = Revision(number: 1, at: 0, from: old, to: new, Numbered.shape)
    #expect(text(revision.patch) == kept)
    #expect(revision.positions.map { text($0.patch) } == #"["/items/0"]"#)
    let stored = try StoredPatch(parsing: revision.patch)
    #expect(text(stored.jsonPatch(["/items/0"])) == #"[{"op":"add","path":"/items/0","value":{"id":9,"text":"b"}}]"#)
    #expect(text(stored.jsonPatch(nil)) == kept)
  }

  @Test func `a changed constant replaces the whole struct`() throws {
    let (old, new) = (Sealed(number: 1, note: "a"), Sealed(number: 2, note: "a"))
    #expect(patch(old, new) == #"[{"op":"replace","path":"","value":{"number":2,"note":"a"}}]"#)
    #expect(try restored(old, patch(old, new)).number == 2)
  }

  @Test func `a route through a constant is refused, for clients and in a stored patch`() throws {
    var draft = Draft(Sealed(number: 1, note: "a"))
    #expect(throws: EditError.self) { try draft.patch("/number", "2") }
    #expect(throws: (any Error).self) {
      try restored(draft.root, #"[{"op":"replace","path":"/number","value":2}]"#)
    }
    #expect(draft.root.number == 1)
  }

  @Test func `a large value is stored in chunks that join to the whole value`() {
    var many = menu
    many.dishes = Identified(
      uniquing: (0..<20_000).map {
        Dish(id: UUID(), name: "Dish \($0)", isFavorite: false, status: .inStock(quantity: 1))
      })
    var chunks: [[UInt8]] = []
    var writer = StoredWriter { chunks.append($0) }
    Menu.shape.store(many, into: &writer)
    #expect(chunks.count > 3)
    #expect(chunks.allSatisfy { $0.count < StoredWriter.pieceLength * 2 })
    #expect(Array(chunks.joined()) + writer.writer.bytes == Menu.shape.stored(many))
  }
}

struct EvolutionTests {
  @Test func `restoring skips unknown members and gives new members their defaults`() throws {
    let old = Array(#"{"name":"a","gone":[1,2],"deep":{"x":1,"y":2}}"#.utf8)
    let value = try Newer.shape.restore(old)
    #expect(value.name == "a")
    #expect(value.level == 3)
    #expect(value.remark == nil)
    #expect(value.deep.x == 1)
  }

  @Test func `restoring skips patches of removed members`() throws {
    let value = Newer(name: "a", level: 1, remark: nil, deep: Deep(x: 1))
    let patch = """
      [{"op":"replace","path":"/gone/0","value":5},{"op":"replace","path":"/deep/y","value":5},\
      {"op":"replace","path":"/deep/x","value":6}]
      """
    #expect(try restored(value, patch).deep.x == 6)
  }

  @Test(arguments: [
    #"{"name":"a"}"#, #"{"name":5,"deep":{"x":1}}"#, #"{"name":"a","deep":{"x":"1"}}"#, #"[]"#, #"{"#,
  ])
  func `restoring rejects a state that does not fit the type`(_ text: String) {
    #expect(throws: RestoreError.self) { try Newer.shape.restore(Array(text.utf8)) }
  }

  @Test(arguments: [
    #"[{"op":"replace","path":"/dishes/b10de400-0000-8000-8000-000000000009/name","value":"x"}]"#,
    #"[{"op":"remove","path":"/dishes/b10de400-0000-8000-8000-000000000009"}]"#,
    #"[{"op":"add","path":"/dishes/b10de400-0000-8000-8000-000000000001","at":99,"value":{"name":"x"}}]"#,
    #"[{"op":"replace","path":"/time","value":"never"}]"#, #"[{"op":"jump","path":"/time"}]"#, #"[1]"#, #"{}"#,
    #"[{"op":"replace","path":"/time/never","value":1}]"#,
  ])
  func `restoring rejects a patch that does not fit the state`(_ patch: String) {
    let menu = Menu(today: CalendarDay(number: 20_000), evening: Date(timeIntervalSince1970: 0))
    #expect(throws: RestoreError.self) { try restored(menu, patch) }
  }

  @Test func `the storage layout lists stored members and no computed ones`() {
    let layout = Menu.shape.type.storedLayout
    #expect(layout.contains("/dishes/*/status/inStock/quantity int64"))
    #expect(layout.contains("/evening date-time"))
    #expect(!layout.contains { $0.hasPrefix("/favorites") })
  }

  @Test func `restoring does not check constraints`() throws {
    let dish = #"{"id":"b10de400-0000-8000-8000-000000000009","name":"","status":{"inStock":{"quantity":0}}}"#
    #expect(try Dish.shape.restore(Array(dish.utf8)).status == .inStock(quantity: 0))
  }
}

/// Elements whose ids look like positions.
private struct Numbered: Editable {
  var items: Identified<NumberedItem>

  static let shape = EditableShape<Numbered>.members(Numbered.init, StoredMember("items", \.items))
}

private struct NumberedItem: Editable, Identifiable {
  let id: Int
  var text: String

  static let shape = EditableShape<NumberedItem>.members(
    NumberedItem.init, StoredMember("id", id: \.id), StoredMember("text", \.text))
}

/// A struct with a constant member.
private struct Sealed: Editable {
  let number: Int
  var note: String

  static let shape = EditableShape<Sealed>.members(
    Sealed.init, StoredMember("number", readOnly: \.number), StoredMember("note", \.note))
}

/// A newer version of a type: `level` and `remark` were added, and other members were removed.
private struct Newer: Editable {
  var name: String
  var level: Int
  var remark: String?
  var deep: Deep

  static let shape = EditableShape<Newer>.members(
    Newer.init, StoredMember("name", \.name), StoredMember("level", \.level, default: 3),
    StoredMember("remark", \.remark),
    StoredMember("deep", \.deep))
}

private struct Deep: Editable {
  var x: Int

  static let shape = EditableShape<Deep>.members(Deep.init, StoredMember("x", \.x))
}

/// A random number generator that repeats the same numbers for the same seed.
private struct SeededNumbers: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state >> 11 ^ state << 23
  }
}
