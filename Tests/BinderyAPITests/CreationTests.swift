import BinderyCore
import BinderyMenu
import BinderyTestKit
import FoundationEssentials
import Testing

/// Creating and removing elements with POST, PUT and DELETE.
struct CreationTests {
  @Test(arguments: TestTransport.allCases)
  func `a part of a value does not replace it`(_ transport: TestTransport) throws {
    try transport.serve(Menus.fresh) { client, store throws in
      let reply = try client.put("/state/time", "\"tomorrow\"", ["Content-Range": "bytes 0-9/100"])
      #expect(reply.outcome == "400 malformed-header")
      #expect(store.snapshot.root.time == .tonight)
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `a new dish needs only a name`(_ transport: TestTransport) throws {
    try transport.serve(Menus.fresh) { client, store throws in
      let reply = try client.post("/state/dishes", #"{"name":"Tiramisù"}"#)
      #expect(reply.outcome == "201")
      #expect(reply.changed == true)
      #expect(reply.revision == 1)
      let id = try #require(reply.string("id"))
      #expect(UUID(uuidString: id) != nil)
      #expect(reply["Location"] == "/state/dishes/\(id)")
      #expect(reply.text == Menus.dish(id, "Tiramisù"))
      let dish = try client.get("/state/dishes/\(id)")
      #expect(dish.body == reply.body)
      #expect(dish.etag == reply.etag)
      #expect(store.snapshot.root.dishes.count == 5)
      #expect(store.snapshot.root.dishes.last?.id.uuidString.lowercased() == id)
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `a POST may choose the id, but only an unused one`(_ transport: TestTransport) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      let reply = try client.post("/state/dishes", Menus.dish(Menus.unknownID.uppercased(), "x", quantity: 7))
      #expect(reply["Location"] == "/state/dishes/\(Menus.unknownID)")
      #expect(reply.text == Menus.dish(Menus.unknownID, "x", quantity: 7))
      let again = try client.post("/state/dishes", Menus.dish(Menus.unknownID, "x"))
      #expect(again.outcome == "422 duplicate-id")
      #expect(again.string("pointer") == "/id")
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `a POST adds an element to a payload if its case is active`(_ transport: TestTransport) throws {
    try transport.serve(Zoo()) { client, _ throws in
      #expect(try client.post("/state/cell/herd", #"{"id":1,"name":"Cow"}"#).outcome == "409 inactive-case")
      #expect(try client.put("/state/cell/herd", "[]").status == 201)
      let reply = try client.post("/state/cell/herd", #"{"id":1,"name":"Cow"}"#)
      #expect(reply["Location"] == "/state/cell/herd/1")
      #expect(reply.text == #"{"id":1,"name":"Cow","legs":4,"nick":null}"#)
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `a PUT adds an element at the end with the id of the path`(_ transport: TestTransport) throws {
    try transport.serve(Menus.fresh) { client, store throws in
      let reply = try client.put("/state/dishes/" + Menus.unknownID, #"{"name":"x"}"#)
      #expect(reply.status == 201)
      #expect(reply.text == Menus.dish(Menus.unknownID, "x"))
      #expect(store.snapshot.root.dishes.last?.name == "x")
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `a repeated DELETE succeeds without a change`(_ transport: TestTransport) throws {
    try transport.serve(Menus.editing) { client, _ throws in
      for target in ["/state/dishes/" + Menus.second, "/state/editing/some", "/state/editing", "/state/pinnedDish"] {
        let revision = try #require(try client.get("/state").revision)
        let first = try client.delete(target)
        #expect(first.status == 204)
        #expect(first.changed == true)
        #expect(first.revision == revision + 1)
        let second = try client.delete(target)
        #expect(second.status == 204)
        #expect(second.changed == false)
        #expect(second.revision == revision + 1)
        #expect(second.body.isEmpty)
      }
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `the pin is removed with its dish but not when the dish moves`(_ transport: TestTransport) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      let move = #"[{"op":"move","from":"/dishes/0","path":"/dishes/3"}]"#
      #expect(try client.jsonPatch("/state", move).status == 200)
      #expect(try client.text("/state/pinnedID") == "\"\(Menus.first)\"")
      #expect(try client.delete("/state/dishes/" + Menus.first).status == 204)
      #expect(try client.text("/state/pinnedID") == "null")
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `a PUT may replace the value of a stored optional with one that has another id`(
    _ transport: TestTransport
  ) throws {
    try transport.serve(Menus.editing) { client, _ throws in
      let other = Menus.dish(Menus.second, "Other")
      #expect(try client.put("/state/editing/some", other).text == other)
      #expect(try client.put("/state/editing", #"{"some":\#(Menus.dish(Menus.unknownID, "New"))}"#).status == 200)
      #expect(try client.text("/state/editing/some/id") == "\"\(Menus.unknownID)\"")
      #expect(try client.patch("/state/editing/some", #"{"id":"\#(Menus.first)"}"#).outcome == "422 read-only-member")
      #expect(
        try client.put("/state/editing/some", #"{"id":"\#(Menus.first)","name":"x"}"#).outcome == "422 missing-member")
    }
  }

  static let allowed: [(target: String, methods: String)] = [
    ("/state", "GET, HEAD, PATCH, PUT, OPTIONS"),
    ("/state/dishes", "GET, HEAD, PATCH, PUT, POST, OPTIONS"),
    ("/state/dishes/" + Menus.first, "GET, HEAD, PATCH, PUT, DELETE, OPTIONS"),
    ("/state/dishes/" + Menus.unknownID, "GET, HEAD, PATCH, PUT, DELETE, OPTIONS"),
    ("/state/dishes/\(Menus.first)/name", "GET, HEAD, PATCH, PUT, OPTIONS"),
    ("/state/dishes/\(Menus.first)/id", "GET, HEAD, OPTIONS"),
    ("/state/editing", "GET, HEAD, PATCH, PUT, DELETE, OPTIONS"),
    ("/state/editing/some", "GET, HEAD, PATCH, PUT, DELETE, OPTIONS"),
    ("/state/pinnedDish", "GET, HEAD, PATCH, PUT, DELETE, OPTIONS"),
    ("/state/days", "GET, HEAD, PATCH, PUT, OPTIONS"),
    ("/state/days/2026-11-22", "GET, HEAD, PATCH, PUT, OPTIONS"),
    ("/state/today", "GET, HEAD, OPTIONS"),
    ("/state/lastCustomTime", "GET, HEAD, OPTIONS"),
  ]

  @Test(arguments: allowed, TestTransport.allCases)
  func `Allow follows from the types`(_ entry: (target: String, methods: String), _ transport: TestTransport) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      let reply = try client.options(entry.target)
      #expect(reply.status == 204)
      #expect(reply["Allow"] == entry.methods)
      let patch = "application/json, application/merge-patch+json, application/json-patch+json"
      #expect(reply["Accept-Patch"] == (entry.methods.contains("PATCH") ? patch : nil))
      for method in ["PATCH", "PUT", "POST", "DELETE"] where !entry.methods.contains(method) {
        let refusal = try client.send(method, entry.target, method == "DELETE" ? nil : "1")
        #expect(refusal.outcome == "405 method-not-allowed")
        #expect(refusal["Allow"] == entry.methods)
      }
    }
  }
}
