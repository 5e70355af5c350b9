import BinderyCore
import BinderyTestKit
import Testing

/// Entity tags and preconditions (RFC 9110 §13).
struct ConditionTests {
  private static let dish = "/state/dishes/" + Menus.first

  @Test(arguments: TestTransport.allCases)
  func `a failed precondition shows the current value`(_ transport: TestTransport) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      let old = try #require(try client.get(Self.dish).etag)
      let new = try client.patch(Self.dish, #"{"name":"New"}"#, ["If-Match": old])
      #expect(new.status == 200)
      for method in ["PATCH", "PUT", "DELETE", "GET"] {
        let reply = try client.send(
          method, Self.dish, ["PATCH", "PUT"].contains(method) ? "{}" : nil, ["If-Match": old])
        #expect(reply.outcome == "412 precondition-failed")
        #expect(reply.string("currentETag") == new.etag)
        #expect(reply.member("current") == new.text)
        #expect(method == "GET" || reply.revision == new.revision)
      }
      let absent = try client.patch("/state/time/custom", "1", ["If-Match": old])
      #expect(absent.outcome == "412 precondition-failed")
      #expect(absent.member("current") == nil)
      #expect(absent.member("currentETag") == nil)
    }
  }

  @Test func `the condition of a revert is checked before its revision`() throws {
    let loop = MemoryLoop(Store(Menus.fresh))
    for (tag, outcome) in [("\"x\"", "412 precondition-failed"), ("*", "404 no-such-element")] {
      let request = Request("POST", "/history/9/revert", fields: [(name: "If-Match", value: tag)])
      #expect(try loop.send(request).outcome == outcome)
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `a failed precondition names the condition`(_ transport: TestTransport) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      let tag = try #require(try client.get(Self.dish).etag)
      let cases: [(path: String, condition: KeyValuePairs, detail: String)] = [
        (Self.dish, ["If-Match": "\"old\""], "is not in If-Match"),
        (Self.dish, ["If-Match": "W/\(tag)"], "send the ETag without “W/”"),
        (Self.dish, ["If-None-Match": tag], "is in If-None-Match"),
        (Self.dish, ["If-None-Match": "*"], "If-None-Match: * requires that there is no value"),
        (Self.dish, ["If-Match": "\"old\"", "If-None-Match": "*"], "is not in If-Match"),
        ("/state/time/custom", ["If-Match": "*"], "If-Match requires a value"),
      ]
      for (path, condition, detail) in cases {
        let reply = try client.patch(path, "{}", condition)
        #expect(reply.outcome == "412 precondition-failed")
        #expect(reply.string("detail")?.contains(detail) == true, "\(reply.text)")
      }
    }
  }

  @Test(arguments: [(65_534, true), (65_535, false), (300_000, false)])
  func `a failed precondition leaves out a value of more than 64 KiB`(_ count: Int, _ isShown: Bool) throws {
    try TestTransport.memory.serve(MergeTests.zoo) { client, _ throws in
      let value = try client.patch("/state/title", "\"\(String(repeating: "x", count: count))\"")
      for (method, body) in [("PATCH", "\"y\""), ("GET", nil)] {
        let reply = try client.send(method, "/state/title", body, ["If-Match": "\"old\""])
        #expect(reply.outcome == "412 precondition-failed" && reply.string("currentETag") == value.etag)
        #expect(reply.member("current") == (isShown ? value.text : nil))
      }
      let operation = #"[{"op":"test","path":"/title","value":"y"}]"#
      let refused = try client.send("PATCH", "/state", operation, ["Content-Type": "application/json-patch+json"])
      #expect(refused.outcome == "409 test-failed" && refused.member("current") == (isShown ? value.text : nil))
    }
  }

  /// Values of `If-Match` and `If-None-Match` in which `TAG` is the current tag, and whether it matches under the
  /// strong and the weak comparison.
  static let headers: [(header: String, strong: Bool, weak: Bool)] = [
    ("TAG", true, true), ("*", true, true), ("W/TAG", false, true), ("\"x\", TAG", true, true),
    ("\"x\",TAG ,\"y\"", true, true),
    (", TAG,, ", true, true), ("\"x\"", false, false), ("\"\"", false, false), ("\"x\", W/TAG", false, true),
  ]

  /// Values that are not lists of entity tags.
  static let malformedHeaders = [
    "", "x", "TAG \"x\"", "TAG, x", "*, TAG", "TAG, *", "w/TAG", "TAG, \"x", "**", "TAG;", ",",
  ]

  @Test(arguments: malformedHeaders, TestTransport.allCases)
  func `a malformed condition is rejected with 400, even if it contains the tag`(
    _ value: String, _ transport: TestTransport
  ) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      let tag = try #require(try client.get(Self.dish).etag)
      for name in ["If-Match", "If-None-Match"] {
        for method in ["GET", "PATCH", "PUT", "DELETE"] {
          let body = ["PATCH", "PUT"].contains(method) ? "{" : nil
          let reply = try client.send(
            Request(
              method, Self.dish, fields: [(name, value.replacing("TAG", with: tag))], body: body.map { Array($0.utf8) })
          )
          #expect(reply.outcome == "400 malformed-header")
          #expect(reply.string("expected") == "\(name): \"TAG\"")
        }
      }
      #expect(try client.get("/state").revision == 0)
    }
  }

  @Test(arguments: headers, TestTransport.allCases)
  func `If-Match compares strongly and If-None-Match weakly`(
    _ entry: (header: String, strong: Bool, weak: Bool), _ transport: TestTransport
  ) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      let tag = try #require(try client.get(Self.dish).etag)
      let header = entry.header.replacing("TAG", with: tag)
      #expect(try client.get(Self.dish, ["If-Match": header]).status == (entry.strong ? 200 : 412))
      #expect(try client.get(Self.dish, ["If-None-Match": header]).status == (entry.weak ? 304 : 200))
      let put = try client.put(Self.dish, Menus.dish(Menus.first, "x"), ["If-None-Match": header])
      #expect(put.status == (entry.weak ? 412 : 200))
      if put.status == 412 {
        let patch = try client.patch(Self.dish, #"{"name":"x"}"#, ["If-Match": header])
        #expect(patch.status == (entry.strong ? 200 : 412))
      }
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `several lines of a field are one list`(_ transport: TestTransport) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      let tag = try #require(try client.get(Self.dish).etag)
      #expect(try client.get(Self.dish, ["If-Match": "\"x\"", "If-Match": tag]).status == 200)
      #expect(try client.get(Self.dish, ["If-Match": tag, "If-Match": "oops"]).status == 400)
      #expect(try client.get(Self.dish, ["If-None-Match": "\"x\"", "If-None-Match": tag]).status == 304)
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `a 304 response has the fields but no content`(_ transport: TestTransport) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      let value = try client.get(Self.dish)
      let reply = try client.get(Self.dish, ["If-None-Match": try #require(value.etag)])
      #expect(reply.status == 304)
      #expect(reply.etag == value.etag)
      #expect(reply["Vary"] == value["Vary"])
      #expect(reply.revision == 0)
      #expect(reply.body.isEmpty)
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `an equal value has an equal tag at any revision`(_ transport: TestTransport) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      let (whole, dish) = (try client.get("/state"), try client.get(Self.dish))
      try client.patch(Self.dish, #"{"name":"x"}"#).expect(200)
      try client.delete(Self.dish).expect(204)
      #expect(try client.get("/state").etag != whole.etag)
      try client.put("/state/dishes", try #require(whole.member("dishes"))).expect(200)
      try client.put("/state/pinnedID", "\"\(Menus.first)\"").expect(200)
      #expect(try client.get(Self.dish).etag == dish.etag)
      let again = try client.get("/state")
      #expect(again.etag == whole.etag)
      #expect(again.revision == 4)
    }
  }

  @Test func `two tags are equal if and only if the canonical JSON is equal`() throws {
    try TestTransport.memory.serve(Zoo()) { client, _ throws in
      var tags: [String: String] = [:]
      var texts: [String: String] = [:]
      let steps = [
        "{}", #"{"title":"empty"}"#, #"{"cell":{"number":3}}"#, #"{"maybeCell":{"number":3},"prices":{"adult":3}}"#,
        #"{"cell":{"point":{"x":1,"y":2}}}"#, #"{"maybeCell":{"point":{"x":1,"y":2}}}"#,
        #"{"cell":{"herd":[]},"tags":[]}"#, #"{"sheet":{"some":null},"deep":{"some":null}}"#,
        #"{"deep":{"some":{"some":3}}}"#, #"{"cell":{"word":null},"note":"a"}"#, #"{"tags":["a","b"]}"#,
        #"{"tags":["b","a"]}"#,
      ]
      for step in steps {
        #expect(try client.patch("/state", step).status == 200)
        for place in try StatePaths.all(client, of: "/state") {
          let reply = try client.get(place)
          let tag = try #require(reply.etag)
          #expect(tags[reply.text, default: tag] == tag, "one value, two tags: \(place) \(reply.text)")
          #expect(texts[tag, default: reply.text] == reply.text, "one tag, two values: \(place) \(reply.text)")
          tags[reply.text] = tag
          texts[tag] = reply.text
        }
      }
      #expect(tags.count > 40)
    }
  }
}
