import BinderyCore
import BinderyDigest
import BinderyModelFile
import BinderyTestKit
import Testing

/// Integer ids that the server generates, with the history of the collection.
struct NumberedIDTests {
  private let model: DynamicModel
  private let service: ComparedService<DynamicValue>

  init() throws {
    let text = ##"""
      {"type": "object", "properties": {"rooms": {"type": "array", "items": {"$ref": "#/$defs/Room"}}}, "$defs": {
        "Room": {"type": "object", "properties": {
          "id": {"type": "integer", "x-bindery": {"generated": true}},
          "beds": {"type": "array", "items": {"$ref": "#/$defs/Bed"}}}, "x-bindery": {"id": "id"}},
        "Bed": {"type": "object", "properties": {"id": {"type": "integer", "x-bindery": {"generated": true}}},
          "x-bindery": {"id": "id"}}}}
      """##
    model = try ModelFile.model(Array(text.utf8))
    service = ComparedService(try model.initialState(), of: model.definition, key: .random())
  }

  @discardableResult
  private func send(_ method: String, _ path: String, _ body: String? = nil) throws -> Reply {
    try service.send(method, path, body)
  }

  @Test func `a reverted addition can be followed by other ones, and its id is not used again`() throws {
    for id in 1...2 { #expect(try send("POST", "/state/rooms", "{}")["Location"] == "/state/rooms/\(id)") }
    #expect(try send("POST", "/history/1/revert").status == 200)
    #expect(try send("POST", "/history/2/revert").status == 200)
    #expect(try send("GET", "/state/rooms").text == "[]")
    #expect(try send("POST", "/state/rooms", "{}")["Location"] == "/state/rooms/3")
    #expect(try send("GET", "/history?ids").text.contains("last") == false)
  }

  @Test func `the ids of an inner collection do not count for the outer one`() throws {
    try send("POST", "/state/rooms", "{}")
    #expect(try send("PUT", "/state/rooms/1/beds/40", "{}").status == 201)
    #expect(try send("POST", "/state/rooms/1/beds", "{}")["Location"] == "/state/rooms/1/beds/41")
    #expect(try send("POST", "/state/rooms", "{}")["Location"] == "/state/rooms/2")
  }

  @Test func `a state that is restored from its revisions knows the ids that were used`() throws {
    try send("POST", "/state/rooms", "{}")
    try send("PUT", "/state/rooms/9", "{}")
    try send("PUT", "/state/rooms", #"[{"id": 30, "beds": []}]"#)
    try send("DELETE", "/state/rooms/30")
    let shape = model.definition.shape
    var root = try model.initialState()
    var document = try StoredDocument(parsing: shape.stored(root), layout: shape.type.storedLayout)
    for revision in service.revisions {
      try shape.restore(&root, StoredPatch(parsing: revision.patch))
      try document.apply(StoredPatch(parsing: revision.patch))
    }
    for root in [root, try shape.restore(document.text)] {
      let restored = ComparedService(root, of: model.definition, key: .random())
      #expect(try restored.send("POST", "/state/rooms", "{}")["Location"] == "/state/rooms/31")
    }
  }

  @Test func `no undeclared member has the name of a largest id`() throws {
    let item = #"{"type": "object", "properties": {"id": {"type": "integer", "x-bindery": {"generated": true}}}, "#
    func open(_ members: String) throws -> DynamicModel {
      let text = #"{"type": "object", "properties": {\#(members)}, "additionalProperties": true}"#
      return try ModelFile.model(Array(text.utf8))
    }
    let old = try open(#""items": {"type": "array", "items": \#(item)"x-bindery": {"id": "id"}}}"#)
    let first = ComparedService(try old.initialState(), of: old.definition, key: .random())
    for _ in 1...2 { _ = try first.send("POST", "/state/items", "{}") }
    _ = try first.send("PUT", "/state/items", "[]")
    var state = try old.initialState()
    for revision in first.revisions { try old.definition.shape.restore(&state, StoredPatch(parsing: revision.patch)) }
    let stored = old.definition.shape.stored(state)
    #expect(String(decoding: stored, as: UTF8.self).contains(#""items#last":2"#))
    let new = try open(#""name": {"type": "string", "default": ""}"#)
    let restored = try #require(try new.definition.restoring(stored).root)
    for root in [try new.definition.shape.restore(stored), restored] {
      #expect(!String(decoding: new.definition.shape.stored(root), as: UTF8.self).contains("last"))
    }
    let second = ComparedService(try new.initialState(), of: new.definition, key: .random())
    #expect(try second.send("PUT", "/state/items%23last", "1").outcome == "404 unknown-path")
    let refused = try second.send("PATCH", "/state", ##"{"items#last": 1}"##)
    #expect(refused.outcome == "422 unknown-member" && refused.string("detail")?.contains("reserved") == true)
    #expect(try second.send("PATCH", "/state", ##"{"items#lasting": 1}"##).status == 200)
    let file = Array(##"{"name": "a", "items#last": "b"}"##.utf8)
    #expect(throws: ImportError.self) { try new.definition.importing(file, replacing: nil) }
  }

  @Test func `a file may have the largest id of a collection with another name`() throws {
    let file = Array(##"{"rooms": [{"id": 4, "beds": [], "chairs#last": 7}], "halls#last": 9}"##.utf8)
    let root = try model.definition.importing(file, replacing: nil)
    let service = ComparedService(root, of: model.definition, key: .random())
    #expect(try service.send("POST", "/state/rooms", "{}")["Location"] == "/state/rooms/5")
    let text = Array(##"{"rooms": [], "halls#last": "x"}"##.utf8)
    #expect(throws: ImportError.self) { try model.definition.importing(text, replacing: nil) }
  }
}
