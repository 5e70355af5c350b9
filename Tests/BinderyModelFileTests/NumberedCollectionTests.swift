import BinderyCore
import BinderyJSON
import BinderyModelFile
import BinderyOpenAPI
import BinderyTestKit
import Testing

/// Collections in objects that clients send back, and collections with similar names.
struct NumberedCollectionTests {
  private static let collection = """
    {"type": "array", "items": {"type": "object", "properties": {\
    "id": {"type": "integer", "x-bindery": {"generated": true}}}, "x-bindery": {"id": "id"}}}
    """

  private func client(_ properties: String, _ initial: String) throws -> MemoryClient<DynamicValue> {
    let text = #"{"type": "object", "properties": {\#(properties)}, "default": \#(initial)}"#
    let model = try ModelFile.model(Array(text.utf8))
    return MemoryClient(Store(try model.initialState(), of: model.definition, journal: nil))
  }

  @Test func `an object that is sent back keeps the largest id of its collections`() throws {
    let shelf = """
      {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "string"}, \
      "books": \(Self.collection)}, "required": ["id"], "x-bindery": {"id": "id"}}}
      """
    let client = try client("\"shelves\": \(shelf)", #"{"shelves": [{"id": "a", "books": [{"id": 4}, {"id": 9}]}]}"#)
    #expect(try client.put("/state", try client.text("/state")).changed == false)
    #expect(try client.delete("/state/shelves/a/books/9").status == 204)
    #expect(try client.put("/state/shelves", try client.text("/state/shelves")).changed == false)
    #expect(try client.post("/state/shelves/a/books", "{}").text == #"{"id":10}"#)
  }

  private static let box = """
    {"type": ["object", "null"], "properties": {"items": \(collection)}}
    """

  @Test func `elements that were added and removed again are no change since a revision`() throws {
    let text = #"{"type": "object", "properties": {"box": \#(Self.box)}, "default": {"box": null}}"#
    let model = try ModelFile.model(Array(text.utf8))
    let store = Store(try model.initialState(), of: model.definition, journal: nil)
    let client = MemoryClient(store)
    let before = store.snapshot.root
    #expect(try client.put("/state/box", #"{"items": [{"id": 1}]}"#).changed == true)
    let shape = model.definition.shape
    let revision = Revision(number: 1, at: 0, from: before, to: store.snapshot.root, shape)
    #expect(try client.post("/state/box/items", "{}").text == #"{"id":2}"#)
    let patch = try StoredPatch(parsing: revision.patch)
    #expect(try shape.firstChange(in: store.snapshot.root, since: patch) == "/box")
    #expect(try client.delete("/state/box/items/2").status == 204)
    #expect(try shape.firstChange(in: store.snapshot.root, since: patch) == nil)
  }

  @Test func `a JSON Patch moves the largest id with an optional object`() throws {
    let text = """
      {"type": "object", "properties": {"a": {"$ref": "#/$defs/Box"}, "b": {"$ref": "#/$defs/Box"}}, \
      "$defs": {"Box": \(Self.box)}, "default": {"a": {"items": [{"id": 1}, {"id": 2}]}, "b": null}}
      """
    let model = try ModelFile.model(Array(text.utf8))
    let client = MemoryClient(Store(try model.initialState(), of: model.definition, journal: nil))
    #expect(try client.delete("/state/a/items/2").status == 204)
    let move = #"[{"op": "move", "from": "/a", "path": "/b"}]"#
    #expect(try client.patch("/state", move, ["Content-Type": "application/json-patch+json"]).status == 200)
    #expect(try client.text("/state") == #"{"a":null,"b":{"items":[{"id":1}]}}"#)
    #expect(try client.post("/state/b/items", "{}").text == #"{"id":3}"#)
  }

  @Test func `an id that leaves no larger one is refused`() throws {
    let client = try client("\"books\": \(Self.collection)", #"{"books": [{"id": 1}]}"#)
    for (method, path, body) in [
      ("PUT", "/books/9223372036854775807", "{}"), ("POST", "/books", #"{"id": 9223372036854775807}"#),
      ("PATCH", "", #"{"books": [{"id": 9223372036854775807}]}"#),
    ] {
      let reply = try client.send(method, "/state" + path, body)
      #expect(reply.outcome == "422 invalid-state", "\(reply)")
      #expect(reply.string("pointer") == "/books")
    }
    #expect(try client.post("/state/books", "{}").text == #"{"id":2}"#)
  }

  @Test func `the name of the hidden member is not free for another member`() throws {
    let text = #"{"type": "object", "properties": {"books": \#(Self.collection), "books#last": {"type": "string"}}}"#
    let mistakes = #expect(throws: ModelMistakes.self) { try ModelFile.model(Array(text.utf8)) }
    #expect("\(mistakes as Any)".contains("the store needs the name “books#last”"))
    #expect("\(mistakes as Any)".contains("/properties/books#last"))
  }

  @Test func `an open object keeps no other value under the name of the hidden member`() throws {
    let text = """
      {"type": "object", "properties": {"books": \(Self.collection)}, "additionalProperties": true, \
      "default": {"books": [{"id": 4}]}}
      """
    let model = try ModelFile.model(Array(text.utf8))
    let store = Store(try model.initialState(), of: model.definition, journal: nil)
    let client = MemoryClient(store)
    #expect(try client.patch("/state", ##"{"books#last": 3}"##).outcome == "422 unknown-member")
    #expect(try client.put("/state/books%23last", "3").outcome == "404 unknown-path")
    #expect(try client.put("/state/other", "3").status == 201)
    #expect(try client.text("/state") == #"{"books":[{"id":4}],"other":3}"#)
  }

  @Test func `collections whose names differ only in Unicode normalization are numbered separately`() throws {
    let client = try client(
      "\"é\": \(Self.collection), \"e\u{301}\": \(Self.collection)", "{\"é\": [{\"id\": 7}], \"e\u{301}\": []}")
    #expect(try client.post("/state/%C3%A9", "{}").text == #"{"id":8}"#)
    #expect(try client.post("/state/e%CC%81", "{}").text == #"{"id":1}"#)
  }

  @Test func `the generated contracts require the ids in a new element that the server requires`() throws {
    let text = """
      {"type": "object", "properties": {"orders": {"type": "array", "items": {"type": "object", "properties": {\
      "id": {"type": "integer", "x-bindery": {"generated": true}}, "lines": {"type": "array", "items": \
      {"type": "object", "properties": {"id": {"type": "integer", "x-bindery": {"generated": true}}, \
      "note": {"type": "string", "default": ""}}, "x-bindery": {"id": "id"}}}}, "x-bindery": {"id": "id"}}}}}
      """
    let model = try ModelFile.model(Array(text.utf8))
    let state = try model.initialState()
    let client = MemoryClient(Store(state, of: model.definition, journal: nil))
    #expect(try client.post("/state/orders", #"{"lines": [{}]}"#).outcome == "422 missing-member")
    #expect(try client.post("/state/orders", #"{"lines": [{"id": 1}]}"#).status == 201)
    #expect(try client.post("/state/orders/1/lines", "{}").status == 201)

    let document = OpenAPIDocument(of: state, model.definition, title: "Orders", version: "1")
    let schemas = document.root["components"]?["schemas"]
    let list = schemas?["NewOrder"]?["properties"]?["lines"]?["$ref"]?.string
    #expect(list == "#/components/schemas/IdentifiedLineList")
    #expect(schemas?["IdentifiedLine"]?["required"]?.elements.compactMap(\.string) == ["id"])
    let types = TypeScriptTypes(of: model.definition, program: "bindery").text
    #expect(types.contains(#""lines"?: readonly (NewLine & { "id": bindery.Integer })[];"#), "\(types)")
  }
}
