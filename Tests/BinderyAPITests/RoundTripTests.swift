import BinderyMenu
import BinderyTestKit
import Testing

/// Sends the result of GET back with PUT and PATCH.
struct RoundTripTests {
  static let menus: [Menu] = [Menus.fresh, Menus.unpinned, Menus.newDish, Menus.editing, Menus.custom]

  @Test(arguments: menus.indices, TestTransport.allCases)
  func `PUT and PATCH accept the result of GET and change nothing`(_ menu: Int, _ transport: TestTransport)
    throws
  {
    try transport.serve(Self.menus[menu]) { client, _ throws in try Self.sendBack(client) }
  }

  @Test(arguments: TestTransport.allCases)
  func `the zoo accepts its own values`(_ transport: TestTransport) throws {
    try transport.serve(Zoo()) { client, _ throws in
      try Self.sendBack(client)
      for cell in [
        #"{"number":1}"#, #"{"point":{"x":1,"y":2}}"#, #"{"word":null}"#, #"{"herd":[{"id":1,"name":"a"}]}"#,
      ] {
        try client.patch("/state/cell", cell).expect(200)
        try client.put("/state/maybeCell", cell).expect(200)
        try Self.sendBack(client)
      }
      try client.patch("/state", #"{"sheet":{"some":null},"deep":{"some":{"some":1}},"note":""}"#).expect(200)
      try Self.sendBack(client)
    }
  }

  private static func sendBack(_ client: any Client) throws {
    let whole = try client.get("/state")
    // Setting this member changes `time` even if the value is equal.
    for place in try StatePaths.all(client, of: "/state") where place != "/state/customTimeOrDefault" {
      let value = try client.get(place)
      let isWritable = try client.options(place)["Allow"]?.contains("PUT") == true
      for method in ["PUT", "PATCH"] {
        let reply = try client.send(method, place, value.text)
        #expect(reply.status == (isWritable ? 200 : 405), "\(method) \(place) \(reply)")
        guard isWritable else { continue }
        #expect(reply.changed == false, "\(method) \(place) \(reply)")
        #expect(reply["Write-Outcome"] == nil, "\(method) \(place) \(reply)")
        #expect(reply.etag == value.etag)
        #expect(reply.body == value.body)
      }
    }
    let after = try client.get("/state")
    #expect(after.body == whole.body)
    #expect(after.etag == whole.etag)
  }

  @Test(arguments: TestTransport.allCases)
  func `an edited copy of the state may contain old values of computed members`(_ transport: TestTransport) throws {
    try transport.serve(Menus.editing) { client, _ throws in
      let whole = try client.text("/state")
      // Only the first occurrence is replaced, which is in `dishes`: `pinnedDish` still has the old name.
      let reply = try client.put("/state", whole.replacing("🍝 Spaghetti", with: "Penne", maxReplacements: 1))
      #expect(reply.status == 200)
      #expect(try client.text("/state/pinnedDish/name") == "\"Penne Carbonara\"")
      #expect(try client.text("/state/editing/some/name") == "\"🍝 Spaghetti Carbonara\"")
    }
  }

  static let whole: [(body: String, outcome: String, pointer: String?)] = [
    (#"{"time":{"custom":"2026-12-24T18:30:00.000Z"},"lastCustomTime":"2026-12-24T18:30:00.000Z"}"#, "200", nil),
    (#"{"time":{"custom":"2026-12-24T18:30:00.000Z"},"lastCustomTime":null}"#, "200", nil),
    (#"{"lastCustomTime":"2026-12-24T18:30:00.000Z","customTimeOrDefault":"2026-12-24T18:30:00.000Z"}"#, "200", nil),
    (#"{"lastCustomTime":"2026-12-24T18:30:00.000Z"}"#, "422 read-only-member", "/lastCustomTime"),
    (#"{"time":"tonight","customTimeOrDefault":"2026-12-24T18:30:00.000Z"}"#, "422 conflicting-members", "/time"),
    (#"{"time":"tonight","customTimeOrDefault":"2026-11-21T19:00:00.000Z"}"#, "200", nil),
    (#"{"selectedDay":"2026-11-23","selectedDayLabel":"Monday"}"#, "200", nil),
    (#"{"selectedDay":"2026-11-23","selectedDayLabel":"Today"}"#, "200", nil),
    (#"{"selectedDay":"2026-11-23","selectedDayLabel":"Tuesday"}"#, "422 read-only-member", "/selectedDayLabel"),
    (#"{"selectedDayLabel":1}"#, "422 invalid-value", "/selectedDayLabel"),
    (#"{"today":"2026-11-21"}"#, "200", nil),
    (#"{"today":"2026-11-22"}"#, "422 read-only-member", "/today"),
    (#"{"evening":"2026-11-21T19:00:00.000Z"}"#, "422 unknown-member", "/evening"),
    (#"{"pinnedID":null,"pinnedDish":null}"#, "200", nil),
    (#"{"pinnedDish":null}"#, "200", nil),
    (#"{"pinnedID":"b10de400-0000-8000-8000-000000000002","pinnedDish":null}"#, "422 conflicting-members", "/pinnedID"),
    (#"{"pinnedID":"b10de400-0000-8000-8000-000000000002","pinnedDish":{"name":"Two"}}"#, "200", nil),
    (#"{"pinnedDish":{"id":"b10de400-0000-8000-8000-000000000002"}}"#, "422 read-only-member", "/pinnedDish/id"),
    (#"{"selectedDay":"2026-11-23","days":[]}"#, "200", nil),
  ]

  @Test(arguments: whole, TestTransport.allCases)
  func `computed and read-only members may be sent with their old or new value`(
    _ entry: (body: String, outcome: String, pointer: String?), _ transport: TestTransport
  ) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      let before = try client.get("/state")
      let reply = try client.patch("/state", entry.body)
      #expect(reply.outcome == entry.outcome, "\(reply)")
      if let pointer = entry.pointer {
        #expect(reply.string("pointer") == pointer)
        #expect(try client.get("/state").body == before.body)
      }
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `a computed member must not change a stored member of the same request`(_ transport: TestTransport) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      let stored = #"{"dishes":[\#(Menus.dish(Menus.first, "A"))],"pinnedDish":"#
      let reply = try client.patch("/state", stored + #"{"name":"B"}}"#)
      #expect(reply.outcome == "422 conflicting-members")
      #expect(reply.string("pointer") == "/dishes")
      #expect(try client.patch("/state", stored + #"{"name":"A"}}"#).status == 200)
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `a dish can be pinned and edited in one request`(_ transport: TestTransport) throws {
    try transport.serve(Menus.unpinned) { client, _ throws in
      let body = #"{"pinnedDish":{"name":"Two"},"pinnedID":"\#(Menus.second)"}"#
      try client.patch("/state", body).expect(200)
      #expect(try client.text("/state/dishes/\(Menus.second)/name") == "\"Two\"")
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `stored members are applied before computed ones`(_ transport: TestTransport) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      let body = #"{"pinnedDish":{"name":"Two"},"pinnedID":"\#(Menus.second)"}"#
      try client.patch("/state", body).expect(200)
      #expect(try client.text("/state/dishes/\(Menus.second)/name") == "\"Two\"")
    }
  }
}
