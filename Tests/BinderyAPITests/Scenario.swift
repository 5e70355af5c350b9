import BinderyMenu
import BinderyTestKit
import Testing

/// A state, a request, and the expected response.
struct Scenario<Root: Sendable>: Sendable, CustomTestStringConvertible {
  let name: String
  let root: Root
  let request: Request
  /// The expected status and problem type.
  let outcome: String
  /// The expected value of `State-Changed`; nil for reads and errors.
  let changed: Bool?
  /// The expected `pointer` of the problem.
  let pointer: String?

  init(
    _ name: String, _ root: Root, _ method: String, _ target: String, _ body: String? = nil, expecting outcome: String,
    changed: Bool? = nil, pointer: String? = nil, _ fields: KeyValuePairs<String, String> = [:]
  ) {
    self.name = name
    self.root = root
    let fields = fields.map { (name: $0.key, value: $0.value) }
    request = Request(method, target, fields: fields, body: body.map { Array($0.utf8) })
    self.outcome = outcome
    self.changed = changed
    self.pointer = pointer
  }

  var testDescription: String { "\(name): \(request)" }
}

extension Scenario {
  /// Sends the request, and checks the reply and the resulting state.
  func check(_ client: any Client) throws {
    let before = try client.get("/state")
    let existed = request.method == "PUT" ? try client.get(request.target).status != 404 : true
    let reply = try client.send(request)
    let after = try client.get("/state")
    #expect(reply.outcome == outcome, "\(reply)")
    #expect(reply.changed == changed, "\(reply)")
    if changed == true {
      #expect(after.revision == before.revision! + 1)
      #expect(after.etag != before.etag)
      #expect(after.body != before.body)
    } else {
      #expect(after.revision == before.revision)
      #expect(after.etag == before.etag)
      #expect(after.body == before.body)
    }
    // A PUT responds with 201 if and only if a GET before it was a 404.
    if request.method == "PUT", reply.status < 300 { #expect((reply.status == 201) == !existed, "\(reply)") }
    if reply.status >= 400, request.method != "HEAD" {
      #expect(reply["Content-Type"] == "application/problem+json")
      #expect(reply.member("status") == "\(reply.status)")
      #expect(reply.string("title")?.isEmpty == false)
      #expect(reply.string("detail")?.isEmpty == false)
      let page = try client.get(reply.string("type") ?? "")
      #expect(page.status == 200, "the type of a problem resolves to a page")
    }
    if let pointer { #expect(reply.string("pointer") == pointer, "\(reply)") }
    if reply.status == 200 || reply.status == 201, request.method != "OPTIONS", reply["Location"] == nil {
      try checkReadBack(reply, client)
    }
  }

  /// Checks that a later GET returns the content, the ETag and the revision of a successful reply.
  private func checkReadBack(_ reply: Reply, _ client: any Client) throws {
    guard request.target.hasPrefix("/state"), !request.target.contains("?") else { return }
    let value = try client.get(request.target)
    #expect(value.status == 200)
    #expect(reply.etag == value.etag)
    #expect(reply.revision == value.revision)
    if request.method != "HEAD" { #expect(reply.body == value.body) }
  }
}
