import BinderyJSON
import BinderyTestKit
import Testing

/// Problems for messages that are rejected before they are routed, and the members of a problem.
struct ProblemTests {
  static let rejections: [(request: Request, outcome: String)] = [
    (Request("BREW", "/state"), "501 not-implemented"),
    (Request("GET", "/state/" + String(repeating: "x", count: 9_000)), "414 fields-too-large"),
    (Request("GET", "/state", fields: (0..<100).map { ("X-\($0)", "y") }), "431 fields-too-large"),
    (Request("GET", "/state", fields: [("X", String(repeating: "y", count: 17_000))]), "431 fields-too-large"),
    (Request("PATCH", "/state/%zz", body: [0x31]), "400 malformed-request"),
  ]

  @Test(arguments: rejections.indices, TestTransport.allCases)
  func `a rejected message gets a problem whose type is a page`(_ index: Int, _ transport: TestTransport) throws {
    let (request, outcome) = Self.rejections[index]
    try transport.serve(Menus.fresh) { client, _ throws in
      let reply = try client.send(request)
      #expect(reply.outcome == outcome)
      #expect(reply.member("status") == "\(reply.status)")
      let page = try client.get(try #require(reply.string("type")))
      #expect(page.status == 200)
      #expect(try client.get("/state").revision == 0)
    }
  }

  @Test(arguments: [("rooms", "5"), ("prices", "true"), ("deep", "{}"), ("unknown", "1")])
  func `a problem quotes only the beginning of a long name`(_ member: String, _ value: String) throws {
    try TestTransport.memory.serve(Zoo()) { client, _ throws in
      let name = String(repeating: "é", count: 100_000)
      let reply = try client.patch("/state", "{\"\(member)\":{\"\(name)\":\(value)}}")
      #expect(reply.status == 422)
      #expect(reply.text.utf8.count < 20_000)
      #expect(reply.string("pointer") == "/\(member)")
      let unknown = try client.patch("/state", "{\"\(name)\":\(value)}")
      #expect(unknown.outcome == "422 unknown-member")
      #expect(unknown.string("detail")?.contains("éé…") == true)
      #expect(unknown.string("pointer") == "")
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `a problem is not cacheable and has only the members that apply`(_ transport: TestTransport) throws {
    try transport.serve(Menus.fresh) { client, _ throws in
      let reply = try client.patch("/state/dishes/\(Menus.first)", #"{"name":[]}"#)
      #expect(reply["Cache-Control"] == "no-store")
      let names = try #require(reply.json).members.map { $0.key.string ?? "" }
      #expect(names == ["type", "title", "status", "detail", "pointer", "expected"])
      #expect(reply.string("type") == "/problems/invalid-value")
    }
  }
}
