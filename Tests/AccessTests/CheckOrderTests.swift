import BinderyCore
import BinderyMenu
import BinderyTestKit
import Testing

/// A request with every kind of error at once reports them one by one, in the documented order.
struct CheckOrderTests {
  /// A correction of the request, and the outcome after it.
  struct Step: Sendable {
    let outcome: String
    let correct: @Sendable (inout Request) -> Void
  }

  private static func set(_ name: String, _ value: String?) -> @Sendable (inout Request) -> Void {
    { request in
      request.fields.removeAll { $0.name == name }
      if let value { request.fields.append((name, value)) }
    }
  }

  private static let steps: [Step] = [
    Step(outcome: "421 misdirected-request") { _ in },
    Step(outcome: "401 unauthorized", correct: set("Host", "localhost")),
    Step(outcome: "403 forbidden", correct: set("Authorization", "Bearer \(TestAPI.readToken)")),
    Step(outcome: "403 forbidden", correct: set("Origin", nil)),
    Step(outcome: "400 malformed-path", correct: set("Authorization", "Bearer \(TestAPI.writeToken)")),
    Step(outcome: "404 unknown-path") { $0.target = "/state/nothing?x=1" },
    Step(outcome: "405 method-not-allowed") { $0.target = "/state/today?x=1" },
    Step(outcome: "415 unsupported-media-type") { $0.target = "/state/time/custom?x=1" },
    Step(outcome: "413 content-too-large", correct: set("Content-Type", "application/json")),
    Step(outcome: "400 malformed-query") { $0.body = Array("{".utf8) },
    Step(outcome: "400 malformed-header") { $0.target = "/state/time/custom" },
    Step(outcome: "400 malformed-json", correct: set("If-Match", "\"tag\"")),
    Step(outcome: "412 precondition-failed") { $0.body = Array("{}".utf8) },
    Step(outcome: "409 inactive-case", correct: set("If-Match", nil)),
    Step(outcome: "422 invalid-value") {
      $0.target = "/state"
      $0.body = Array(#"{"pinnedID":"b10de400-0000-8000-8000-0000000000ff","time":1}"#.utf8)
    },
    Step(outcome: "422 invalid-state") {
      $0.body = Array(#"{"pinnedID":"b10de400-0000-8000-8000-0000000000ff"}"#.utf8)
    },
    Step(outcome: "200") { $0.body = Array(#"{"pinnedID":null}"#.utf8) },
  ]

  @Test func `the first error in the documented order is reported`() throws {
    let api = try TestAPI(hosts: [])
    var request = Request(
      "PATCH", "/state/%00?x=1",
      fields: [
        ("Host", "evil.example"), ("Origin", "https://evil.example"), ("Content-Type", "text/plain"),
        ("If-Match", "tag"),
      ], body: [UInt8](repeating: 0x20, count: 1_048_577))
    for step in Self.steps {
      step.correct(&request)
      #expect(try api.loop.send(request).outcome == step.outcome, "\(request)")
    }
    #expect(api.loop.store.revision == 1)
  }

  @Test func `the origin is checked before the scope of the token`() throws {
    let api = try TestAPI()
    let fields = [("Authorization", "Bearer \(TestAPI.readToken)"), ("Origin", "https://evil.example")]
    let foreign = try api.loop.send(Request("PUT", "/state/time", fields: fields))
    #expect(foreign.string("detail")?.contains("origin") == true)
    let own = try api.loop.send(Request("PUT", "/state/time", fields: [fields[0]]))
    #expect(own.string("detail")?.contains("read-only") == true)
  }
}
