import BinderyCore
import BinderyTestKit
import Testing

/// Responses to writes that the model changes afterwards, in `settle(from:)` or in property observers.
struct ModelSettlingTests {
  @Test(arguments: TestTransport.allCases)
  func `the response shows a scalar after the model has settled it`(_ transport: TestTransport) throws {
    try transport.serve(Thermostat()) { client, store throws in
      let bounded = try client.patch("/state/target", "40")
      #expect(bounded.text == "30")
      #expect(bounded.changed == true)
      #expect(bounded.revision == 1)
      #expect(bounded.etag == (try client.get("/state/target").etag))
      #expect(store.snapshot.root.highest == 30)
      #expect(bounded["Write-Outcome"] == "adjusted")
      let again = try client.patch("/state/target", "50")
      #expect(again["Write-Outcome"] == "dropped")
      #expect(try client.patch("/state", #"{"target": 60}"#)["Write-Outcome"] == "dropped")
      #expect(try client.patch("/state", #"{"room": "a"}"#)["Write-Outcome"] == nil)
      let strict = try client.put("/state/target", "70", ["Prefer": "handling=strict"])
      #expect(strict.status == 409)
      #expect(strict.text.contains("write-not-kept"))
      #expect(again.text == "30")
      #expect(again.changed == false)
      #expect(again.revision == 1)
      let lower = try client.patch("/state/target", "25")
      #expect(lower.text == "25")
      #expect(lower.changed == true)
      #expect(try client.text("/state/highest") == "30")
    }
  }

  @Test(arguments: ["{}", #"{"some":null}"#])
  func `a merge that keeps a nested optional is kept`(_ merge: String) throws {
    try TestTransport.memory.serve(Thermostat(timer: .some(.none))) { client, _ throws in
      let reply = try client.send(
        "PATCH", "/state", "{\"timer\":\(merge),\"target\":25}",
        ["Content-Type": "application/json", "Prefer": "handling=strict"])
      #expect(reply.status == 200)
      #expect(reply["Write-Outcome"] == nil)
      #expect(try client.text("/state/highest") == "25")
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `a JSON Patch is judged on what the model has made of it`(_ transport: TestTransport) throws {
    try transport.serve(Thermostat()) { client, _ throws in
      let room = #"{"op":"replace","path":"/room","value":"a"}"#
      let high = #"{"op":"replace","path":"/target","value":50}"#
      let low = #"{"op":"replace","path":"/target","value":20}"#
      let strict: KeyValuePairs = ["Content-Type": "application/json-patch+json", "Prefer": "handling=strict"]
      let refused = try client.send("PATCH", "/state", "[\(room),\(high)]", strict)
      #expect(refused.outcome == "409 write-not-kept" && refused.member("operation") == "1")
      #expect(try client.jsonPatch("/state", "[\(room),\(high)]")["Write-Outcome"] == "adjusted")
      #expect(try client.text("/state/target") == "30")
      #expect(try client.jsonPatch("/state", "[\(high)]")["Write-Outcome"] == "dropped")
      // A value that a later operation replaces need not be kept.
      #expect(try client.send("PATCH", "/state", "[\(high),\(low)]", strict).status == 200)
    }
    try transport.serve(Watched()) { client, _ throws in
      let level = #"{"op":"replace","path":"/level","value":200}"#
      #expect(try client.jsonPatch("/state", "[\(level)]")["Write-Outcome"] == "adjusted")
      let lower = #"{"op":"replace","path":"/level","value":20}"#
      #expect(try client.jsonPatch("/state", "[\(level.replacing("200", with: "300"))]")["Write-Outcome"] == "dropped")
      #expect(try client.jsonPatch("/state", "[\(level),\(lower)]")["Write-Outcome"] == nil)
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `a write of an equal value is a change if settling changes the state`(_ transport: TestTransport) throws {
    // Each commit lowers the target further, also one that writes nothing.
    try transport.serve(Thermostat(target: 130)) { client, _ throws in
      var changes = 0
      while try client.text("/state/target") != "30", changes < 3 {
        let reply = try client.patch("/state/room", "\"hall\"")
        #expect(reply.text == "\"hall\"")
        #expect(reply.changed == true)
        changes += 1
      }
      #expect(changes > 0)
      #expect(try client.text("/state/target") == "30")
      #expect(try client.patch("/state/room", "\"hall\"").changed == false)
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `the response to a scalar write equals a later GET`(_ transport: TestTransport) throws {
    try transport.serve(Thermostat()) { client, _ throws in
      for (method, query) in [("PATCH", ""), ("PUT", ""), ("PATCH", "?pretty")] {
        let reply = try client.send(method, "/state/room" + query, "\"\(method)\(query)\"")
        #expect(reply.status == 200)
        #expect(reply.body == (try client.get("/state/room" + query).body))
        #expect(reply.etag == (try client.get("/state/room").etag))
      }
      let strict = try client.patch("/state/room", "\"x\"", ["Prefer": "handling=strict"])
      #expect(strict["Preference-Applied"] == "handling=strict")
      let minimal = try client.patch("/state/room", "\"y\"", ["Prefer": "return=minimal"])
      #expect(minimal.status == 204)
      #expect(minimal.etag == (try client.get("/state/room").etag))
    }
  }
}

extension ModelSettlingTests {
  @Test(arguments: TestTransport.allCases)
  func `the response shows a value after its property observers ran`(_ transport: TestTransport) throws {
    try transport.serve(Watched()) { client, store throws in
      let bounded = try client.patch("/state/level", "200")
      #expect(bounded.text == "100")
      #expect(bounded.changed == true)
      #expect(bounded.etag == (try client.get("/state/level").etag))
      #expect(try client.patch("/state/level", "300").changed == false)
      // The text is equal, but its observer changes another member.
      let same = try client.patch("/state/text", "\"a\"")
      #expect(same.changed == true)
      #expect(store.snapshot.root.writes == 1)
      #expect(try client.patch("/state/inner/level", "200").text == "100")
      // An observer is noticed from every place around it.
      let level = #"{"level": 400}"#
      for (path, body) in [("", level), ("", "{\"inner\": \(level)}"), ("/inner", level)] {
        #expect(try client.patch("/state" + path, body)["Write-Outcome"] == "dropped")
      }
      #expect(try client.patch("/state", #"{"level": 70}"#)["Write-Outcome"] == nil)
      #expect(try client.patch("/state/inner", #"{"level": 400}"#, ["Prefer": "handling=strict"]).status == 409)
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `a setter that undoes another one of the request is a conflict`(_ transport: TestTransport) throws {
    try transport.serve(Named()) { client, store throws in
      let refused = try client.patch("/state", #"{"nickname": "x", "alias": "y"}"#)
      #expect(refused.outcome == "422 conflicting-members" && refused.string("pointer") == "/nickname", "\(refused)")
      #expect(store.revision == 0)
      // A computed member that has its value from before is skipped, even if another one changes it.
      let skipped = try client.patch("/state", #"{"nickname": "b", "alias": "a"}"#, ["Prefer": "handling=strict"])
      #expect(skipped.status == 200 && skipped["Write-Outcome"] == nil, "\(skipped)")
      #expect(try client.patch("/state", #"{"nickname": "z", "alias": "z"}"#)["Write-Outcome"] == nil)
      // The old value of a computed member is no request for it, also beside another computed member.
      let old = #"{"name": "q", "nickname": "z", "heading": "h"}"#
      let kept = try client.patch("/state", old, ["Prefer": "handling=strict"])
      #expect(kept.status == 200 && kept["Write-Outcome"] == nil, "\(kept)")
      #expect(store.snapshot.root.name == "q")
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `a hidden member may have the name of a visible member`(_ transport: TestTransport) throws {
    try transport.serve(Shadowed()) { client, _ throws in
      #expect(try client.text("/state/total") == "0")
      #expect(try client.patch("/state/total", "3").text == "3")
      #expect(try client.text("/state") == #"{"total":3}"#)
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `the response shows a string of any length`(_ transport: TestTransport) throws {
    try transport.serve(Thermostat()) { client, _ throws in
      for length in [1_021, 1_022, 1_023, 5_000] {
        let reply = try client.patch("/state/room", "\"" + String(repeating: "a", count: length) + "\"")
        #expect(reply.changed == true)
        #expect(reply.text.utf8.count == length + 2)
        #expect(reply.etag == (try client.get("/state/room").etag))
      }
    }
  }
}

/// A model whose property observers change what is written.
private struct Watched: StateModel {
  var level = 50 { didSet { level = min(level, 100) } }
  var text = "a" { didSet { writes += 1 } }
  var writes = 0
  var inner = Inner()

  struct Inner: Editable {
    var level = 50 { didSet { level = min(level, 100) } }

    static let shape = EditableShape<Inner>.members(Inner.init(level:), StoredMember("level", \.level))
  }

  static let shape = EditableShape<Watched>.members(
    Watched.init(level:text:writes:inner:), StoredMember("level", \.level), StoredMember("text", \.text),
    StoredMember("writes", readOnly: \.writes), StoredMember("inner", \.inner))
}

/// A model with two computed members that write the same stored one.
private struct Named: StateModel {
  var name = "a"
  var title = "t"
  var heading: String {
    get { title }
    set { title = newValue }
  }
  var nickname: String {
    get { name }
    set { name = newValue }
  }
  var alias: String {
    get { name }
    set { name = newValue }
  }

  static let shape = EditableShape<Named>.members(
    Named.init(name:title:), StoredMember("name", \.name), StoredMember("title", \.title),
    computed: [
      ComputedMember("nickname", \.nickname, from: \.name), ComputedMember("alias", \.alias, from: \.name),
      ComputedMember("heading", \.heading, from: \.title),
    ])
}

/// A model with a hidden stored member and a computed member of the same name.
private struct Shadowed: StateModel {
  var storedTotal = 0
  var total: Int {
    get { storedTotal }
    set { storedTotal = newValue }
  }

  static let shape = EditableShape<Shadowed>.members(
    Shadowed.init(storedTotal:), StoredMember(hidden: "total", \.storedTotal, default: 0),
    computed: [ComputedMember("total", \.total, from: \.storedTotal)])
}

/// A thermostat that limits the target temperature and records the highest one.
private struct Thermostat: StateModel {
  var room = "hall"
  var target = 20
  var highest = 20
  var timer: Int??

  static let shape = EditableShape<Thermostat>.members(
    Thermostat.init(room:target:highest:timer:), StoredMember("room", \.room), StoredMember("target", \.target),
    StoredMember("highest", readOnly: \.highest), StoredMember("timer", \.timer))

  mutating func settle(from base: Thermostat) throws(InvalidState) {
    // By at most 50, so that several commits may change it.
    target = min(target, max(target - 50, 30))
    highest = max(highest, target)
  }
}
