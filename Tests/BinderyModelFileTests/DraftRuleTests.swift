import BinderyAPI
import BinderyCore
import BinderyModelFile
import BinderyTestKit
import Testing

/// What one request may do in several steps.
struct DraftRuleTests {
  private let store: Store<DynamicValue>
  private let client: MemoryClient<DynamicValue>

  init() throws {
    let text = """
      {"type": "object", "properties": {\
      "pair": {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "integer"}, "default": [1, 2]}, \
      "rows": {"type": "array", "minItems": 2, "items": {"type": "object", "properties": {"id": {"type": "string"}}, \
      "required": ["id"], "x-bindery": {"id": "id"}}}, \
      "names": {"type": "object", "minProperties": 1, "additionalProperties": {"type": "integer"}}, \
      "ratio": {"type": "number", "default": 0}, \
      "more": {"type": "array", "items": {"type": "integer"}, "default": []}, \
      "dates": {"anyOf": [{"type": "object", "x-bindery": {"keys": "date"}, \
      "additionalProperties": {"type": "integer"}}, {"type": "null"}]}, \
      "house": {"type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}, \
      "names": {"type": "object", "additionalProperties": {"type": "integer"}, "default": {"x": 1}}}, \
      "required": ["street", "city"], "additionalProperties": true}, \
      "city": {"x-bindery": {"alias": "/house/city"}}}, "required": ["rows", "names", "house"], \
      "default": {"rows": [{"id": "a"}, {"id": "b"}], "names": {"x": 1}, "house": {"street": "S", "city": "C"}}}
      """
    let model = try ModelFile.model(Array(text.utf8))
    store = Store(try model.initialState(), of: model.definition, journal: nil)
    client = MemoryClient(store)
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

  @Test func `the operations of a patch may break a constraint that holds after the last one`() throws {
    let fields: KeyValuePairs = ["Content-Type": "application/json-patch+json"]
    func patch(_ operations: String) throws -> Reply { try client.send("PATCH", "/state", operations, fields) }
    let exchange = """
      [{"op":"remove","path":"/pair/0"},{"op":"remove","path":"/rows/a"},{"op":"remove","path":"/names/x"},\
      {"op":"add","path":"/pair/-","value":3},{"op":"add","path":"/rows/-","value":{"id":"c"}},\
      {"op":"add","path":"/names/y","value":2}]
      """
    #expect(try patch(exchange).status == 200)
    #expect(try client.text("/state/pair") == "[2,3]" && client.text("/state/names") == #"{"y":2}"#)
    #expect(try client.text("/state/rows") == #"[{"id":"b"},{"id":"c"}]"#)
    let before = try client.text("/state")
    for removal in ["/pair/0", "/rows/b", "/names/y"] {
      let reply = try patch(#"[{"op":"replace","path":"/ratio","value":1},{"op":"remove","path":"\#(removal)"}]"#)
      #expect(reply.outcome == "422 invalid-value" && reply.string("pointer") == "/1/path", "\(reply)")
    }
    // A value that an operation writes must be valid by itself.
    let short = try patch(#"[{"op":"replace","path":"/pair","value":[1]},{"op":"add","path":"/pair/-","value":2}]"#)
    #expect(short.outcome == "422 invalid-value" && short.string("pointer") == "/0/value")
    #expect(try client.text("/state") == before)
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
    let addition = #"[{"op":"add","path":"/c","at":1,"value":{"id":"c"}}]"#
    let replaced = try client.send("PATCH", "/state/rows", addition, fields)
    #expect(replaced.text == #"[{"id":"d"},{"id":"c"},{"id":"b"},{"id":"a"}]"#)
    for (path, position, status) in [
      ("/rows/e", "5", 409), ("/rows/c", "4", 409), ("/rows/e", "-1", 422), ("/rows/e", "\"1\"", 422),
      ("/rows/-", "0", 422), ("/names/y", "0", 422), ("/more/0", "0", 422),
    ] {
      let operation = #"[{"op":"add","path":"\#(path)","at":\#(position),"value":{}}]"#
      let reply = try client.send("PATCH", "/state", operation, fields)
      #expect(reply.status == status && reply.string("pointer") == "/0/at", "\(reply)")
    }
    // Other operations have no such member, and unknown ones are ignored.
    let removal = #"[{"op":"remove","path":"/c","at":"x"}]"#
    #expect(try client.send("PATCH", "/state/rows", removal, fields).status == 200)
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
    #expect(try client.text("/state/house") == #"{"street":"X","city":"Y","names":{"x":1}}"#)
    #expect(try client.patch("/state", #"{"house": {}, "city": "Z"}"#).status == 200)
    #expect(try client.patch("/state", #"{"house": {"city": "A"}, "city": "A"}"#).status == 200)
    for sent in [#"{"names": {"y": 7}}"#, #"{"names": {"y": null}}"#, #"{"zip": 1}"#, #"{"zip": null}"#] {
      #expect(try client.patch("/state", #"{"house": \#(sent), "city": "\#(sent.count)"}"#).status == 200, "\(sent)")
    }
    #expect(try client.text("/state/house") == #"{"street":"X","city":"13","names":{"x":1}}"#)
    let conflict = try client.patch("/state", #"{"house": {"city": "A"}, "city": "B"}"#)
    #expect(conflict.outcome == "422 conflicting-members" && conflict.string("pointer") == "/house")
    // A replacement says what the member is, as a whole.
    let whole = try client.text("/state").replacing(#""city":"13"}"#, with: #""city":"14"}"#)
    #expect(try client.put("/state", whole).outcome == "422 conflicting-members")
  }

  @Test func `a watched place with a long path counts as several`() throws {
    var limits = StreamLimits()
    limits.maximumWatchedPlaces = 4
    let loop = MemoryLoop(store, streamLimits: limits)
    let long = loop.listen("/events?path=/names/" + String(repeating: "x", count: 250))
    #expect(long.reader.reply == nil)
    #expect(loop.listen("/events?path=/ratio&path=/pair").reader.reply?.status == 200)
    #expect(loop.listen("/events?path=/ratio").reader.reply == nil)
    loop.disconnect(long)
    #expect(loop.listen("/events?path=/ratio&path=/pair").reader.reply == nil)
  }

  @Test func `a cascade from an array of references removes the element that contains the array`() throws {
    let text = """
      {"type": "object", "properties": {\
      "tags": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "string"}}, \
      "required": ["id"], "x-bindery": {"id": "id"}}}, \
      "notes": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "string"}, \
      "tags": {"type": "array", "items": {"type": "string", \
      "x-bindery": {"reference": {"to": "/tags", "onRemoval": "cascade"}}}}}, \
      "required": ["id", "tags"], "x-bindery": {"id": "id"}}}, \
      "favorites": {"type": "array", "items": {"type": "string", \
      "x-bindery": {"reference": {"to": "/tags", "onRemoval": "cascade"}}}}}, \
      "default": {"tags": [{"id": "x"}, {"id": "y"}], "favorites": ["x", "y"], \
      "notes": [{"id": "a", "tags": ["y", "x"]}, {"id": "b", "tags": ["y"]}]}}
      """
    let model = try ModelFile.model(Array(text.utf8))
    let client = MemoryClient(Store(try model.initialState(), of: model.definition, journal: nil))
    #expect(try client.delete("/state/tags/x").status == 204)
    #expect(try client.text("/state/notes") == #"[{"id":"b","tags":["y"]}]"#)
    // Nothing contains this array that could be removed.
    #expect(try client.text("/state/favorites") == #"["y"]"#)
  }

  @Test(arguments: ["/posts", "/all"])
  func `a reference is maintained after cascades in its collection, also through an alias`(_ target: String) throws {
    let text = """
      {"type": "object", "properties": {\
      "pinned": {"type": ["string", "null"], \
      "x-bindery": {"reference": {"to": "\(target)", "onRemoval": "clear"}}}, \
      "users": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "string"}}, \
      "x-bindery": {"id": "id"}}}, \
      "posts": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "string"}, \
      "author": {"type": "string", "x-bindery": {"reference": {"to": "/users", "onRemoval": "cascade"}}}}, \
      "required": ["author"], "x-bindery": {"id": "id"}}}, \
      "all": {"x-bindery": {"alias": "/posts"}}}, \
      "default": {"users": [{"id": "u"}], "posts": [{"id": "p", "author": "u"}], "pinned": "p"}}
      """
    let model = try ModelFile.model(Array(text.utf8))
    let client = MemoryClient(Store(try model.initialState(), of: model.definition, journal: nil))
    #expect(try client.delete("/state/users/u").status == 204)
    #expect(try client.text("/state") == #"{"pinned":null,"users":[],"posts":[],"all":[]}"#)
  }

  /// A reference that names no element shows whether a commit visits it.
  @Test(arguments: ["clear", "cascade", "refuse"])
  func `references in arrays and dictionaries are visited if their container or the elements have changed`(
    _ onRemoval: String
  ) throws {
    let reference = #""x-bindery":{"reference":{"to":"/items","onRemoval":"\#(onRemoval)"}}"#
    let entry = #"{"type":"object","properties":{"r":{"type":["string","null"],\#(reference)}}}"#
    let list = #"{"type":"array","items":\#(entry)}"#
    let entries = #"{"type":"object","additionalProperties":\#(entry)}"#
    let lists = #"{"type":"object","additionalProperties":{"type":"array","items":{"type":"string",\#(reference)}}}"#
    let text = """
      {"type":"object","properties":{"n":{"type":"integer","default":0},
      "items":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"}},"x-bindery":{"id":"id"}}},
      "list":\(list),"entries":\(entries),"lists":\(lists)}}
      """
    let model = try ModelFile.model(Array(text.utf8)).definition
    let members = ["list": #"[{"r":"no"}]"#, "entries": #"{"k":{"r":"no"}}"#, "lists": #"{"k":["no"]}"#]
    let changes = ["list": #"[{"r":"no"},{"r":null}]"#, "entries": #"{"l":{"r":null}}"#, "lists": #"{"k":["no","b"]}"#]
    for (member, value) in members {
      let state = #"{"items":[{"id":"a"},{"id":"b"}],"\#(member)":\#(value)}"#
      let client = MemoryClient(Store(try model.shape.restore(Array(state.utf8)), of: model, journal: nil))
      #expect(try client.patch("/state/n", "1").status == 200)
      #expect(try client.post("/state/items", #"{"id":"c"}"#).status == 201)
      #expect(try client.text("/state/\(member)") == value)
      // The removal of another element, and another value in the container, visit all of its references.
      for (method, path, body) in [("DELETE", "items/a", nil), ("PATCH", member, changes[member])] {
        let status = try client.send(method, "/state/\(path)", body).status
        #expect(onRemoval == "refuse" ? status == 422 : try !client.text("/state/\(member)").contains("no"))
      }
    }
  }

  @Test func `a remembered payload has the references that the model has cleared`() throws {
    let text = """
      {"type": "object", "properties": {\
      "items": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "string"}}, \
      "x-bindery": {"id": "id"}}}, \
      "use": {"oneOf": [{"const": "none"}, {"type": "object", "required": ["pick"], "properties": {"pick": \
      {"type": "object", "properties": {"item": {"type": ["string", "null"], \
      "x-bindery": {"reference": {"to": "/items", "onRemoval": "clear"}}}}}}}]}, \
      "last": {"x-bindery": {"remembered": "/use/pick"}}, "keep": {"type": "integer", "default": 0}}, \
      "required": ["use"], "default": {"items": [{"id": "a"}], "use": "none"}}
      """
    let model = try ModelFile.model(Array(text.utf8))
    let client = MemoryClient(Store(try model.initialState(), of: model.definition, journal: nil))
    #expect(try client.put("/state/use", #"{"pick":{"item":"a"}}"#).status == 200)
    #expect(try client.text("/state/last") == #"{"some":"a"}"#)
    #expect(try client.delete("/state/items/a").status == 204)
    #expect(try client.text("/state/last") == #"{"some":null}"#)
    #expect(try client.patch("/state/keep", "0").changed == false)
  }

  @Test func `a test compares numbers by their values`() throws {
    for (stored, same, other) in [("-0", "0", "1e-9"), ("0", "-0", "-1e-9"), ("1.5", "15e-1", "1.50001")] {
      #expect(try client.patch("/state/ratio", stored).text == stored)
      for (sent, status) in [(same, 200), (other, 409), ("null", 409), ("\"0\"", 409)] {
        let operation = #"[{"op":"test","path":"","value":\#(sent)}]"#
        let fields: KeyValuePairs = ["Content-Type": "application/json-patch+json"]
        #expect(try client.send("PATCH", "/state/ratio", operation, fields).status == status, "\(stored) \(sent)")
      }
    }
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
