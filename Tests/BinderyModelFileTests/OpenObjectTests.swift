import BinderyCore
import BinderyJSON
import BinderyModelFile
import BinderyOpenAPI
import BinderyTestKit
import Testing

/// Objects with members that the model does not declare.
struct OpenObjectTests {
  private let model: DynamicModel
  private let loop: MemoryLoop<DynamicValue>

  init() throws {
    let text = """
      {"type": "object", "properties": {"posts": {"type": "array", "items": {"type": "object", "properties": {\
      "id": {"type": "integer", "x-bindery": {"generated": true}}, "title": {"type": "string"}}, \
      "required": ["title"], "x-bindery": {"id": "id"}, "additionalProperties": true}}, \
      "note": {"type": ["object", "null"], "properties": {"text": {"type": ["string", "null"]}}, \
      "additionalProperties": true}}, \
      "default": {"posts": [{"id": 1, "title": "One", "z": [1], "a": {"b": 2}}]}}
      """
    model = try ModelFile.model(Array(text.utf8))
    loop = MemoryLoop(Store(try model.initialState(), of: model.definition, journal: nil))
  }

  @Test func `further members follow the declared ones, sorted by name`() throws {
    #expect(try loop.text("/state/posts/1") == #"{"id":1,"title":"One","a":{"b":2},"z":[1]}"#)
    #expect(try loop.text("/state/posts/1/a") == #"{"b":2}"#)
    #expect(try loop.text("/state/posts/1/title") == #""One""#)
    #expect(try loop.get("/state/posts/1/missing").status == 404)
    #expect(try loop.get("/state/posts/1/a/b").status == 404)
    #expect(try loop.get("/state/other").status == 404)
  }

  @Test func `a member that a merge removes is gone as requested`() throws {
    let text = """
      {"type": "object", "additionalProperties": true, "properties": {"tasks": {"type": "array", "items": \
      {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"], "x-bindery": {"id": "id"}}}, \
      "current": {"type": ["string", "null"], "x-bindery": {"reference": {"to": "/tasks", "onRemoval": "clear"}}}}, \
      "default": {"tasks": [{"id": "a"}], "current": "a", "free": 1}}
      """
    let model = try ModelFile.model(Array(text.utf8))
    let client = MemoryClient(Store(try model.initialState(), of: model.definition, journal: nil))
    // The rule clears the reference, so the result is compared with the request.
    let reply = try client.patch("/state", #"{"free": null, "tasks": []}"#, ["Prefer": "handling=strict"])
    #expect(reply.status == 200 && reply["Write-Outcome"] == nil, "\(reply)")
    #expect(reply.text == #"{"tasks":[],"current":null}"#)
  }

  @Test func `a merge leaves out null members of a new object`() throws {
    for _ in 0..<2 {
      #expect(try loop.patch("/state", #"{"note": {"a": null, "b": 1}}"#).status == 200)
      #expect(try loop.text("/state/note") == #"{"text":null,"b":1}"#)
    }
    #expect(try loop.put("/state/note", #"{"text": null, "a": null}"#).text == #"{"text":null,"a":null}"#)
  }

  @Test(arguments: ["12345678901234567890", "[1,18446744073709551616]", "-9223372036854775809"])
  func `an integer that would be rounded is refused`(_ json: String) throws {
    for body in [json, "{\"n\":\(json)}"] {
      let reply = try loop.put("/state/posts/1/z", body)
      #expect(reply.outcome == "422 invalid-value" && reply.text.contains("has more digits than"), "\(reply)")
    }
    #expect(try loop.text("/state/posts/1/z") == "[1]")
  }

  @Test(arguments: ["12345678901234567000", "9223372036854775807", "1e25", "0.1234567890123456789"])
  func `other numbers are read like those of a Double or an integer`(_ json: String) throws {
    let reply = try loop.put("/state/posts/1/z", json)
    #expect(reply.status == 200)
    // What was read is read again as the same value.
    let repeated = try loop.put("/state/posts/1/z", reply.text)
    #expect(repeated.status == 200 && repeated.revision == reply.revision)
  }

  @Test func `a collection that may be null says how an element is added`() throws {
    let text = """
      {"type": "object", "properties": {"list": {"type": ["array", "null"], "items": {"type": "object", \
      "properties": {"id": {"type": "string"}}, "required": ["id"], "x-bindery": {"id": "id"}}}}}
      """
    let model = try ModelFile.model(Array(text.utf8))
    let client = MemoryClient(Store(try model.initialState(), of: model.definition, journal: nil))
    let reply = try client.post("/state/list", #"{"id": "a"}"#)
    #expect(reply.outcome == "405 method-not-allowed")
    #expect(reply.string("detail")?.hasSuffix("To add one here, PUT it at its id.") == true, "\(reply)")
    #expect(try client.put("/state/list", "[]").status == 200)
    #expect(try client.put("/state/list/a", "{}").status == 201)
  }

  @Test func `a state with deep values can be sent back as a whole`() throws {
    let text = #"{"type": "object", "properties": {"free": true}, "default": {"free": null}}"#
    let model = try ModelFile.model(Array(text.utf8))
    let client = MemoryClient(Store(try model.initialState(), of: model.definition, journal: nil))
    func nested(_ levels: Int) -> String {
      String(repeating: "[", count: levels) + "1" + String(repeating: "]", count: levels)
    }
    let tooDeep = try client.put("/state/free", nested(31))
    #expect(tooDeep.outcome == "422 invalid-value", "\(tooDeep)")
    #expect(try client.put("/state/free", nested(30)).status == 200)
    #expect(try client.put("/state", try client.text("/state")).changed == false)
    let replace = #"[{"op": "replace", "path": "", "value": \#(try client.text("/state"))}]"#
    #expect(try client.patch("/state", replace, ["Content-Type": "application/json-patch+json"]).status == 200)
    let copy = #"[{"op": "copy", "from": "", "path": ""}]"#
    #expect(try client.patch("/state", copy, ["Content-Type": "application/json-patch+json"]).status == 200)
  }

  @Test func `an open object with many members is written in slices`() throws {
    let members = (0..<3_000).map { #""k\#($0)": "\#(String(repeating: "x", count: 40))""# }
    let body = "{\(members.joined(separator: ","))}"
    #expect(try loop.patch("/state/posts/1", body).status == 200)
    let written = try loop.text("/state/posts/1")
    let names = written.split(separator: "\"k").dropFirst().map { "k" + $0.prefix { $0 != "\"" } }
    #expect(names.count == 3_000 && names == names.sorted())
    #expect(try loop.put("/state/posts/1", written).changed == false)
  }

  @Test func `the OpenAPI document has a path for them`() throws {
    let document = OpenAPIDocument(of: loop.store.snapshot.root, model.definition, title: "Blog", version: "1")
    let paths = document.root["paths"]
    let path = paths?["/state/posts/{postId}/{memberKey}"]
    #expect(path?.members.map(\.key) == ["parameters", "get", "patch", "put", "delete"])
    #expect(document.root["paths"]?["/state/note/{memberKey}"] != nil)
    #expect(document.root["paths"]?["/state/{memberKey}"] == nil)
    // Names of declared members are not used as examples.
    #expect(document.root["components"]?["parameters"]?["memberKey"]?["example"]?.string == "a")
  }

  @Test func `they are written, merged and removed like the entries of a dictionary`() throws {
    #expect(try loop.patch("/state/posts/1/a", "true").text == "true")
    #expect(try loop.patch("/state/posts/1/new", "1").status == 404)
    #expect(try loop.put("/state/posts/1/new", "1").status == 201)
    #expect(try loop.put("/state/posts/1/new", "null").status == 200)
    #expect(try loop.text("/state/posts/1/new") == "null")
    #expect(try loop.patch("/state/posts/1", #"{"new": null, "more": {"x": []}, "title": "Two"}"#).status == 200)
    #expect(try loop.text("/state/posts/1") == #"{"id":1,"title":"Two","a":true,"more":{"x":[]},"z":[1]}"#)
    #expect(try loop.delete("/state/posts/1/more").status == 204)
    #expect(try loop.delete("/state/posts/1/more").changed == false)
    #expect(
      try loop.put("/state/posts/1", #"{"title": "Three", "only": 1}"#).text == #"{"id":1,"title":"Three","only":1}"#)
    #expect(
      try loop.post("/state/posts", #"{"title": "Four", "tags": []}"#).text == #"{"id":2,"title":"Four","tags":[]}"#)
    #expect(try loop.put("/state/note/anything", "1").status == 409)
    #expect(try loop.put("/state/note", #"{"anything": 1}"#).text == #"{"text":null,"anything":1}"#)
  }

  @Test func `a JSON Patch adds, tests and removes them`() throws {
    let reply = try loop.jsonPatch(
      "/state",
      #"[{"op":"test","path":"/posts/1/a","value":{"b":2}},{"op":"add","path":"/posts/1/c","value":"x"},"#
        + #"{"op":"move","from":"/posts/1/z","path":"/posts/1/y"},{"op":"remove","path":"/posts/1/a"}]"#)
    #expect(reply.status == 200, "\(reply.text)")
    #expect(try loop.text("/state/posts/1") == #"{"id":1,"title":"One","c":"x","y":[1]}"#)
  }

  @Test func `names that no URL can address, and duplicate names, are refused`() throws {
    for body in [#"{"": 1}"#, #"{"..": 1}"#, #"{"b": 1, "b": 2}"#, #"{"é": 1, "e\#u{301}": 2}"#] {
      #expect(try loop.patch("/state/posts/1", body).status == 422, "\(body)")
    }
    // The name of a hidden member of the root, which is not open.
    #expect(try loop.patch("/state", ##"{"posts#last": 9}"##).status == 422)
  }

  @Test func `a watched member changes, goes and comes back, and patches describe it`() throws {
    let stream = loop.listen("/state/posts/1/a")
    let patches = loop.listen("/state?as=patch")
    #expect(stream.takeData() == [#"{"b":2}"#])
    var copy = try JSONTree(parsing: try #require(patches.takeData().first))
    for (body, event) in [(#"{"a": 3}"#, "3"), (#"{"a": null}"#, nil), (#"{"z": 1}"#, ""), (#"{"a": []}"#, "[]")] {
      #expect(try loop.patch("/state/posts/1", body).status == 200)
      loop.settle()
      let events = stream.take()
      switch event {
      case ""?: #expect(events.isEmpty)
      case let data?: #expect(events.map(\.data) == [data])
      case nil: #expect(events.map(\.type) == ["absent"])
      }
      for data in patches.takeData() { try copy.apply(patch: data) }
      #expect(try JSONText(copy.text) == JSONText(try loop.text("/state")))
    }
  }

  @Test func `an object is watched as a whole beside places in it`() throws {
    let streams = [("", "/state"), ("/posts/1", "/state/posts/1")].map { ($0, loop.listen($1)) }
    let parts = ["title", "a", "z"].map { loop.listen("/state/posts/1/\($0)") }
    let both = loop.listen("/events?path=/posts/1&path=/posts/1/title")
    for body in [nil, #"{"b": 1}"#, #"{"title": "Two"}"#, #"{"z": null, "title": "Three"}"#, #"{"a": 5}"#] {
      if let body { #expect(try loop.patch("/state/posts/1", body).status == 200) }
      loop.settle()
      for (path, stream) in streams { #expect(stream.takeData() == [try loop.text("/state\(path)")]) }
      #expect(both.takeData().first?.contains(try loop.text("/state/posts/1")) == true)
      for part in parts { _ = part.take() }
    }
  }

  @Test func `the store keeps them, and a member that is declared later takes its value`() throws {
    let stored = model.definition.shape.stored(try model.initialState())
    let restored = try model.definition.shape.restore(stored)
    #expect(model.definition.shape.areSame(restored, try model.initialState()))
    let later = try ModelFile.model(
      Array(
        """
        {"type": "object", "properties": {"posts": {"type": "array", "items": {"type": "object", "properties": {\
        "id": {"type": "integer", "x-bindery": {"generated": true}}, "title": {"type": "string"}, \
        "z": {"type": "array", "items": {"type": "integer"}}}, \
        "required": ["title"], "x-bindery": {"id": "id"}, "additionalProperties": true}}}}
        """.utf8))
    let taken = try later.definition.shape.restore(stored)
    let client = MemoryClient(Store(taken, of: later.definition, journal: nil))
    #expect(try client.text("/state/posts/1") == #"{"id":1,"title":"One","z":[1],"a":{"b":2}}"#)
  }
}

struct FreeNumberTests {
  @Test(arguments: ["-1e-400", "1e-400", "-0", "-0.0", "0e5", "-0e-999999999"])
  func `a number that is written is read again as the same value`(number: String) throws {
    let text = #"{"type": "object", "properties": {"free": true}, "default": {"free": \#(number)}}"#
    let model = try ModelFile.model(Array(text.utf8))
    let client = MemoryClient(Store(try model.initialState(), of: model.definition, journal: nil))
    #expect(try client.text("/state/free") == "0")
    #expect(try client.put("/state/free", "0").changed == false)
  }
}
