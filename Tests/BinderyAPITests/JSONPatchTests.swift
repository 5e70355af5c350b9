import BinderyCore
import BinderyMenu
import BinderyTestKit
import FoundationEssentials
import Testing

/// JSON Patch (RFC 6902): six operations, applied to one draft.
struct JSONPatchTests {
  static let operations: [(patch: String, place: String, text: String)] = [
    // add: sets a member or an entry, and inserts into an array.
    (#"{"op":"add","path":"/count","value":7}"#, "/count", "7"),
    (#"{"op":"add","path":"/note","value":"n"}"#, "/note", "\"n\""),
    (#"{"op":"add","path":"/prices/dog","value":1}"#, "/prices", #"{"adult":12,"child":5,"dog":1}"#),
    (#"{"op":"add","path":"/prices/","value":1}"#, "/prices", #"{"":1,"adult":12,"child":5}"#),
    (#"{"op":"add","path":"/tags/0","value":"x"}"#, "/tags", #"["x","a","b"]"#),
    (#"{"op":"add","path":"/tags/2","value":"x"}"#, "/tags", #"["a","b","x"]"#),
    (#"{"op":"add","path":"/tags/-","value":"x"}"#, "/tags", #"["a","b","x"]"#),
    (#"{"op":"add","path":"/cell/number","value":4}"#, "/cell", #"{"number":4}"#),
    (#"{"op":"add","path":"/sheet/some","value":null}"#, "/sheet", #"{"some":null}"#),
    (
      #"{"op":"add","path":"/animals/7","value":{"name":"Cat"}}"#, "/animals/7",
      #"{"id":7,"name":"Cat","legs":4,"nick":null}"#
    ),
    (#"{"op":"add","path":"/animals/-","value":{"id":7,"name":"Cat"}}"#, "/animals/7/legs", "4"),
    (#"{"op":"add","path":"","value":{"title":"x"}}"#, "", ""),
    // replace: sets an existing value.
    (#"{"op":"replace","path":"/count","value":7}"#, "/count", "7"),
    (#"{"op":"replace","path":"/note","value":"n"}"#, "/note", "\"n\""),
    (#"{"op":"replace","path":"/tags/1","value":"x"}"#, "/tags", #"["a","x"]"#),
    (#"{"op":"replace","path":"/prices/adult","value":1}"#, "/prices/adult", "1"),
    (#"{"op":"replace","path":"/animals/10/name","value":"x"}"#, "/animals/10/name", "\"x\""),
    (#"{"op":"replace","path":"/cell","value":{"number":1}}"#, "/cell", #"{"number":1}"#),
    (#"{"op":"replace","path":"/doubled","value":20}"#, "/count", "10"),
    // remove
    (#"{"op":"remove","path":"/animals/0/nick"}"#, "/animals/0/nick", "null"),
    (#"{"op":"remove","path":"/animals/0"}"#, "/animals", #"[{"id":10,"name":"Ape","legs":2,"nick":null}]"#),
    (#"{"op":"remove","path":"/tags/0"}"#, "/tags", #"["b"]"#),
    (#"{"op":"remove","path":"/prices/adult"}"#, "/prices", #"{"child":5}"#),
    (#"{"op":"remove","path":"/note"}"#, "/note", "null"),
    (#"{"op":"remove","path":"/sheet"}"#, "/sheet", "null"),
    // copy and move
    (#"{"op":"move","from":"/note","path":"/animals/0/nick"}"#, "/animals/0/nick", "null"),
    (#"{"op":"copy","from":"/title","path":"/note"}"#, "/note", "\"Zoo\""),
    (#"{"op":"copy","from":"/total","path":"/count"}"#, "/count", "17"),
    (#"{"op":"copy","from":"/tags/0","path":"/tags/-"}"#, "/tags", #"["a","b","a"]"#),
    (#"{"op":"copy","from":"/rooms/hall","path":"/rooms/den"}"#, "/rooms/den/name", "\"Hall\""),
    (
      #"{"op":"copy","from":"/rooms/hall","path":"/sheet/some"}"#, "/sheet",
      #"{"some":{"name":"Hall","size":9,"door":null}}"#
    ),
    (#"{"op":"move","from":"/animals/0/nick","path":"/note"}"#, "/note", "\"B\""),
    (#"{"op":"move","from":"/tags/0","path":"/tags/1"}"#, "/tags", #"["b","a"]"#),
    (#"{"op":"move","from":"/tags/0","path":"/tags/-"}"#, "/tags", #"["b","a"]"#),
    (#"{"op":"move","from":"/prices/adult","path":"/prices/senior"}"#, "/prices", #"{"child":5,"senior":12}"#),
    (#"{"op":"move","from":"/animals/0","path":"/animals/-"}"#, "/animals/0/name", "\"Bee\""),
    (#"{"op":"move","from":"/tags/0","path":"/tags/0"}"#, "/tags", #"["a","b"]"#),
    // test
    (#"{"op":"test","path":"/ratio","value":5e-1}"#, "/ratio", "0.5"),
    (#"{"op":"test","path":"/count","value":3.0}"#, "/count", "3"),
    (#"{"op":"test","path":"/note","value":null}"#, "/note", "null"),
    (#"{"op":"test","path":"/total","value":17}"#, "/total", "17"),
    (#"{"op":"test","path":"/prices","value":{"child":5,"adult":12}}"#, "/count", "3"),
    (#"{"op":"test","path":"/rooms/hall","value":{"door":null,"size":9,"name":"Hall"}}"#, "/count", "3"),
    (#"{"op":"test","path":"/tags","value":["a","b"]}"#, "/count", "3"),
  ]

  @Test(arguments: operations, TestTransport.allCases)
  func `an operation has the effect that the RFC defines`(
    _ entry: (patch: String, place: String, text: String), _ transport: TestTransport
  )
    throws
  {
    try transport.serve(Zoo()) { client, _ throws in
      let reply = try client.jsonPatch("/state", "[\(entry.patch)]")
      if entry.text.isEmpty { return #expect(reply.outcome == "422 missing-member") }
      #expect(reply.status == 200, "\(reply)")
      #expect(try client.text("/state\(entry.place)") == entry.text)
      #expect(reply.revision == (reply.changed == true ? 1 : 0))
    }
  }

  static let rejections: [(patch: String, outcome: String, pointer: String)] = [
    (#"{"op":"add","path":"/nope","value":1}"#, "409 unknown-path", "/path"),
    (#"{"op":"add","path":"/title/x","value":1}"#, "409 unknown-path", "/path"),
    (#"{"op":"add","path":"/tags/3","value":"x"}"#, "409 no-such-element", "/path"),
    (#"{"op":"add","path":"/tags/3","value":1}"#, "409 no-such-element", "/path"),
    (#"{"op":"add","path":"/animals/3","value":1}"#, "422 invalid-value", "/value"),
    (#"{"op":"add","path":"/tags/01","value":"x"}"#, "409 unknown-path", "/path"),
    (#"{"op":"add","path":"/tags/-1","value":"x"}"#, "409 unknown-path", "/path"),
    (#"{"op":"add","path":"/tags/0","value":1}"#, "422 invalid-value", "/value"),
    // Only the last segment may name nothing.
    (#"{"op":"add","path":"/rooms/den/name","value":"x"}"#, "409 no-such-element", "/path"),
    (#"{"op":"add","path":"/maybeCell/number","value":4}"#, "409 nil-optional", "/path"),
    (#"{"op":"add","path":"/maybeCell/size/width","value":4}"#, "409 nil-optional", "/path"),
    (#"{"op":"add","path":"/cell/size/width","value":4}"#, "409 inactive-case", "/path"),
    (#"{"op":"move","from":"/animals/0","path":"/cell/herd/0"}"#, "409 inactive-case", "/path"),
    (#"{"op":"add","path":"/total","value":1}"#, "422 read-only-member", "/path"),
    (#"{"op":"add","path":"/animals/-","value":{"id":10,"name":"x"}}"#, "422 duplicate-id", "/value/id"),
    (#"{"op":"add","path":"/animals/7","value":{"id":8,"name":"x"}}"#, "422 read-only-member", "/value/id"),
    (#"{"op":"add","path":"/rooms/den","value":{"size":1}}"#, "422 missing-member", "/value/name"),
    (#"{"op":"replace","path":"/prices/dog","value":1}"#, "409 no-such-element", "/path"),
    (#"{"op":"replace","path":"/cell/number","value":1}"#, "409 inactive-case", "/path"),
    (#"{"op":"replace","path":"/sheet/some","value":null}"#, "409 nil-optional", "/path"),
    (#"{"op":"replace","path":"/animals/5","value":{"name":"x"}}"#, "409 no-such-element", "/path"),
    (#"{"op":"replace","path":"/animals/0","value":{"name":"x"}}"#, "422 missing-member", "/value/legs"),
    (#"{"op":"replace","path":"/tags/2","value":"x"}"#, "409 no-such-element", "/path"),
    (#"{"op":"replace","path":"/tags/-","value":"x"}"#, "409 no-such-element", "/path"),
    (#"{"op":"replace","path":"/rooms/hall/name","value":""}"#, "422 invalid-value", "/value"),
    (#"{"op":"remove","path":"/prices/dog"}"#, "409 no-such-element", "/path"),
    (#"{"op":"remove","path":"/animals/5"}"#, "409 no-such-element", "/path"),
    (#"{"op":"remove","path":"/tags/2"}"#, "409 no-such-element", "/path"),
    (#"{"op":"remove","path":"/tags/-"}"#, "409 no-such-element", "/path"),
    (#"{"op":"remove","path":"/sheet/some"}"#, "409 nil-optional", "/path"),
    (#"{"op":"remove","path":"/count"}"#, "422 not-removable", "/path"),
    (#"{"op":"remove","path":""}"#, "422 not-removable", "/path"),
    (#"{"op":"remove","path":"/total"}"#, "422 read-only-member", "/path"),
    (#"{"op":"copy","from":"/cell/number","path":"/count"}"#, "409 inactive-case", "/from"),
    (#"{"op":"copy","from":"/nope","path":"/count"}"#, "409 unknown-path", "/from"),
    (#"{"op":"copy","from":"/title","path":"/count"}"#, "422 invalid-value", "/from"),
    (#"{"op":"copy","from":"/animals/0","path":"/animals/-"}"#, "422 duplicate-id", "/from"),
    (#"{"op":"move","from":"/count","path":"/seven"}"#, "422 not-removable", "/from"),
    (#"{"op":"move","from":"/prices/dog","path":"/prices/cat"}"#, "409 no-such-element", "/from"),
    (#"{"op":"move","from":"/prices/dog","path":"/prices/dog"}"#, "409 no-such-element", "/from"),
    (#"{"op":"move","from":"/rooms/hall","path":"/rooms/hall/name"}"#, "422 invalid-value", "/path"),
    (#"{"op":"test","path":"/count","value":4}"#, "409 test-failed", "/value"),
    (#"{"op":"test","path":"/count","value":"3"}"#, "409 test-failed", "/value"),
    (#"{"op":"test","path":"/tags","value":["b","a"]}"#, "409 test-failed", "/value"),
    (#"{"op":"test","path":"/rooms/hall","value":{"name":"Hall","size":9}}"#, "409 test-failed", "/value"),
    (#"{"op":"test","path":"/cell/number","value":1}"#, "409 test-failed", "/value"),
    (#"{"op":"test","path":"/nope","value":1}"#, "409 unknown-path", "/path"),
    (#"{"op":"tset","path":"/count","value":1}"#, "422 invalid-value", "/op"),
    (#"{"op":1,"path":"/count","value":1}"#, "422 invalid-value", "/op"),
    (#"{"path":"/count","value":1}"#, "422 missing-member", "/op"),
    (#"{"op":"add","value":1}"#, "422 missing-member", "/path"),
    (#"{"op":"add","path":"/count"}"#, "422 missing-member", "/value"),
    (#"{"op":"copy","path":"/count"}"#, "422 missing-member", "/from"),
    (#"{"op":"add","path":"count","value":1}"#, "422 invalid-value", "/path"),
    (#"{"op":"add","path":"/co~unt","value":1}"#, "422 invalid-value", "/path"),
    (#"{"op":"add","path":1,"value":1}"#, "422 invalid-value", "/path"),
    (#"{"op":"add","op":"test","path":"/count","value":1}"#, "422 duplicate-member", "/op"),
    ("1", "422 invalid-value", ""),
  ]

  @Test(arguments: rejections, TestTransport.allCases)
  func `a rejected operation undoes the previous ones and is named`(
    _ entry: (patch: String, outcome: String, pointer: String), _ transport: TestTransport
  ) throws {
    try transport.serve(Zoo()) { client, _ throws in
      let before = try client.get("/state")
      let reply = try client.jsonPatch("/state", #"[{"op":"replace","path":"/title","value":"x"},\#(entry.patch)]"#)
      #expect(reply.outcome == entry.outcome, "\(reply)")
      #expect(reply.member("operation") == "1")
      #expect(reply.string("pointer") == "/1" + entry.pointer)
      let after = try client.get("/state")
      #expect(after.body == before.body)
      #expect(after.revision == 0)
      #expect(after.etag == before.etag)
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `a patch saves the edited dish in one revision`(_ transport: TestTransport) throws {
    try transport.serve(Menus.newDish) { client, _ throws in
      let dish = Menus.dish(Menus.unknownID, "Tiramisù")
      try client.put("/state/editing/some", dish).expect(200)
      let save = #"""
        [{"op":"test","path":"/editing/some/id","value":"\#(Menus.unknownID)"},
         {"op":"copy","from":"/editing/some","path":"/dishes/-"},
         {"op":"remove","path":"/editing"}]
        """#
      let reply = try client.jsonPatch("/state", save)
      #expect(reply.status == 200)
      #expect(reply.revision == 2)
      #expect(try client.text("/state/editing") == "null")
      #expect(try client.text("/state/dishes/" + Menus.unknownID) == dish)
      let again = try client.jsonPatch("/state", save)
      #expect(again.outcome == "409 test-failed")
      #expect(again.member("operation") == "0")
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `pointers are relative to the URL and accept ids and indices`(_ transport: TestTransport) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      let rename = { (path: String, name: String) in #"[{"op":"replace","path":"\#(path)","value":"\#(name)"}]"# }
      try client.jsonPatch("/state/dishes/" + Menus.first, rename("/name", "a")).expect(200)
      try client.jsonPatch("/state/dishes", rename("/1/name", "b")).expect(200)
      try client.jsonPatch("/state/dishes", rename("/\(Menus.fourth.uppercased())/name", "d")).expect(200)
      try client.jsonPatch("/state/dishes/\(Menus.first)/name", rename("", "A")).expect(200)
      let names = try ["first": Menus.first, "second": Menus.second, "fourth": Menus.fourth].mapValues {
        try client.text("/state/dishes/\($0)/name")
      }
      #expect(names == ["first": "\"A\"", "second": "\"b\"", "fourth": "\"d\""])
      #expect(try client.jsonPatch("/state/time/custom", "[]").outcome == "409 inactive-case")
      #expect(try client.jsonPatch("/state/dishes/" + Menus.unknownID, "[]").outcome == "404 no-such-element")
    }
  }

  private static func menu(ofDishes count: Int) -> Menu {
    Menus.with { menu in
      for _ in 0..<count {
        try? menu.dishes.append(Dish(id: UUID(), name: "Soup", isFavorite: false, status: .inStock(quantity: 1)))
      }
    }
  }

  @Test func `a patch copies no more bytes than a body may have`() throws {
    try TestTransport.memory.serve(Self.menu(ofDishes: 300)) { client, _ throws in
      let copy = #"{"op":"copy","from":"/dishes","path":"/dishes"}"#
      let length = try client.text("/state/dishes").utf8.count
      let maximumCopies = 1024 * 1024 / length
      let allowedPatch = "[" + Array(repeating: copy, count: maximumCopies).joined(separator: ",") + "]"
      #expect(try client.jsonPatch("/state", allowedPatch).status == 200)
      let oversizedPatch = "[" + Array(repeating: copy, count: maximumCopies + 1).joined(separator: ",") + "]"
      let reply = try client.jsonPatch("/state", oversizedPatch)
      #expect(reply.outcome == "413 content-too-large" && reply.string("pointer") == "/\(maximumCopies)/from")
    }
  }

  @Test func `a failed test shows the current value if it is short`() throws {
    try TestTransport.memory.serve(Self.menu(ofDishes: 1_000)) { client, _ throws in
      for (path, isShort) in [("/dishes/0/name", true), ("/dishes", false), ("", false)] {
        let reply = try client.jsonPatch("/state", #"[{"op":"test","path":"\#(path)","value":0}]"#)
        #expect(reply.outcome == "409 test-failed")
        #expect((reply.member("current") != nil) == isShort && reply.body.count < 1_000, "\(path)")
      }
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `moving an element to itself by another name changes nothing`(_ transport: TestTransport) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      let names = ["0", Menus.first, Menus.first.uppercased()]
      for (from, path) in names.flatMap({ from in names.map { (from, $0) } }) {
        let reply = try client.jsonPatch("/state/dishes", #"[{"op":"move","from":"/\#(from)","path":"/\#(path)"}]"#)
        #expect(reply.status == 200 && reply.changed == false, "\(from) to \(path)")
      }
      let inside = #"[{"op":"move","from":"/0","path":"/\#(Menus.first)/name"}]"#
      #expect(try client.jsonPatch("/state/dishes", inside).status >= 400)
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `each operation sees the result of the previous ones`(_ transport: TestTransport) throws {
    try transport.serve(Zoo()) { client, _ throws in
      let patch = #"""
        [{"op":"add","path":"/cell/herd","value":[]},{"op":"move","from":"/animals/0","path":"/cell/herd/-"},
         {"op":"test","path":"/cell/herd/0/name","value":"Bee"},{"op":"replace","path":"/count","value":5},
         {"op":"test","path":"/doubled","value":10},{"op":"copy","from":"/doubled","path":"/prices/x"},
         {"op":"test","path":"/total","value":27}]
        """#
      let reply = try client.jsonPatch("/state", patch)
      #expect(reply.status == 200, "\(reply)")
      #expect(reply.revision == 1)
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `a patch without a net change creates no revision`(_ transport: TestTransport) throws {
    try transport.serve(Zoo()) { client, _ throws in
      for patch in ["[]", #"[{"op":"add","path":"/tags/-","value":"x"},{"op":"remove","path":"/tags/2"}]"#] {
        let reply = try client.jsonPatch("/state", patch)
        #expect(reply.status == 200)
        #expect(reply.changed == false)
        #expect(reply.revision == 0)
      }
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `the model checks the result, not the intermediate states`(_ transport: TestTransport) throws {
    try transport.serve(Zoo()) { client, _ throws in
      let high = #"{"op":"replace","path":"/count","value":500}"#
      let low = #"{"op":"replace","path":"/count","value":50}"#
      #expect(try client.jsonPatch("/state", "[\(high),\(low)]").status == 200)
      #expect(try client.jsonPatch("/state", "[\(low),\(high)]").outcome == "422 invalid-state")
      let strict = try client.send(
        "PATCH", "/state", #"[{"op":"replace","path":"/doubled","value":9}]"#,
        ["Content-Type": "application/json-patch+json", "Prefer": "handling=strict"])
      #expect(strict.outcome == "409 write-not-kept")
      #expect(try client.text("/state/count") == "50")
    }
  }

  @Test(arguments: [(1_000, "200"), (1_001, "422 invalid-value")], TestTransport.allCases)
  func `a patch has at most a thousand operations`(_ entry: (count: Int, outcome: String), _ transport: TestTransport)
    throws
  {
    try transport.serve(Zoo()) { client, _ throws in
      let operations = (0..<entry.count).map { #"{"op":"replace","path":"/ratio","value":\#($0)}"# }
      let reply = try client.jsonPatch("/state", "[\(operations.joined(separator: ","))]")
      #expect(reply.outcome == entry.outcome)
      #expect(try client.text("/state/ratio") == (entry.outcome == "200" ? "999" : "0.5"))
    }
  }

  @Test func `a patch may replace an element with its id a thousand times`() throws {
    try TestTransport.memory.serve(Zoo()) { client, _ throws in
      let operations = (0..<1_000).map {
        #"{"op":"replace","path":"/animals/10","value":{"id":10,"name":"\#($0)","legs":2,"nick":null}}"#
      }
      try client.jsonPatch("/state", "[\(operations.joined(separator: ","))]").expect(200)
      #expect(try client.text("/state/animals/10/name") == "\"999\"")
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `a patch may remove the value at its own path`(_ transport: TestTransport) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      let remove = #"[{"op":"remove","path":""}]"#
      let reply = try client.jsonPatch("/state/dishes/" + Menus.second, remove)
      #expect(reply.status == 204)
      #expect(reply.changed == true)
      #expect(reply.etag == nil)
      #expect(try client.jsonPatch("/state/dishes/" + Menus.second, remove).outcome == "404 no-such-element")
      #expect(try client.jsonPatch("/state/pinnedDish", remove).text == "null")
      let again = try client.jsonPatch("/state/pinnedDish", remove)
      #expect(again.text == "null" && again.changed == false)
    }
  }

  static let throughComputed: [(patch: String, outcome: String)] = [
    (#"{"op":"remove","path":"/days/0"}"#, "422 not-removable"),
    (#"{"op":"remove","path":"/days/2026-11-22"}"#, "422 not-removable"),
    (#"{"op":"add","path":"/days/-","value":{"date":"2027-01-01","isSelected":true}}"#, "409 cannot-create"),
    (#"{"op":"move","from":"/days/0","path":"/days/1"}"#, "422 not-removable"),
    (#"{"op":"add","path":"/days/1","value":{"isSelected":true}}"#, "409 cannot-create"),
    (#"{"op":"add","path":"/days/2026-11-22","value":{"isSelected":true}}"#, "200"),
    (#"{"op":"add","path":"/days/2036-11-22","value":{"isSelected":true}}"#, "409 cannot-create"),
    (#"{"op":"replace","path":"/days/3/isSelected","value":true}"#, "200"),
    (#"{"op":"replace","path":"/days/3/weekday","value":"Sunday"}"#, "422 read-only-member"),
    (#"{"op":"replace","path":"/pinnedDish/name","value":"x"}"#, "200"),
    (#"{"op":"copy","from":"/dishes/1","path":"/pinnedDish"}"#, "422 read-only-member"),
    (#"{"op":"copy","from":"/dishes/0","path":"/pinnedDish"}"#, "200"),
    (#"{"op":"remove","path":"/pinnedDish"}"#, "200"),
    (#"{"op":"remove","path":"/favorites/0"}"#, "422 read-only-member"),
    (#"{"op":"test","path":"/days/0/isSelected","value":true}"#, "200"),
    (#"{"op":"test","path":"/favorites","value":[]}"#, "200"),
  ]

  @Test(arguments: throughComputed, TestTransport.allCases)
  func `operations go through computed members`(_ entry: (patch: String, outcome: String), _ transport: TestTransport)
    throws
  {
    try transport.serve(Menus.fresh) { client, _ throws in
      #expect(try client.jsonPatch("/state", "[\(entry.patch)]").outcome == entry.outcome)
    }
  }

  @Test(arguments: ["{}", "1", "null", "\"add\""], TestTransport.allCases)
  func `a patch is an array`(_ body: String, _ transport: TestTransport) throws {
    try transport.serve(Zoo()) { client, _ throws in
      let reply = try client.jsonPatch("/state", body)
      #expect(reply.outcome == "422 invalid-value")
      #expect(reply.string("pointer") == "")
    }
  }
}
