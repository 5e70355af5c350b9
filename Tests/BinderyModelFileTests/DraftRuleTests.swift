import BinderyCore
import BinderyModelFile
import BinderyTestKit
import Testing

/// What one request may do in several steps.
struct DraftRuleTests {
  private let client: MemoryClient<DynamicValue>

  init() throws {
    let text = """
      {"type": "object", "properties": {\
      "pair": {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "integer"}, "default": [1, 2]}, \
      "rows": {"type": "array", "minItems": 2, "items": {"type": "object", "properties": {"id": {"type": "string"}}, \
      "required": ["id"], "x-bindery": {"id": "id"}}}, \
      "names": {"type": "object", "minProperties": 1, "additionalProperties": {"type": "integer"}}, \
      "more": {"type": "array", "items": {"type": "integer"}, "default": []}, \
      "dates": {"anyOf": [{"type": "object", "x-bindery": {"keys": "date"}, \
      "additionalProperties": {"type": "integer"}}, {"type": "null"}]}, \
      "house": {"type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}, \
      "required": ["street", "city"]}, \
      "city": {"x-bindery": {"alias": "/house/city"}}}, "required": ["rows", "names", "house"], \
      "default": {"rows": [{"id": "a"}, {"id": "b"}], "names": {"x": 1}, "house": {"street": "S", "city": "C"}}}
      """
    let model = try ModelFile.model(Array(text.utf8))
    client = MemoryClient(Store(try model.initialState(), of: model.definition, journal: nil))
  }

  private func move(_ from: String, _ path: String) throws -> Reply {
    let operations = #"[{"op":"move","from":"\#(from)","path":"\#(path)"}]"#
    return try client.send("PATCH", "/state", operations, ["Content-Type": "application/json-patch+json"])
  }

  @Test func `a move within a collection of the minimum size is allowed`() throws {
    #expect(try move("/pair/0", "/pair/1").status == 200)
    #expect(try client.text("/state/pair") == "[2,1]")
    #expect(try move("/rows/a", "/rows/-").status == 200)
    #expect(try client.text("/state/rows") == #"[{"id":"b"},{"id":"a"}]"#)
    #expect(try move("/names/x", "/names/y").status == 200)
    #expect(try client.text("/state/names") == #"{"y":1}"#)
  }

  @Test func `an element that is removed and added again is the last one`() throws {
    let fields: KeyValuePairs = ["Content-Type": "application/json-patch+json"]
    #expect(try client.post("/state/rows", #"{"id":"c"}"#).status == 201)
    let again = #"[{"op":"remove","path":"/a"},{"op":"add","path":"/a","value":{"id":"a"}}]"#
    let reply = try client.send("PATCH", "/state/rows", again, fields)
    #expect(reply.changed == true && reply.text == #"[{"id":"b"},{"id":"c"},{"id":"a"}]"#)
    let moved = try client.send("PATCH", "/state/rows", #"[{"op":"move","from":"/a","path":"/a","at":1}]"#, fields)
    #expect(moved.changed == true && moved.text == #"[{"id":"b"},{"id":"a"},{"id":"c"}]"#)
    let added = try client.send("PATCH", "/state/rows", #"[{"op":"add","path":"/d","at":0,"value":{}}]"#, fields)
    #expect(added.text == #"[{"id":"d"},{"id":"b"},{"id":"a"},{"id":"c"}]"#)
    for (position, status) in [("5", 409), ("-1", 422), ("\"1\"", 422)] {
      let operation = #"[{"op":"add","path":"/e","at":\#(position),"value":{}}]"#
      #expect(try client.send("PATCH", "/state/rows", operation, fields).status == status)
    }
  }

  @Test func `a move out of a collection of the minimum size is refused`() throws {
    #expect(try move("/pair/0", "/more/0").outcome == "422 invalid-value")
    #expect(try move("/names/x", "/more/0").outcome == "422 invalid-value")
    #expect(try client.patch("/state/names", #"{"y": 2}"#).status == 200)
    // It replaces the other entry.
    #expect(try move("/names/x", "/names/y").status == 200)
    #expect(try client.text("/state/names") == #"{"y":1}"#)
  }

  @Test func `a merge sets a member and, through a setter, another one beside it`() throws {
    #expect(try client.patch("/state", #"{"house": {"street": "X"}, "city": "Y"}"#).status == 200)
    #expect(try client.text("/state/house") == #"{"street":"X","city":"Y"}"#)
    #expect(try client.patch("/state", #"{"house": {}, "city": "Z"}"#).status == 200)
    #expect(try client.patch("/state", #"{"house": {"city": "A"}, "city": "A"}"#).status == 200)
    let conflict = try client.patch("/state", #"{"house": {"city": "A"}, "city": "B"}"#)
    #expect(conflict.outcome == "422 conflicting-members" && conflict.string("pointer") == "/house")
  }

  @Test func `a null entry of a new dictionary needs a valid key`() throws {
    #expect(try client.patch("/state/dates", #"{"garbage": null}"#).status == 422)
    #expect(try client.patch("/state/dates", #"{"2026-01-01": null}"#).text == "{}")
    #expect(try client.patch("/state/dates", #"{"garbage": null}"#).status == 422)
  }

  @Test func `a read of an absent value, or with a false condition, names the revision`() throws {
    #expect(try client.patch("/state/more", "[1]").revision == 1)
    let absent = try client.get("/state/names/z")
    #expect(absent.status == 404 && absent["State-Revision"] == "1")
    let failed = try client.get("/state/more", ["If-Match": "\"other\""])
    #expect(failed.status == 412 && failed["State-Revision"] == "1")
  }
}
