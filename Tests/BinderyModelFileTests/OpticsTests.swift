import BinderyCore
import BinderyDigest
import BinderyModelFile
import BinderyTestKit
import Testing

/// A service of a model file with posts, comments, tags and settings.
struct Blog {
  let loop: MemoryLoop<DynamicValue>

  static let text = """
    {
      "type": "object",
      "properties": {
        "posts": {"type": "array", "items": {"$ref": "#/$defs/Post"}},
        "comments": {"type": "array", "items": {"$ref": "#/$defs/Comment"}},
        "pinned": {"type": ["integer", "null"], "x-bindery": {"reference": {"to": "/posts", "onRemoval": "refuse"}}},
        "shelf": {"type": "array", "items": {"type": "integer", \
          "x-bindery": {"reference": {"to": "/posts", "onRemoval": "clear"}}}},
        "settings": {"type": "object", "properties": {\
          "theme": {"type": "string", "enum": ["light", "dark"], "default": "light"}, \
          "nickname": {"type": ["string", "null"]}}},
        "state": {"oneOf": [{"const": "draft"}, \
          {"type": "object", "properties": {"public": {"type": "string", "format": "date"}}}], "default": "draft"},
        "theme": {"x-bindery": {"alias": "/settings/theme"}},
        "name": {"x-bindery": {"orDefault": {"of": "/settings/nickname", "value": "guest"}}},
        "postCount": {"x-bindery": {"count": "/posts"}},
        "stars": {"x-bindery": {"filter": {"in": "/posts", "where": "/starred", "equals": true}}},
        "themeLabel": {"x-bindery": {"label": {"of": "/theme", "texts": {"light": "Bright", "dark": "Night"}}}},
        "stateLabel": {"x-bindery": {"label": {"of": "/state", "texts": {"public": "Out"}, "otherwise": "Hidden"}}},
        "lastPublic": {"x-bindery": {"remembered": "/state/public"}},
        "pinnedPost": {"x-bindery": {"lookup": {"in": "/posts", "by": "/pinned"}}}
      },
      "default": {"posts": [{"id": 1, "title": "One"}, {"id": 2, "title": "Two"}], \
        "comments": [{"id": "a", "postID": 2}]},
      "$defs": {
        "Post": {"type": "object", "properties": {"id": {"type": "integer"}, "title": {"type": "string"}, \
          "starred": {"type": "boolean", "default": false}}, \
          "required": ["id", "title"], "x-bindery": {"id": "id"}},
        "Comment": {"type": "object", "properties": {\
          "id": {"type": "string", "x-bindery": {"generated": true}}, \
          "postID": {"type": "integer", "x-bindery": {"reference": {"to": "/posts", "onRemoval": "cascade"}}}}, \
          "required": ["postID"], "x-bindery": {"id": "id"}}
      }
    }
    """

  init() throws {
    let model = try ModelFile.model(Array(Self.text.utf8))
    loop = MemoryLoop(Store(try model.initialState(), of: model.definition, journal: nil))
  }
}

struct OpticsTests {
  private let loop: MemoryLoop<DynamicValue>
  init() throws { loop = try Blog().loop }

  @Test(arguments: [
    (#"{"dx": {"p": 3}}"#, #"{"p":3,"q":2}"#), (#"{"ax": 2, "dx": {"p": 3}}"#, #"{"p":3,"q":2}"#),
    (#"{"ax": 2, "dx": {"q": null}}"#, #"{"p":1}"#), (#"{"ax": 1, "dx": {"r": 4}}"#, #"{"p":1,"q":2,"r":4}"#),
    (#"{"ax": 2, "sx": {"d": {"p": 9}}}"#, #"{"p":1,"q":2}"#),
    (#"{"bx": {"d": {"p": 1, "q": 2}, "n": 9}, "bd": {"p": 6, "q": 2}}"#, #"{"p":1,"q":2}"#),
  ])
  func `entries that are merged through several computed members are kept`(_ body: String, _ d: String) throws {
    let dictionary =
      #"{"type": "object", "additionalProperties": {"type": "integer"}, "default": {"p": 1, "q": 2}}"#
    let members = [
      #""a": {"type": "integer", "default": 1}, "d": \#(dictionary)"#,
      #""s": {"type": "object", "properties": {"d": \#(dictionary)}}"#,
      #""ax": {"x-bindery": {"alias": "/a"}}, "dx": {"x-bindery": {"alias": "/d"}}"#,
      #""sx": {"x-bindery": {"alias": "/s"}}"#,
      #""b": {"type": "object", "properties": {"d": \#(dictionary), "n": {"type": "integer", "default": 0}}}"#,
      #""bx": {"x-bindery": {"alias": "/b"}}, "bd": {"x-bindery": {"alias": "/b/d"}}"#,
    ]
    let text = #"{"type": "object", "properties": {\#(members.joined(separator: ", "))}}"#
    let model = try ModelFile.model(Array(text.utf8))
    let loop = MemoryLoop(Store(try model.initialState(), of: model.definition, journal: nil))
    let reply = try loop.patch("/state", body, ["Prefer": "handling=strict"])
    #expect(reply.status == 200 && reply["Write-Outcome"] == nil, "\(reply)")
    #expect(try loop.text("/state/d") == d)
    // A replacement has no other entries.
    let operations = #"[{"op": "replace", "path": "", "value": \#(try loop.text("/state"))}]"#
    #expect(try loop.patch("/state", operations, ["Content-Type": "application/json-patch+json"]).changed == false)
  }

  @Test func `two computed members that disagree are a conflict`() throws {
    let conflict = try loop.patch("/state", #"{"name": "Ada", "theme": "dark", "settings": {"theme": "light"}}"#)
    #expect(conflict.outcome == "422 conflicting-members")
    let pinned = try loop.patch("/state/pinned", "1")
    #expect(pinned.status == 200)
    let agreed = try loop.patch("/state", #"{"name": "Ada", "theme": "dark", "pinnedPost": {"starred": true}}"#)
    #expect(agreed.status == 200 && agreed["Write-Outcome"] == nil, "\(agreed)")
  }

  @Test func `the state that a client has read is imported, and mistakes in computed members are found`() throws {
    let model = loop.store.model
    #expect(try loop.patch("/state/pinned", "1").status == 200)
    let shown = try loop.text("/state")
    let copy = try model.importing(Array(shown.utf8), replacing: nil)
    #expect(model.shape.areSame(copy, loop.store.snapshot.root))
    let wrong = shown.replacing(#""postCount":2"#, with: #""postCount":3"#)
      .replacing(#""pinnedPost":{"id":1,"title":"One""#, with: #""pinnedPost":{"id":1,"title":"Two""#)
      .replacing(#""postID":2"#, with: #""postID":"2""#)
    var lines: [String] = []
    do {
      _ = try model.importing(Array(wrong.utf8), replacing: nil)
    } catch { lines = error.description.split(separator: "\n").map(String.init) }
    #expect(lines == [#"/comments/0/postID: "2" is not an integer"#])
    let computed = wrong.replacing(#""postID":"2""#, with: #""postID":9"#)
    do {
      _ = try model.importing(Array(computed.utf8), replacing: nil)
    } catch { lines = error.description.split(separator: "\n").map(String.init) }
    try #require(lines.count == 3, "\(lines)")
    #expect(lines[0].hasPrefix("/postCount: the file says 3, but the other members give 2"))
    #expect(lines[1].hasPrefix(#"/pinnedPost/title: the file says "Two", but the other members give "One""#))
    #expect(lines[2].hasPrefix("/comments/a/postID: "), "\(lines)")
  }

  @Test func `an alias reads and writes another place`() throws {
    #expect(try loop.text("/state/theme") == "\"light\"")
    #expect(try loop.patch("/state/theme", "\"dark\"").status == 200)
    #expect(try loop.text("/state/settings/theme") == "\"dark\"")
    #expect(try loop.patch("/state/theme", "\"blue\"").status == 422)
    #expect(try loop.text("/state/themeLabel") == "\"Night\"")
  }

  @Test func `a default replaces null until a value is set`() throws {
    #expect(try loop.text("/state/name") == "\"guest\"")
    #expect(try loop.patch("/state/name", "\"Ada\"").status == 200)
    #expect(try loop.text("/state/settings/nickname") == "\"Ada\"")
  }

  @Test func `counts, filters and labels follow the state`() throws {
    #expect(try loop.post("/state/posts", #"{"id":3,"title":"Three","starred":true}"#).status == 201)
    #expect(try loop.text("/state/postCount") == "3")
    #expect(try loop.text("/state/stars") == "[3]")
    #expect(try loop.text("/state/stateLabel") == "\"Hidden\"")
    #expect(try loop.patch("/state/postCount", "7").status == 405)
  }

  @Test func `the last payload of a case is remembered`() throws {
    #expect(try loop.put("/state/state/public", "\"2026-11-21\"").status == 201)
    #expect(try loop.patch("/state/state", "\"draft\"").status == 200)
    #expect(try loop.text("/state/lastPublic") == "\"2026-11-21\"")
    #expect(try loop.patch("/state/lastPublic", "null").status == 405)
  }

  @Test func `a remembered null is no value, among any JSON values`() throws {
    let text = """
      {"type": "object", "properties": {"u": {"default": "none", "oneOf": [{"const": "none"}, \
      {"type": "object", "properties": {"c": true}, "required": ["c"]}]}, \
      "last": {"x-bindery": {"remembered": "/u/c"}}, \
      "lastOr": {"x-bindery": {"orDefault": {"of": "/last", "value": "none"}}}}}
      """
    let model = try ModelFile.model(Array(text.utf8))
    let loop = MemoryLoop(Store(try model.initialState(), of: model.definition, journal: nil))
    #expect(try loop.patch("/state/u", #"{"c": 1}"#).status == 200)
    #expect(try loop.text("/state") == #"{"u":{"c":1},"last":1,"lastOr":1}"#)
    #expect(try loop.patch("/state/u", #"{"c": null}"#).status == 200)
    #expect(try loop.text("/state") == #"{"u":{"c":null},"last":null,"lastOr":"none"}"#)
  }

  @Test(arguments: ["double", "float"])
  func `the numbers 0 and -0 are one element of a set`(_ format: String) throws {
    let text = """
      {"type": "object", "properties": {"a": {"type": "array", "uniqueItems": true, \
      "items": {"type": "number", "format": "\(format)"}}}}
      """
    let model = try ModelFile.model(Array(text.utf8))
    let loop = MemoryLoop(Store(try model.initialState(), of: model.definition, journal: nil))
    #expect(try loop.put("/state/a", "[0, -0.0]").status == 422)
  }

  @Test func `a lookup edits the element that an id names`() throws {
    #expect(try loop.get("/state/pinnedPost").text == "null")
    #expect(try loop.patch("/state/pinned", "1").status == 200)
    #expect(try loop.patch("/state/pinnedPost/title", "\"First\"").status == 200)
    #expect(try loop.text("/state/posts/1/title") == "\"First\"")
    #expect(try loop.patch("/state/pinnedPost", #"{"id":2}"#).problem == "read-only-member")
    #expect(try loop.patch("/state/pinnedPost", "null").status == 200)
    #expect(try loop.text("/state/pinned") == "null")
  }

  @Test func `a reference names an existing element`() throws {
    let reply = try loop.patch("/state/pinned", "9")
    #expect(reply.outcome == "422 invalid-state")
    #expect(reply.string("pointer") == "/pinned")
    #expect(try loop.post("/state/comments", #"{"id":"b","postID":9}"#).string("pointer") == "/comments/b/postID")
  }

  @Test func `a removal is refused while a reference is there`() throws {
    #expect(try loop.patch("/state/pinned", "1").status == 200)
    let reply = try loop.delete("/state/posts/1")
    #expect(reply.outcome == "422 invalid-state")
    #expect(reply.string("pointer") == "/pinned")
    #expect(
      try loop.jsonPatch(
        "/state", #"[{"op":"remove","path":"/posts/1"},{"op":"replace","path":"/pinned","value":null}]"#
      ).status == 200)
  }

  @Test func `a removal clears references in arrays and cascades to elements`() throws {
    #expect(try loop.patch("/state/shelf", "[2,1,2]").status == 200)
    #expect(try loop.delete("/state/posts/2").status == 204)
    #expect(try loop.text("/state/shelf") == "[1]")
    #expect(try loop.text("/state/comments") == "[]")
  }

  @Test func `subscribers of an optic hear only of changes of its value`() throws {
    let stars = loop.listen("/state/stars")
    let label = loop.listen("/state/themeLabel")
    loop.settle()
    #expect(stars.takeData() == ["[]"])
    #expect(label.takeData() == ["\"Bright\""])
    #expect(try loop.patch("/state/posts/1/title", "\"Other\"").status == 200)
    #expect(stars.takeData().isEmpty && label.takeData().isEmpty)
    #expect(try loop.patch("/state/posts/1", #"{"starred":true}"#).status == 200)
    #expect(stars.takeData() == ["[1]"])
    #expect(try loop.patch("/state/settings/theme", "\"dark\"").status == 200)
    #expect(label.takeData() == ["\"Night\""])
    #expect(stars.takeData().isEmpty)
  }

  @Test func `the same labels of a value are one event`() throws {
    let label = loop.listen("/state/stateLabel")
    loop.settle()
    _ = label.takeData()
    #expect(try loop.put("/state/state/public", "\"2026-11-21\"").status == 201)
    #expect(label.takeData() == ["\"Out\""])
    #expect(try loop.patch("/state/state/public", "\"2026-11-22\"").status == 200)
    #expect(label.takeData().isEmpty)
  }
}

struct GeneratedIDTests {
  private let loop: MemoryLoop<DynamicValue>

  init() throws {
    let item = { (type: String) in
      """
      {"type": "array", "items": {"type": "object", "properties": {"id": {\(type), "x-bindery": {"generated": true}}, \
      "name": {"type": "string"}}, "required": ["name"], "x-bindery": {"id": "id"}}}
      """
    }
    let text = """
      {"type": "object", "properties": {"numbered": \(item("\"type\": \"integer\"")), "named": \
      \(item("\"type\": \"string\"")), "unique": \(item("\"type\": \"string\", \"format\": \"uuid\""))}}
      """
    let model = try ModelFile.model(Array(text.utf8))
    loop = MemoryLoop(Store(try model.initialState(), of: model.definition, journal: nil))
  }

  @Test func `a generated integer is one more than the largest that was ever used`() throws {
    #expect(try loop.post("/state/numbered", #"{"name":"a"}"#)["Location"] == "/state/numbered/1")
    #expect(try loop.post("/state/numbered", #"{"id":7,"name":"b"}"#)["Location"] == "/state/numbered/7")
    #expect(try loop.delete("/state/numbered/7").status == 204)
    #expect(try loop.post("/state/numbered", #"{"name":"c"}"#)["Location"] == "/state/numbered/8")
    #expect(try loop.put("/state/numbered", #"[{"id":20,"name":"d"}]"#).status == 200)
    #expect(try loop.put("/state/numbered", "[]").status == 200)
    let two =
      #"[{"op":"add","path":"/numbered/-","value":{"name":"e"}},"#
      + #"{"op":"add","path":"/numbered/-","value":{"name":"f"}}]"#
    #expect(try loop.jsonPatch("/state", two).status == 200)
    #expect(try loop.text("/state/numbered") == "[{\"id\":21,\"name\":\"e\"},{\"id\":22,\"name\":\"f\"}]")
    #expect(
      try loop.text("/state")
        == "{\"numbered\":[{\"id\":21,\"name\":\"e\"},{\"id\":22,\"name\":\"f\"}],\"named\":[],\"unique\":[]}")
  }

  @Test func `an import of what a client has read keeps the largest id of the store`() throws {
    let model = loop.store.model
    #expect(try loop.post("/state/numbered", #"{"name":"a"}"#).status == 201)
    #expect(try loop.put("/state/numbered/7", #"{"name":"b"}"#).status == 201)
    #expect(try loop.delete("/state/numbered/7").status == 204)
    let shown = Array(try loop.text("/state").utf8)
    let current = loop.store.snapshot.root
    #expect(model.shape.areSame(try model.importing(shown, replacing: current), current))
    let copy = MemoryLoop(Store(try model.importing(shown, replacing: nil), of: model, journal: nil))
    #expect(try copy.post("/state/numbered", #"{"name":"c"}"#)["Location"] == "/state/numbered/2")
  }

  @Test func `generated strings and UUIDs differ`() throws {
    var ids: Set<String> = []
    for _ in 0..<4 {
      for path in ["named", "unique"] {
        let reply = try loop.post("/state/\(path)", #"{"name":"a"}"#)
        #expect(reply.status == 201)
        let id = try #require(reply.string("id"))
        #expect(id.count == (path == "named" ? 22 : 36))
        ids.insert(id)
      }
    }
    #expect(ids.count == 8)
  }
}
