import BinderyCore
import BinderyJSON
import BinderyModelFile
import BinderyService
import BinderySystem
import BinderyTelemetry
import BinderyTestKit
import BindingLaws
import Foundation
import Testing

/// Opening a store with a changed model file.
struct ModelEvolutionTests {
  /// A member of the old model, what became of it in the new one, and whether the stored value still fits.
  struct Member {
    let old: String?
    let value: String
    let new: String?
    let fits: Bool

    private static let text = #"{"type": "string", "maxLength": 20}"#
    private static let optional = #"{"type": ["string", "null"], "maxLength": 20}"#
    private static let number = #"{"type": "integer", "maximum": 9}"#
    private static let choice = #"{"oneOf": [{"const": "a"}, {"const": "b"}]}"#

    /// Every kind of change.
    static let all = [
      Member(old: text, value: "\"t\"", new: text, fits: true),
      Member(old: text, value: "\"t\"", new: nil, fits: true),
      Member(old: nil, value: "", new: #"{"type": "string", "default": "d"}"#, fits: true),
      Member(old: nil, value: "", new: optional, fits: true),
      Member(old: nil, value: "", new: text, fits: false),
      Member(old: text, value: "\"t\"", new: number, fits: false),
      Member(old: text, value: "\"2026-11-22\"", new: #"{"type": "string", "format": "date"}"#, fits: true),
      Member(old: text, value: "\"t\"", new: #"{"type": "string", "format": "date"}"#, fits: false),
      Member(old: text, value: "\"t\"", new: optional, fits: true),
      Member(old: optional, value: "\"t\"", new: text, fits: true),
      Member(old: optional, value: "null", new: text, fits: false),
      Member(old: text, value: "\"t\"", new: #"{"type": "string", "maxLength": 40}"#, fits: true),
      Member(old: text, value: "\"long\"", new: #"{"type": "string", "maxLength": 3}"#, fits: false),
      Member(old: number, value: "5", new: #"{"type": "integer", "maximum": 99}"#, fits: true),
      Member(old: number, value: "5", new: #"{"type": "integer", "maximum": 3}"#, fits: false),
      Member(old: number, value: "5", new: #"{"type": "number"}"#, fits: true),
      Member(old: choice, value: "\"a\"", new: #"{"oneOf": [{"const": "a"}, {"const": "c"}]}"#, fits: true),
      Member(old: choice, value: "\"b\"", new: #"{"oneOf": [{"const": "a"}, {"const": "c"}]}"#, fits: false),
      Member(old: text, value: "\"t\"", new: #"{"type": "array", "items": {"type": "string"}}"#, fits: false),
      Member(old: number, value: "5", new: "true", fits: true),
    ]
  }

  /// A model with members at the root and in the elements of a list, its state, and the next version of the model.
  struct Pair {
    let root: [Member]
    let item: [Member]
    let count: Int

    init(_ random: inout SeededGenerator) {
      root = (0..<Int.random(in: 0...4, using: &random)).map { _ in Member.all.randomElement(using: &random)! }
      item = (0..<Int.random(in: 0...4, using: &random)).map { _ in Member.all.randomElement(using: &random)! }
      count = Int.random(in: 0...3, using: &random)
    }

    init(root: [Member]) { (self.root, item, count) = (root, [], 0) }

    private func object(_ members: [(String, String?)], required: [String]) -> String {
      let id = members.contains { $0.0 == "id" } ? #", "x-bindery": {"id": "id"}"# : ""
      let properties = members.compactMap { name, schema in schema.map { "\"\(name)\": \($0)" } }
      let required = required.map { "\"\($0)\"" }.joined(separator: ", ")
      return """
        {"type": "object", "properties": {\(properties.joined(separator: ", "))}, "required": [\(required)]\(id)}
        """
    }

    private func model(_ schema: (Member) -> String?) throws -> ModelDefinition<DynamicValue> {
      func structure(_ members: [Member], _ others: [(String, String?)]) -> String {
        let named = members.enumerated().map { ("m\($0)", schema($1)) }
        let required = named.filter { $0.1.map { !$0.contains("default") && $0 != "true" } ?? false }.map(\.0)
        return object(others + named, required: required + others.map(\.0))
      }
      let items = #"{"type": "array", "items": \#(structure(item, [("id", #"{"type": "string"}"#)]))}"#
      return try ModelFile.model(Array(structure(root, [("items", items)]).utf8)).definition
    }

    var old: ModelDefinition<DynamicValue> { get throws { try model(\.old) } }
    var new: ModelDefinition<DynamicValue> { get throws { try model(\.new) } }

    private func values(_ members: [Member]) -> [String] {
      members.enumerated().compactMap { $1.old == nil ? nil : "\"m\($0)\": \($1.value)" }
    }

    /// The state in JSON.
    var state: String {
      let items = (0..<count).map { "{\((["\"id\": \"\($0)\""] + values(item)).joined(separator: ", "))}" }
      return "{\((["\"items\": [\(items.joined(separator: ", "))]"] + values(root)).joined(separator: ", "))}"
    }

    /// The places that do not fit the new model.
    var misfits: Set<String> {
      let misfits = { (members: [Member], path: String) in
        members.enumerated().filter { !$0.element.fits }.map { "\(path)/m\($0.offset)" }
      }
      return Set(misfits(root, "") + (count == 0 ? [] : misfits(item, "/items/*")))
    }
  }

  private let site: Site
  private var path: String { site.path("store.db") }

  init() throws { site = try Site() }

  private func opening(_ model: ModelDefinition<DynamicValue>, _ state: String = "") -> StoreOpening<DynamicValue> {
    StoreOpening(model: model, options: []) { _ in
      StoreOpening.Plan(
        of: model, options: [:], retention: ServiceConfiguration<DynamicValue>().retention,
        logger: Logger(level: .error) { _, _, _ in }, initial: { try model.shape.restore(Array(state.utf8)) })
    }
  }

  private func open(_ model: ModelDefinition<DynamicValue>, _ state: String = "") throws -> OpenStore<DynamicValue> {
    try SQLiteStore.sqlite(path).open(opening(model, state))
  }

  private func check(_ model: ModelDefinition<DynamicValue>) throws -> [String] {
    try SQLiteStore.sqlite(path).check(opening(model))
  }

  private func bytes() throws -> Data { try Data(contentsOf: URL(filePath: path)) }

  @Test(arguments: 0..<60) func `a changed model takes over the store, or names each place and changes nothing`(
    _ seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    let pair = Pair(&random)
    try open(pair.old, pair.state).close()
    let before = try bytes()
    let (old, new) = (try pair.old, try pair.new)
    let refusal: StoreDriverError
    do {
      let store = try open(new)
      defer { store.close() }
      #expect(pair.misfits.isEmpty)
      let taken = try JSONDocument(parsing: new.shape.stored(store.store.snapshot.root)).root
      let stored = try JSONDocument(parsing: Array(pair.state.utf8)).root
      for (index, member) in pair.root.enumerated() where member.old != nil && member.new != nil {
        #expect(taken["m\(index)"]?.text.elementsEqual(try #require(stored["m\(index)"]).text) == true)
      }
      return
    } catch let error as StoreDriverError { refusal = error }
    let lines = "\(refusal)".split(separator: "\n").dropFirst()
    #expect(Set(lines.map { String($0.prefix { $0 != ":" }) }) == pair.misfits, "\(refusal)")
    #expect(try bytes() == before && !FileManager.default.fileExists(atPath: path + "-wal"))
    // The command “check” says the same before.
    #expect(throws: refusal) { try check(new) }
    // The previous model still serves the store.
    try open(old).close()
  }

  private func model(_ text: String) throws -> ModelDefinition<DynamicValue> {
    try ModelFile.model(Array(text.utf8)).definition
  }

  @Test(arguments: ["clear", "refuse"])
  func `a reference that is new in a model is refused where stored values name no element`(_ onRemoval: String) throws {
    func text(_ reference: String) -> String {
      """
      {"type": "object", "properties": {
        "rooms": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "string"}},
          "required": ["id"], "x-bindery": {"id": "id"}}},
        "main": {"type": ["string", "null"]\(reference)},
        "beds": {"type": "array", "items": {"type": "object", "x-bindery": {"id": "id"}, "required": ["id"],
          "properties": {"id": {"type": "integer"}, "room": {"type": ["string", "null"]\(reference)}}}},
        "plan": {"type": "object", "additionalProperties": {"type": ["string", "null"]\(reference)}}}}
      """
    }
    let old = try model(text(""))
    let new = try model(text(#", "x-bindery": {"reference": {"to": "/rooms", "onRemoval": "\#(onRemoval)"}}"#))
    func state(_ rooms: String) -> String {
      #"{"rooms":[\#(rooms)],"main":"c","beds":[{"id":1,"room":"b"},{"id":2,"room":"c"},{"id":3,"room":null},"#
        + #"{"id":4,"room":"a"}],"plan":{"x":"a","y":"c"}}"#
    }
    try open(old, state(#"{"id":"a"}"#)).close()
    let before = try bytes()
    let advice = "; change the value with the previous model first, or let the model accept it"
    let lines = [
      "\(path) does not fit the model of this server: nothing was changed",
      "/main: “/rooms” has no element with the id “c”\(advice)",
      "/beds/*/room: “/rooms” has no element with the id “b”\(advice) (2 values, the first at /beds/1/room)",
      "/plan/*: “/rooms” has no element with the id “c”\(advice) (at /plan/y)",
    ]
    let refusal = try #require(throws: StoreDriverError.self) { try self.open(new) }
    #expect(refusal.kind == .misfit && refusal.description.split(separator: "\n").map(String.init) == lines)
    #expect(throws: refusal) { try check(new) }
    #expect(try bytes() == before)
    // Corrected with the previous model.
    let store = try open(old)
    let corrected = try old.shape.restore(Array(state(#"{"id":"a"},{"id":"b"},{"id":"c"}"#).utf8))
    store.store.post { $0 = corrected }
    store.close()
    try open(new).close()
  }

  @Test func `a refusal names at most twenty places and the number of the others`() throws {
    let member = try #require(Member.all.first { !$0.fits })
    let pair = Pair(root: Array(repeating: member, count: 23))
    try open(pair.old, pair.state).close()
    let error = #expect(throws: StoreDriverError.self) { try self.open(pair.new) }
    let lines = error?.description.split(separator: "\n") ?? []
    #expect(lines.count == 22 && lines.last == "and 3 more mistakes")
    #expect(lines.first?.hasSuffix("store.db does not fit the model of this server: nothing was changed") == true)
  }

  @Test func `a value that was corrected before the stop does not refuse the next model`() throws {
    let member = try #require(Member.all.first { $0.value == "null" && !$0.fits })
    let pair = Pair(root: [member])
    let first = try open(pair.old, pair.state)
    let corrected = try pair.old.shape.restore(Array(#"{"items": [], "m0": "t"}"#.utf8))
    first.store.post { $0 = corrected }
    first.close()
    let second = try open(pair.new)
    #expect(try pair.new.shape.stored(second.store.snapshot.root) == Array(#"{"items":[],"m0":"t"}"#.utf8))
    second.close()
  }

  @Test func `dropped values are counted, and named by the command check before`() throws {
    let removed = try #require(Member.all.first { $0.old != nil && $0.new == nil })
    let pair = Pair(root: [removed])
    try open(pair.old, pair.state).close()
    let changes = try check(pair.new)
    #expect(
      changes == [
        "\(path): removed from the model: /m0 string", "\(path): removed from the state: /m0 (1 value dropped)",
      ])
    var losses: [String] = []
    _ = try SQLiteStore.sqlite(path).export(pair.new) { losses.append($0) }
    #expect(losses == changes.suffix(1))
    _ = try SQLiteStore.sqlite(path).export(pair.old) { losses.append($0) }
    #expect(losses == changes.suffix(1))
  }

  @Test func `a value that an open object keeps is no loss`() throws {
    func model(_ members: String) throws -> ModelDefinition<DynamicValue> {
      try ModelFile.model(Array(#"{"type":"object",\#(members)}"#.utf8)).definition
    }
    let closed = try model(#""properties":{"a":{"type":"integer","default":0},"b":{"type":"integer","default":0}}"#)
    let open = try model(#""properties":{"a":{"type":"integer","default":0}},"additionalProperties":true"#)
    try self.open(closed, #"{"a":1,"b":2}"#).close()
    var losses: [String] = []
    let kept = try SQLiteStore.sqlite(path).export(open) { losses.append($0) }
    #expect(kept == Array(#"{"a":1,"b":2}"#.utf8))
    #expect(losses.isEmpty)
  }

  @Test func `a value that stays with another type is not removed`() throws {
    func model(_ members: String) throws -> ModelDefinition<DynamicValue> {
      try ModelFile.model(Array(#"{"type":"object","properties":{\#(members)}}"#.utf8)).definition
    }
    let narrow = try model(#""a":{"type":"string","default":""}"#)
    let wide = try model(#""a":{"type":["string","null"]},"b":{"type":"integer","default":1}"#)
    try open(narrow, #"{"a":"x"}"#).close()
    let changes = try check(wide)
    #expect(
      changes == [
        "\(path): added to the model: /b int64", "\(path): changed in the model: /a string is /a? string now",
      ])
  }

  @Test func `a set that becomes an array is not removed`() throws {
    func model(_ rule: String) throws -> ModelDefinition<DynamicValue> {
      let list = #"{"type":"array","items":{"type":"string"}\#(rule)}"#
      return try ModelFile.model(Array(#"{"type":"object","properties":{"tags":\#(list)}}"#.utf8)).definition
    }
    try open(model(#","uniqueItems":true"#), #"{"tags":["a"]}"#).close()
    #expect(try check(model("")) == ["\(path): changed in the model: /tags set is /tags/* string now"])
  }

  @Test(arguments: UnusualNames.names + ["a\nb", "\r\n", "\u{1}", "a b", "a?", "*", "%2A"])
  func `the names of members, cases and ids are any text`(_ name: String) throws {
    let quoted = JSONTree.string(name).text
    let element = #"{"type":"object","properties":{\#(quoted):{"type":"string"}},"x-bindery":{"id":\#(quoted)}}"#
    func model(_ cases: String, _ others: String) throws -> ModelDefinition<DynamicValue> {
      let choice = #""oneOf":[\#(cases)],"default":\#(quoted)"#
      return try self.model(
        #"{"type":"object","properties":{\#(quoted):{"type":"array","items":\#(element)},"c":{\#(choice)}\#(others)}}"#)
    }
    let one = #"{"const":\#(quoted)}"#
    let first = try model(one, #","more":{"type":"integer","default":1}"#)
    try open(first, #"{\#(quoted):[{\#(quoted):\#(quoted)}],"c":\#(quoted)}"#).close()
    #expect(try check(first) == [])
    let second = try model(one + #",{"const":"o"}"#, "")
    let changes = [
      "added to the model: /c/o case", "removed from the model: /more int64",
      "removed from the state: /more (1 value dropped)",
    ]
    #expect(try check(second) == changes.map { "\(path): \($0)" })
    let other = try self.model(#"{"type":"object","properties":{"x":{"type":"integer","default":1}}}"#)
    #expect(throws: StoreDriverError.self) { try check(other) }
  }

  @Test func `what a declared member cannot hold of a free one is dropped with a message`() throws {
    func model(_ members: String) throws -> ModelDefinition<DynamicValue> {
      let n = #""n":{"type":"integer","default":0}"#
      return try self.model(#"{"type":"object","properties":{\#(n)\#(members)},"additionalProperties":true}"#)
    }
    let first = try model("")
    try open(first, #"{"n":1,"a":{"x":1,"secret":2},"b":{"x":1}}"#).close()
    let part = #"{"type":"object","properties":{"x":{"type":"integer","default":0}}}"#
    let changes = try check(model(#","a":\#(part),"b":\#(part)"#))
    let lost = changes.filter { $0.contains("removed") }
    #expect(lost == ["\(path): removed from the state: /a/secret (1 value dropped)"], "\(changes)")
    #expect(try check(first) == [])
  }

  @Test func `a member named * is not a free member`() throws {
    func named(_ name: String) throws -> ModelDefinition<DynamicValue> {
      try model(#"{"type":"object","properties":{"\#(name)":{"type":"integer","default":1}}}"#)
    }
    try open(named("a"), "{}").close()
    let error = #expect(throws: StoreDriverError.self) { try check(named("*")) }
    #expect(error?.description.contains("belongs to another model") == true)
  }

  @Test func `a remembered payload that is new in a model is the present one`() async throws {
    func model(_ remembered: String) throws -> ModelDefinition<DynamicValue> {
      let union = #""u":{"oneOf":[{"const":"none"},{"type":"object","properties":{"c":{"type":"integer"}}}]}"#
      let element = #"{"type":"object","properties":{"id":{"type":"string"},\#(union)\#(remembered)},"required":["u"]"#
      let list = #"{"type":"array","items":\#(element),"x-bindery":{"id":"id"}}}"#
      return try self.model(
        #"{"type":"object","properties":{\#(union)\#(remembered),"es":\#(list)},"required":["u"]}"#)
    }
    let old = try model("")
    let new = try model(#","rm":{"x-bindery":{"remembered":"/u/c"}}"#)
    let state = #"{"u":{"c":5},"es":[{"id":"x","u":{"c":7}},{"id":"y","u":"none"}]}"#
    try open(old, state).close()
    let elements = #"[{"id":"x","u":{"c":7},"rm":7},{"id":"y","u":"none","rm":null}]"#
    let settled = #"{"u":{"c":5},"rm":5,"es":\#(elements)}"#
    let exported = try #require(try SQLiteStore.sqlite(path).export(new) { _ in })
    #expect(String(decoding: exported, as: UTF8.self) == settled)
    _ = try new.importing(exported, replacing: nil)
    // The first revision has what the model has settled, because the previous case is active no more.
    let changed = try open(new)
    let patch = try StoredPatch(parsing: Array(#"[{"op":"replace","path":"/u","value":"none"}]"#.utf8))
    changed.store.post { try? new.shape.restore(&$0, patch) }
    changed.close()
    let reopened = try open(new)
    defer { reopened.close() }
    let history = try #require(reopened.history)
    let page = try await withCheckedContinuation { continuation in
      history.revisions(HistoryQuery(limit: 1)) { continuation.resume(returning: $0) }
    }.get()
    var replayed = try new.shape.restore(Array(state.utf8))
    try new.shape.restore(&replayed, StoredPatch(parsing: try #require(page.revisions.first).patch))
    for root in [replayed, reopened.store.snapshot.root] {
      #expect(String(decoding: new.shape.stored(root), as: UTF8.self) == #"{"u":"none","rm":5,"es":\#(elements)}"#)
    }
  }
}
