import BinderyJSON
import BinderyTestKit
import Testing

/// What is refused before anybody looks at the path is told in the same way.
struct ProblemTests {
  static let refusals: [(request: Request, outcome: String)] = [
    (Request("BREW", "/state"), "501 not-implemented"),
    (Request("GET", "/state/" + String(repeating: "x", count: 9_000)), "414 fields-too-large"),
    (Request("GET", "/state", fields: (0..<100).map { ("X-\($0)", "y") }), "431 fields-too-large"),
    (Request("GET", "/state", fields: [("X", String(repeating: "y", count: 17_000))]), "431 fields-too-large"),
    (Request("PATCH", "/state/%zz", body: [0x31]), "400 malformed-request"),
  ]

  @Test(arguments: refusals.indices, Depth.allCases)
  func `a refused message gets a problem with a page`(_ index: Int, _ depth: Depth) throws {
    let (request, outcome) = Self.refusals[index]
    try depth.serve(Menus.fresh) { client, _ throws in
      let reply = try client.send(request)
      #expect(reply.outcome == outcome)
      #expect(reply.member("status") == "\(reply.status)")
      let page = try client.get(try #require(reply.string("type")))
      #expect(page.status == 200)
      #expect(try client.get("/state").revision == 0)
    }
  }

  @Test(arguments: Depth.allCases)
  func `a problem is not kept by caches and names no other members than it has`(_ depth: Depth) throws {
    try depth.serve(Menus.fresh) { client, _ throws in
      let reply = try client.patch("/state/dishes/\(Menus.first)", #"{"name":1}"#)
      #expect(reply["Cache-Control"] == "no-store")
      let names = try #require(reply.json).members.map { $0.key.string ?? "" }
      #expect(names == ["type", "title", "status", "detail", "pointer", "expected"])
      #expect(reply.string("type") == "/problems/invalid-value")
    }
  }
}
