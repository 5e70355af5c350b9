import BinderyCore
import BinderyModelFile
import BinderyTestKit
import Testing

/// Copies of structs with computed and read-only members, and sets whose elements are equal in Swift.
struct CopiedStructTests {
  private let loop: MemoryLoop<DynamicValue>

  init() throws {
    let text = """
      {"type": "object", "properties": {
        "a": {"$ref": "#/$defs/Box"}, "b": {"$ref": "#/$defs/Box"},
        "boxes": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Box"}},
        "r": {"$ref": "#/$defs/Made"}, "q": {"$ref": "#/$defs/Made"},
        "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": true},
        "numbers": {"type": "array", "items": {"type": "number"}, "uniqueItems": true}}, "required": ["r", "q"],
      "default": {"a": {"label": null}, "b": {"label": "x"}, "boxes": {"1": {"label": "y"}, "2": {"label": null}}, \
        "r": {"made": "r"}, "q": {"made": "q"}, "tags": [], "numbers": []},
      "$defs": {
        "Box": {"type": "object", "properties": {"label": {"type": ["string", "null"]}, \
          "shown": {"x-bindery": {"orDefault": {"of": "/label", "value": "none"}}}}},
        "Made": {"type": "object", "properties": {"made": {"type": "string", "readOnly": true}}, \
          "required": ["made"]}}}
      """
    let model = try ModelFile.model(Array(text.utf8))
    loop = MemoryLoop(Store(try model.initialState(), of: model.definition, journal: nil))
  }

  @Test(arguments: [
    (#"[{"op":"copy","from":"/a","path":"/b"}]"#, "/state/b", #"{"label":null,"shown":"none"}"#),
    (#"[{"op":"copy","from":"/b","path":"/a"}]"#, "/state/a", #"{"label":"x","shown":"x"}"#),
    (#"[{"op":"move","from":"/boxes/2","path":"/boxes/1"}]"#, "/state/boxes", #"{"1":{"label":null,"shown":"none"}}"#),
    (#"[{"op":"copy","from":"/boxes/1","path":"/boxes/3"}]"#, "/state/boxes/3", #"{"label":"y","shown":"y"}"#),
  ])
  func `a struct is copied onto another one with its computed members`(
    _ patch: String, _ path: String, _ result: String
  ) throws {
    let reply = try loop.jsonPatch("/state", patch)
    #expect(reply.status == 200 && reply["Write-Outcome"] == nil, "\(reply)")
    #expect(try loop.text(path) == result)
  }

  @Test func `a read-only member of a copied value points at its source`() throws {
    let reply = try loop.jsonPatch("/state", #"[{"op":"copy","from":"/r","path":"/q"}]"#)
    #expect(reply.outcome == "422 read-only-member" && reply.member("pointer") == "\"/0/from\"", "\(reply)")
  }

  @Test func `texts that take long to compare are no keys, elements of sets, segments or names`() throws {
    let text = "a" + String(repeating: "\u{301}\u{323}", count: 16)
    let quoted = "\"\(text)\""
    #expect(try loop.put("/state/tags", "[\(quoted)]").outcome == "422 invalid-value")
    #expect(try loop.patch("/state/boxes", "{\(quoted):{\"label\":null}}").outcome == "422 invalid-value")
    #expect(try loop.put("/state/boxes", "{\(quoted):{\"label\":null}}").outcome == "422 invalid-value")
    for operation in [
      "\"op\":\(quoted),\"path\":\"/a\"", "\"op\":\"remove\",\"path\":\"/boxes/\(text)\"",
      "\"op\":\"remove\",\"path\":\"/a\",\(quoted):1",
    ] {
      #expect(try loop.jsonPatch("/state", "[{\(operation)}]").status == 422)
    }
    let path = text.utf8.map { "%" + String($0, radix: 16) }.joined()
    #expect(try loop.get("/state/boxes/\(path)").outcome == "400 malformed-path")
    // A text that is only a value may have any marks, and a key up to 30.
    #expect(try loop.put("/state/b/label", quoted).text == quoted)
    let key = text.unicodeScalars.dropLast(2).reduce(into: "") { $0.unicodeScalars.append($1) }
    #expect(try loop.patch("/state/boxes", "{\"\(key)\":{\"label\":null}}").status == 200)
  }

  @Test(arguments: [("tags", #"["\u00e9","e\u0301"]"#), ("tags", #"["a","a"]"#), ("numbers", "[0,-0.0]")])
  func `a set refuses elements that are equal in Swift`(_ name: String, _ elements: String) throws {
    #expect(try loop.put("/state/\(name)", elements).status == 422)
    #expect(try loop.put("/state/\(name)", name == "tags" ? #"["a","b"]"# : "[-0.0,1]").status == 200)
  }
}
