import BinderyCore
import BinderyDigest
import BinderyJSON
import BinderyModelFile
import BinderyOpenAPI
import BinderyTestKit
import Testing

private struct Parcel: StateModel {
  var name: String
  var size: Int?

  static let shape = EditableShape<Parcel>.members(
    Parcel.init, StoredMember("name", \.name), StoredMember("size", omittedWhenNil: \.size))
}

/// Members that JSON leaves out while they are null.
struct OmittedMemberTests {
  private let model: DynamicModel
  private let loop: MemoryLoop<DynamicValue>

  init() throws {
    let text = """
      {"type": "object", "properties": {"name": {"type": "string"}, \
      "size": {"type": ["integer", "null"], "x-bindery": {"omitNull": true}}, \
      "free": {"x-bindery": {"omitNull": true}}, \
      "box": {"type": ["object", "null"], "properties": {"on": {"type": "boolean"}}, "required": ["on"], \
      "x-bindery": {"omitNull": true}}}, "required": ["name"], "default": {"name": "a", "size": 3}}
      """
    model = try ModelFile.model(Array(text.utf8))
    loop = MemoryLoop(Store(try model.initialState(), of: model.definition, journal: nil))
  }

  @Test func `a null member is left out of its object, and is null at its own path`() throws {
    #expect(try loop.text("/state") == #"{"name":"a","size":3}"#)
    #expect(try loop.text("/state/free") == "null")
    #expect(try loop.patch("/state/size", "null").text == "null")
    #expect(try loop.text("/state") == #"{"name":"a"}"#)
    #expect(try loop.patch("/state", #"{"free": [1], "size": 4}"#).text == #"{"name":"a","size":4,"free":[1]}"#)
    #expect(try loop.delete("/state/free").status == 204)
    #expect(try loop.put("/state/box/on", "true").status == 409)
    #expect(try loop.put("/state/box", #"{"on": true}"#).status == 200)
    #expect(try loop.text("/state") == #"{"name":"a","size":4,"box":{"on":true}}"#)
  }

  @Test(arguments: [#"["string", "null"]"#, #""array", "items": {"type": "string"}"#])
  func `the only label of a payload may be left out like any member`(_ type: String) throws {
    let text = """
      {"type": "object", "properties": {"state": {"oneOf": [{"const": "a"}, {"type": "object", "required": ["b"], \
      "properties": {"b": {"type": "object", "properties": {"h": {"type": \(type)}}}}}], "default": "a"}}}
      """
    let model = try ModelFile.model(Array(text.utf8))
    let loop = MemoryLoop(Store(try model.initialState(), of: model.definition, journal: nil))
    let empty = type.hasPrefix("[") ? "null" : "[]"
    #expect(try loop.put("/state/state/b", "{}").text == #"{"h":\#(empty)}"#)
    #expect(try loop.patch("/state/state", #""a""#).status == 200)
    #expect(try loop.patch("/state/state", #"{"b":{}}"#).text == #"{"b":{"h":\#(empty)}}"#)
    // In a value that exists, no member may be left out.
    #expect(try loop.put("/state/state/b", "{}").outcome == "422 missing-member")
  }

  @Test func `the only label of a payload is left out while it is null`() throws {
    let text = """
      {"type": "object", "properties": {"state": {"default": "a", "oneOf": [{"const": "a"}, {"type": "object", \
      "properties": {"b": {"type": "object", "properties": {"h": {"type": ["string", "null"], \
      "x-bindery": {"omitNull": true}}}}}, "required": ["b"]}]}}}
      """
    let model = try ModelFile.model(Array(text.utf8))
    let loop = MemoryLoop(Store(try model.initialState(), of: model.definition, journal: nil))
    #expect(try loop.put("/state/state/b", "{}").text == "{}")
    #expect(try loop.patch("/state/state/b/h", #""x""#).status == 200)
    #expect(try loop.text("/state/state") == #"{"b":{"h":"x"}}"#)
  }

  @Test func `computed members show an omitted value of any type as null`() throws {
    let text = """
      {"type": "object", "properties": {"rows": {"type": "array", "items": {"type": "object", \
      "properties": {"id": {"type": "string"}, "free": {"x-bindery": {"omitNull": true}}, \
      "same": {"x-bindery": {"alias": "/free"}}, "or": {"x-bindery": {"orDefault": {"of": "/free", "value": 7}}}}, \
      "required": ["id"], "x-bindery": {"id": "id"}}}, \
      "fives": {"x-bindery": {"filter": {"in": "/rows", "where": "/free", "equals": 5}}}}}
      """
    let model = try ModelFile.model(Array(text.utf8))
    let loop = MemoryLoop(Store(try model.initialState(), of: model.definition, journal: nil))
    #expect(try loop.post("/state/rows", #"{"id": "x"}"#).status == 201)
    #expect(try loop.text("/state") == #"{"rows":[{"id":"x","same":null,"or":7}],"fives":[]}"#)
    #expect(try loop.patch("/state/rows/x/same", "5").status == 200)
    #expect(try loop.text("/state") == #"{"rows":[{"id":"x","free":5,"same":5,"or":5}],"fives":["x"]}"#)
    // What null sets, a restart does not change.
    #expect(try loop.patch("/state/rows/x/or", "null").text == "7")
    #expect(try loop.patch("/state/rows/x/free", "null").changed == false)
  }

  @Test func `a replacement that leaves it out makes it null`() throws {
    let reply = try loop.put("/state", #"{"name": "b"}"#)
    #expect(reply.status == 200 && reply.text == #"{"name":"b"}"#)
    #expect(try loop.put("/state", #"{"size": 1}"#).status == 422)
    // What GET returned changes nothing.
    #expect(try loop.put("/state", try loop.text("/state")).changed == false)
    #expect(try loop.put("/state", #"{"name": "b", "size": null}"#).changed == false)
  }

  @Test func `patches add and remove it`() throws {
    let patches = loop.listen("/state?as=patch")
    var copy = try JSONTree(parsing: try #require(patches.takeData().first))
    let changes = [
      (#"{"size": null}"#, #"[{"op":"remove","path":"/size"}]"#),
      (#"{"size": 5}"#, #"[{"op":"add","path":"/size","value":5}]"#),
      (#"{"size": 6}"#, #"[{"op":"replace","path":"/size","value":6}]"#),
      (#"{"free": {"x": 1}}"#, #"[{"op":"add","path":"/free","value":{"x":1}}]"#),
    ]
    for (body, expected) in changes {
      #expect(try loop.patch("/state", body).status == 200)
      loop.settle()
      let patch = try #require(patches.takeData().first)
      #expect(patch == expected)
      try copy.apply(patch: patch)
    }
    #expect(try JSONText(copy.text) == JSONText(try loop.text("/state")))
    let reply = try loop.jsonPatch(
      "/state",
      #"[{"op":"test","path":"","value":{"name":"a","size":6,"free":{"x":1}}},{"op":"remove","path":"/free"}]"#)
    #expect(reply.text == #"{"name":"a","size":6}"#)
  }

  @Test func `the store and the undo patch restore it`() throws {
    let shape = model.definition.shape
    let (first, second) = (
      try model.initialState(), try shape.restore(Array(#"{"name":"a","free":0,"box":{"on":false}}"#.utf8))
    )
    #expect(String(decoding: shape.stored(first), as: UTF8.self) == #"{"name":"a","size":3}"#)
    let revision = Revision(number: 1, at: 0, from: first, to: second, shape)
    var value = first
    try shape.restore(&value, try StoredPatch(parsing: revision.patch))
    #expect(shape.areSame(value, second))
    #expect(try shape.firstChange(in: value, since: StoredPatch(parsing: revision.patch)) == nil)
    try shape.restore(&value, try StoredPatch(parsing: revision.undo))
    #expect(shape.areSame(value, first))
    #expect(try shape.firstChange(in: second, since: StoredPatch(parsing: revision.undo)) != nil)
  }

  @Test func `a model in Swift has the same form`() throws {
    let key = DigestKey.random()
    let text = """
      {"type": "object", "properties": {"name": {"type": "string"}, "size": {"type": ["integer", "null"], \
      "x-bindery": {"omitNull": true}}}, "required": ["name"], "default": {"name": "a", "size": 3}}
      """
    let model = try ModelFile.model(Array(text.utf8))
    let dynamic = MemoryClient(
      Store(try model.initialState(), of: model.definition, journal: nil, key: key), key: key)
    let compiled = MemoryClient(Store(Parcel(name: "a", size: 3), journal: nil, key: key), key: key)
    for body in [#"{"name": "b"}"#, #"{"size": null}"#, #"{"size": 4}"#] {
      let (first, second) = (try dynamic.patch("/state", body), try compiled.patch("/state", body))
      #expect(first.text == second.text && first.etag == second.etag, "\(body)")
    }
    #expect(try compiled.put("/state", #"{"name": "c"}"#).text == #"{"name":"c"}"#)
    #expect(ModelDefinition(Parcel.self).described.root.kind == model.declaration.root.kind)
  }

  @Test func `schemas do not require it`() throws {
    let document = OpenAPIDocument(of: try model.initialState(), model.definition, title: "Box", version: "1").yaml
    #expect(document.contains("required: [name]") && !document.contains("required: [name, "))
    // A model in Swift of the same form is described in the same way.
    let definition = ModelDefinition(model.definition.shape) { _, _ throws(InvalidState) in }
    guard case .structure(let described) = definition.described.root.kind else {
      throw InvalidState("not a struct", at: "")
    }
    #expect(described.members.map(\.omitsNull) == [false, true, true, true])
  }

  @Test(arguments: [
    (#"{"type": "integer", "default": 1, "x-bindery": {"omitNull": true}}"#, "is left out when it is null"),
    (#"{"type": "integer", "x-bindery": {"omitNull": true}}"#, "only a member that may be null can be left out"),
    (#"{"x-bindery": {"omitNull": true, "count": "/b"}}"#, "applies to stored members"),
  ])
  func `only optionals without a default can be left out`(member: String, message: String) {
    let text = #"{"type": "object", "properties": {"a": \#(member), "b": {"type": "array", "items": true}}}"#
    let error = #expect(throws: ModelMistakes.self) { try ModelFile.model(Array(text.utf8)) }
    #expect(error?.list.contains { $0.message.contains(message) } == true)
  }
}
