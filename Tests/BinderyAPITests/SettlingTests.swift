import BinderyCore
import BinderyTestKit
import Testing

/// What a write is answered where the model itself has the last word.
struct SettlingTests {
  @Test(arguments: Depth.allCases)
  func `a scalar is shown as the model has settled it`(_ depth: Depth) throws {
    try depth.serve(Thermostat()) { client, store throws in
      let bounded = try client.patch("/state/wished", "40")
      #expect(bounded.text == "30")
      #expect(bounded.changed == true)
      #expect(bounded.revision == 1)
      #expect(bounded.etag == (try client.get("/state/wished").etag))
      #expect(store.snapshot.root.highest == 30)
      let again = try client.patch("/state/wished", "50")
      #expect(again.text == "30")
      #expect(again.changed == false)
      #expect(again.revision == 1)
      let lower = try client.patch("/state/wished", "25")
      #expect(lower.text == "25")
      #expect(lower.changed == true)
      #expect(try client.text("/state/highest") == "30")
    }
  }

  @Test(arguments: Depth.allCases)
  func `an equal value is a change where the model settles another one`(_ depth: Depth) throws {
    // Nothing has settled this one yet.
    try depth.serve(Thermostat(wished: 99)) { client, _ throws in
      let reply = try client.patch("/state/room", "\"hall\"")
      #expect(reply.text == "\"hall\"")
      #expect(reply.changed == true)
      #expect(try client.text("/state/wished") == "30")
      #expect(try client.patch("/state/room", "\"hall\"").changed == false)
    }
  }

  @Test(arguments: Depth.allCases)
  func `what a scalar is answered is what stands there, however it is asked`(_ depth: Depth) throws {
    try depth.serve(Thermostat()) { client, _ throws in
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

extension SettlingTests {
  @Test(arguments: Depth.allCases)
  func `what an observer makes of a value is what is shown`(_ depth: Depth) throws {
    try depth.serve(Watched()) { client, store throws in
      let bounded = try client.patch("/state/level", "200")
      #expect(bounded.text == "100")
      #expect(bounded.changed == true)
      #expect(bounded.etag == (try client.get("/state/level").etag))
      #expect(try client.patch("/state/level", "300").changed == false)
      // The text is the same, and the state is not.
      let same = try client.patch("/state/text", "\"a\"")
      #expect(same.changed == true)
      #expect(store.snapshot.root.writes == 1)
      #expect(try client.patch("/state/inner/level", "200").text == "100")
    }
  }

  @Test(arguments: Depth.allCases)
  func `a hidden member may have the name of one that shows`(_ depth: Depth) throws {
    try depth.serve(Shadowed()) { client, _ throws in
      #expect(try client.text("/state/total") == "0")
      #expect(try client.patch("/state/total", "3").text == "3")
      #expect(try client.text("/state") == #"{"total":3}"#)
    }
  }

  @Test(arguments: Depth.allCases)
  func `a text of any length is answered as it stands there`(_ depth: Depth) throws {
    try depth.serve(Thermostat()) { client, _ throws in
      for length in [1_021, 1_022, 1_023, 5_000] {
        let reply = try client.patch("/state/room", "\"" + String(repeating: "a", count: length) + "\"")
        #expect(reply.changed == true)
        #expect(reply.body.count == length + 2)
        #expect(reply.etag == (try client.get("/state/room").etag))
      }
    }
  }
}

/// A model whose members have a say in what is written to them.
private struct Watched: Model {
  var level = 50 { didSet { level = min(level, 100) } }
  var text = "a" { didSet { writes += 1 } }
  var writes = 0
  var inner = Inner()

  struct Inner: Bindable {
    var level = 50 { didSet { level = min(level, 100) } }

    static let shape = Shape<Inner>.members(Inner.init(level:), Member("level", \.level))
  }

  static let shape = Shape<Watched>.members(
    Watched.init(level:text:writes:inner:), Member("level", \.level), Member("text", \.text),
    Member("writes", readOnly: \.writes), Member("inner", \.inner))
}

/// A model that keeps under one name what it shows in another form.
private struct Shadowed: Model {
  var kept = 0
  var total: Int {
    get { kept }
    set { kept = newValue }
  }

  static let shape = Shape<Shadowed>.members(
    Shadowed.init(kept:), Member(hidden: "total", \.kept, default: 0),
    computed: [Computed("total", \.total, from: \.kept)])
}

/// A model that bounds what is wished, and remembers the highest wish.
private struct Thermostat: Model {
  var room = "hall"
  var wished = 20
  var highest = 20

  static let shape = Shape<Thermostat>.members(
    Thermostat.init(room:wished:highest:), Member("room", \.room), Member("wished", \.wished),
    Member("highest", readOnly: \.highest))

  mutating func settle(from base: Thermostat) throws(InvalidState) {
    wished = min(wished, 30)
    highest = max(highest, wished)
  }
}
