import BinderyCore
import BinderyTestKit
import Testing

/// Responses to writes, preferences, and the media types of request bodies.
struct WriteResponseTests {
  private static let dish = "/state/dishes/" + Menus.first

  @Test(arguments: TestTransport.allCases)
  func `return=minimal omits the content but not the fields`(_ transport: TestTransport) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      let minimal: Client.Fields = ["Prefer": "return=minimal"]
      let patch = try client.patch(Self.dish + "/name", "\"x\"", minimal)
      #expect(patch.status == 204)
      #expect(patch.body.isEmpty)
      #expect(patch.changed == true)
      #expect(patch.revision == 1)
      #expect(patch["Preference-Applied"] == "return=minimal")
      #expect(patch.etag == (try client.get(Self.dish + "/name").etag))
      let put = try client.put("/state/time/custom", "\"\(Menus.date)\"", minimal)
      #expect(put.status == 201)
      #expect(put.body.isEmpty)
      #expect(put.etag == (try client.get("/state/time/custom").etag))
      let post = try client.send(
        "POST", "/state/dishes", #"{"name":"x"}"#, ["Prefer": "return=minimal", "Content-Type": "application/json"])
      #expect(post.status == 201)
      #expect(post.body.isEmpty)
      #expect(try client.get(try #require(post["Location"])).etag == post.etag)
      #expect(try client.patch(Self.dish, "{}")["Preference-Applied"] == nil)
      #expect(try client.patch(Self.dish, #"{"name":1}"#, minimal).outcome == "422 invalid-value")
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `a DELETE that leaves null has an ETag, and one that removes an element has none`(
    _ transport: TestTransport
  ) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      let cleared = try client.delete("/state/pinnedDish")
      #expect(cleared.status == 204 && cleared.changed == true)
      let tag = try #require(try client.get("/state/pinnedDish").etag)
      #expect(cleared.etag == tag)
      let removed = try client.delete(Self.dish)
      #expect(removed.status == 204 && removed.etag == nil)
    }
  }

  static let preferences: [(field: String, status: Int)] = [
    ("return=minimal", 204), ("respond-async, return=minimal", 204), ("return=\"minimal\"", 204),
    ("return = minimal", 204), ("RETURN=minimal", 204), ("return=representation", 200), ("return=minimalist", 200),
    ("return=representation, return=minimal", 200), ("return=minimal, return=representation", 204),
    ("", 200), (#"note="a,return=minimal""#, 200), ("handling=strict; return=minimal", 200), ("handling=lenient", 200),
    ("return=minimal; note=x", 204), ("note; return=x, return=minimal", 204), ("return=min imal", 200),
  ]

  @Test(arguments: preferences, TestTransport.allCases)
  func `Prefer is parsed as a list`(_ entry: (field: String, status: Int), _ transport: TestTransport) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      #expect(try client.patch(Self.dish + "/name", "\"x\"", ["Prefer": entry.field]).status == entry.status)
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `a response contains the value of its own write`(_ transport: TestTransport) throws {
    try transport.serve(Zoo()) { client, _ throws in
      for length in [3, 900, 1, 1_500, 2, 1_022, 1_023, 40, 4_094, 4_095, 0, 5] {
        let text = "\"" + String(repeating: "n", count: length) + "\""
        for isChange in [true, false] {
          let reply = try client.patch("/state/title", text)
          #expect(reply.text == text && reply.changed == isChange)
        }
        #expect(try client.patch("/state/title", "{\"\(length)").outcome == "400 malformed-json")
        #expect(try client.get("/state/title").text == text)
        #expect(try client.patch("/state/count", "\(length % 100)").text == "\(length % 100)")
        #expect(try client.patch("/state", "{\"title\":\(text)}").status == 200)
        #expect(try client.get("/state/title").text == text)
      }
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `a response has the tag, length and revision of its own write`(_ transport: TestTransport) throws {
    try transport.serve(Zoo()) { client, _ throws in
      for number in 1...105 {
        let filling = String(repeating: "n", count: number % 3 == 0 ? number % 12 : number)
        let reply = try client.patch("/state/title", "\"\(number)\(filling)\"")
        #expect(reply.status == 200 && reply.changed == true && reply.revision == number)
        let now = try client.get("/state/title")
        #expect(reply.etag == now.etag && reply.text == now.text && reply["Content-Length"] == now["Content-Length"])
        let again = try client.patch("/state/title", now.text)
        #expect(again.changed == false && again.revision == number && again.etag == now.etag && again.text == now.text)
      }
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `alternating values have increasing revisions`(_ transport: TestTransport) throws {
    try transport.serve(Zoo()) { client, _ throws in
      for number in 1...105 {
        let reply = try client.patch("/state/title", number.isMultiple(of: 2) ? "\"a\"" : "\"b\"")
        #expect(reply.status == 200 && reply.changed == true && reply.revision == number)
      }
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `a repeated request is evaluated against the current state`(_ transport: TestTransport) throws {
    try transport.serve(Zoo()) { client, _ throws in
      let first = try client.get("/state/count")
      let matching: Client.Fields = ["If-Match": try #require(first.etag)]
      #expect(try client.patch("/state/count", "8", matching).status == 200)
      for _ in 0..<3 { #expect(try client.patch("/state/count", "9", matching).status == 412) }
      for number in [10, 11, 10] {
        #expect(try client.patch("/state/count", "\(number)").text == "\(number)")
        #expect(try client.get("/state/count").text == "\(number)")
        #expect(try client.get("/state/count?pretty").text == "\(number)")
        #expect(try client.get("/state/count", ["If-None-Match": first.etag ?? ""]).status == 200)
      }
      #expect(try client.patch("/state/count", first.text).status == 200)
      #expect(try client.get("/state/count", ["If-None-Match": first.etag ?? ""]).status == 304)
      #expect(try client.patch("/state/count", "9", matching).status == 200)
    }
  }

  @Test func `every kind of response can contain the longest revision`() throws {
    let last = Int.max - 4
    let client = MemoryClient(Store(Zoo(), revision: last))
    let replies = [
      try client.patch("/state/count", "5"), try client.patch("/state/count", "5"),
      try client.patch("/state/count", "6", ["Prefer": "return=minimal"]),
      try client.patch("/state/title", "\"" + String(repeating: "t", count: 100_000) + "\""),
      try client.send("DELETE", "/state/animals/10", nil), try client.get("/state/count"),
    ]
    #expect(replies.map(\.revision) == [1, 1, 2, 3, 4, 4].map { last + $0 })
    #expect(replies.map(\.status) == [200, 200, 204, 200, 204, 200])
  }

  static let outcomes: [(target: String, body: String, outcome: String?, changed: Bool, text: String)] = [
    ("/state/doubled", "10", nil, true, "10"),
    ("/state/doubled", "9", "adjusted", true, "8"),
    ("/state/doubled", "7", "dropped", false, "6"),
    ("/state/doubled", "6", nil, false, "6"),
    ("/state/seven", "8", "dropped", false, "7"),
    ("/state/seven", "7", nil, false, "7"),
  ]

  @Test(arguments: outcomes, TestTransport.allCases)
  func `Write-Outcome reports a setter that ignores or changes the value`(
    _ entry: (target: String, body: String, outcome: String?, changed: Bool, text: String), _ transport: TestTransport
  ) throws {
    try transport.serve(Zoo()) { client, _ throws in
      for method in ["PATCH", "PUT"] {
        try client.put("/state/count", "3").expect(200)
        let reply = try client.send(method, entry.target, entry.body)
        #expect(reply.status == 200)
        #expect(reply["Write-Outcome"] == entry.outcome)
        #expect(reply.changed == entry.changed)
        #expect(reply.text == entry.text)
      }
      try client.put("/state/count", "3").expect(200)
      let member = entry.target.dropFirst("/state/".count)
      let merge = try client.patch("/state", "{\"\(member)\":\(entry.body)}")
      #expect(merge["Write-Outcome"] == entry.outcome)
      #expect(merge.changed == entry.changed)
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `deselecting the selected card is dropped`(_ transport: TestTransport) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      let dropped = try client.patch("/state/days/2026-11-21", #"{"isSelected":false}"#)
      #expect(dropped["Write-Outcome"] == "dropped")
      let applied = try client.patch("/state/days/2026-11-25", #"{"isSelected":true}"#)
      #expect(applied["Write-Outcome"] == nil)
      #expect(try client.text("/state/selectedDay") == "\"2026-11-25\"")
      #expect(try client.text("/state/selectedDayLabel") == "\"Wednesday\"")
      #expect(try client.text("/state/days/2026-11-21/isSelected") == "false")
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `setting customTimeOrDefault switches time to custom`(_ transport: TestTransport) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      let reply = try client.put("/state/customTimeOrDefault", "\"\(Menus.evening)\"")
      #expect(reply.changed == true)
      #expect(reply["Write-Outcome"] == nil)
      #expect(try client.text("/state/time") == #"{"custom":"\#(Menus.evening)"}"#)
      try client.put("/state/time", "\"tonight\"").expect(200)
      #expect(try client.text("/state/lastCustomTime") == "\"\(Menus.evening)\"")
      #expect(try client.text("/state/customTimeOrDefault") == "\"\(Menus.evening)\"")
    }
  }

  static let types: [(type: String?, patch: Int, put: Int, post: Int)] = [
    (nil, 200, 200, 201),
    ("", 200, 200, 201),
    ("application/json", 200, 200, 201),
    ("Application/JSON; charset=UTF-8", 200, 200, 201),
    ("application/json;charset=\"utf-8\"", 200, 200, 201),
    ("application/json; charset=latin1", 415, 415, 415),
    ("application/x-www-form-urlencoded", 200, 200, 201),
    ("application/merge-patch+json", 200, 415, 415),
    ("application/json-patch+json", 422, 415, 415),
    ("text/json", 415, 415, 415),
    ("multipart/form-data; boundary=x", 415, 415, 415),
    ("application/jsonx", 415, 415, 415),
  ]

  @Test(arguments: types, TestTransport.allCases)
  func `each method accepts its media types`(
    _ entry: (type: String?, patch: Int, put: Int, post: Int), _ transport: TestTransport
  ) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      func send(_ method: String, _ target: String) throws -> Reply {
        let fields = entry.type.map { [(name: "Content-Type", value: $0)] } ?? []
        return try client.send(
          Request(method, target, fields: fields, body: Array(Menus.dish(Menus.unknownID, "x").utf8)))
      }
      try client.put("/state/editing/some", Menus.dish(Menus.unknownID, "y")).expect(201)
      let patch = try send("PATCH", "/state/editing/some")
      #expect(patch.status == entry.patch)
      let put = try send("PUT", "/state/editing/some")
      #expect(put.status == entry.put)
      let post = try send("POST", "/state/dishes")
      #expect(post.status == entry.post)
      if patch.status == 415 {
        #expect(patch["Accept-Patch"]?.contains("application/json-patch+json") == true)
      }
    }
  }
}

extension Reply {
  /// Records an issue if the status is different. For the preparation steps of a test.
  func expect(_ status: Int, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(self.status == status, "\(self)", sourceLocation: sourceLocation)
  }
}
