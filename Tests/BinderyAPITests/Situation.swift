import BinderyMenu
import BinderyTestKit
import Testing

/// One cell of the table of situations and verbs: a state, a request, and what must come of it.
struct Situation<Root: Sendable>: Sendable, CustomTestStringConvertible {
  let name: String
  let root: Root
  let request: Request
  /// Status and problem.
  let outcome: String
  /// What `State-Changed` must say; nil for reads and refusals.
  let changed: Bool?
  /// What the problem must say of the place in what was sent.
  let pointer: String?

  init(
    _ name: String, _ root: Root, _ method: String, _ target: String, _ body: String? = nil, gives outcome: String,
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

extension Situation {
  /// Sends the request and looks at the reply, and at what became of the state.
  func check(_ client: any Client) throws {
    let before = try client.get("/state")
    let wasThere = request.method == "PUT" ? try client.get(request.target).status != 404 : true
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
    // A PUT creates exactly where a GET would have found nothing.
    if request.method == "PUT", reply.status < 300 { #expect((reply.status == 201) == !wasThere, "\(reply)") }
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

  /// What a success shows is the value read back, with its ETag and the revision.
  private func checkReadBack(_ reply: Reply, _ client: any Client) throws {
    guard request.target.hasPrefix("/state"), !request.target.contains("?") else { return }
    let value = try client.get(request.target)
    #expect(value.status == 200)
    #expect(reply.etag == value.etag)
    #expect(reply.revision == value.revision)
    if request.method != "HEAD" { #expect(reply.body == value.body) }
  }
}
