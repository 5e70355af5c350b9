import BinderyAPI
import BinderyCore
import BinderyJSON
import BinderyMenu
import BinderyOpenAPI
import BinderyTestKit
import Testing

/// Requests from pages of other origins: CORS, and protection against cross-site request forgery.
struct OriginTests {
  private static let allowed = "https://app.example"
  private static let foreign = "https://evil.example"
  private static let dish = "b10de400-0000-8000-8000-000000000001"

  private func corsFields(_ reply: Reply) -> [String] {
    reply.fields.map { $0.name.lowercased() }.filter { $0.hasPrefix("access-control-") }
  }

  private func varies(_ reply: Reply) -> Bool {
    reply.fields.contains { $0.name == "Vary" && $0.value.contains("Origin") }
  }

  @Test func `without allowed origins no response has CORS fields`() throws {
    let api = try TestAPI()
    let preflight = ["Origin": Self.allowed, "Access-Control-Request-Method": "PUT"] as Client.Fields
    for reply in [
      try api.loop.get("/state/time", ["Origin": Self.allowed, "Authorization": "Bearer \(TestAPI.readToken)"]),
      try api.loop.get("/state/time", ["Origin": Self.allowed]),
      try api.loop.send("OPTIONS", "/state/time", nil, preflight),
    ] {
      #expect(corsFields(reply) == [])
      #expect(!varies(reply))
    }
  }

  @Test func `with allowed origins every response varies by origin`() throws {
    let api = try TestAPI(origins: [Self.allowed])
    let tag = try #require(try api.loop.get("/state/time", TestAPI.readCredential).etag)
    let conditional: Client.Fields = ["If-None-Match": tag, "Authorization": "Bearer \(TestAPI.readToken)"]
    let replies = [
      try api.loop.get("/state/time", conditional), try api.loop.get("/state/time"), try api.loop.get("/livez"),
      try api.loop.get("/state/x", TestAPI.readCredential),
      try api.loop.put("/state/time", "1", TestAPI.writeCredential),
      try api.loop.put("/state/time", "\"tomorrow\"", TestAPI.writeCredential), try api.loop.get("/problems"),
      try api.loop.send("BREW", "/state"),
    ]
    #expect(replies.map(\.status) == [304, 401, 200, 404, 422, 200, 200, 501])
    for reply in replies { #expect(varies(reply), "\(reply)") }
    let stream = api.loop.listen("/state/time", TestAPI.readCredential)
    #expect(stream.reader.head.map(varies) == true)
  }

  @Test func `a page of an allowed origin may read every response`() throws {
    let api = try TestAPI(origins: ["https://first.example", Self.allowed])
    let fields: Client.Fields = ["Origin": Self.allowed, "Authorization": "Bearer \(TestAPI.writeToken)"]
    let replies = [
      try api.loop.get("/state/time", fields), try api.loop.put("/state/time", "\"tomorrow\"", fields),
      try api.loop.get("/state/nothing", fields), try api.loop.get("/state", ["Origin": Self.allowed]),
      try api.loop.send("GET", "/history/1", nil, fields),
    ]
    for reply in replies {
      #expect(reply["Access-Control-Allow-Origin"] == Self.allowed)
      #expect(reply["Access-Control-Allow-Credentials"] == "true")
      let exposed = reply["Access-Control-Expose-Headers"] ?? ""
      for name in [
        "ETag", "State-Revision", "State-History", "State-Changed", "Write-Outcome", "Location", "Link",
        "Collection-Count", "Retry-After", "Allow", "Accept-Patch",
      ] {
        #expect(exposed.contains(name))
      }
    }
    let stream = api.loop.listen("/state/time", fields)
    #expect(stream.reader.head?["Access-Control-Allow-Origin"] == Self.allowed)
  }

  @Test func `a delayed response has the CORS fields of its request`() throws {
    let api = try TestAPI(origins: ["https://first.example", Self.allowed])
    let tag = try #require(try api.loop.get("/state/time", TestAPI.readCredential).etag)
    let poll = api.loop.begin(
      Request(
        "GET", "/state/time?wait=60",
        fields: [("If-None-Match", tag), ("Authorization", "Bearer \(TestAPI.readToken)"), ("Origin", Self.allowed)]))
    _ = try api.loop.get("/state", ["Origin": "https://first.example"])
    api.loop.store.post { $0.time = .tomorrow }
    api.loop.settle()
    #expect(poll.reader.reply?["Access-Control-Allow-Origin"] == Self.allowed)
  }

  struct Preflight: Sendable, CustomTestStringConvertible {
    var origin: [String] = [OriginTests.allowed]
    var method: String? = "PUT"
    var path = "/state/time"
    var isAllowed = true
    var testDescription: String { "\(origin) \(method ?? "-") \(path)" }
  }

  static let preflights = [
    Preflight(), Preflight(method: "PATCH"), Preflight(path: "/nothing"), Preflight(path: "/session"),
    Preflight(path: "/livez"), Preflight(origin: [foreign], isAllowed: false),
    Preflight(origin: ["null"], isAllowed: false), Preflight(origin: ["*"], isAllowed: false),
    Preflight(origin: [""], isAllowed: false), Preflight(origin: [allowed, allowed], isAllowed: false),
    Preflight(origin: [allowed, foreign], isAllowed: false),
    Preflight(origin: ["https://app.example."], isAllowed: false),
    Preflight(origin: ["http://app.example"], isAllowed: false),
    Preflight(origin: ["https://app.example:444"], isAllowed: false),
    Preflight(origin: ["https://app.example.evil.example"], isAllowed: false),
    Preflight(origin: ["https://evil.example/https://app.example"], isAllowed: false),
    Preflight(origin: ["HTTPS://APP.EXAMPLE"], isAllowed: false), Preflight(method: nil, isAllowed: false),
    Preflight(origin: [], isAllowed: false),
  ]

  @Test(arguments: preflights)
  func `a preflight is allowed without a token for allowed origins only`(_ preflight: Preflight) throws {
    let api = try TestAPI(origins: [Self.allowed])
    var fields = preflight.origin.map { (name: "Origin", value: $0) }
    if let method = preflight.method { fields.append((name: "Access-Control-Request-Method", value: method)) }
    fields.append((name: "Access-Control-Request-Headers", value: "authorization,content-type,if-match"))
    let reply = try api.loop.send(Request("OPTIONS", preflight.path, fields: fields))
    guard preflight.isAllowed else {
      #expect(reply["Access-Control-Allow-Methods"] == nil)
      #expect(reply.status == (preflight.origin.count > 1 ? 400 : 401))
      return
    }
    #expect(reply.status == 204)
    #expect(reply["Access-Control-Allow-Origin"] == Self.allowed)
    #expect(reply["Access-Control-Allow-Credentials"] == "true")
    for method in ["GET", "PATCH", "PUT", "POST", "DELETE"] {
      #expect(reply["Access-Control-Allow-Methods"]?.contains(method) == true)
    }
    for name in ["Authorization", "Content-Type", "If-Match", "If-None-Match", "Last-Event-ID", "Prefer"] {
      #expect(reply["Access-Control-Allow-Headers"]?.contains(name) == true)
    }
    #expect(reply["Access-Control-Max-Age"] == "7200")
  }

  @Test func `a preflight allows the fields of the program's own endpoints, as far as they are names`() throws {
    let api = try TestAPI(origins: [Self.allowed])
    let fields: Client.Fields = [
      "Origin": Self.allowed, "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Headers": "if-match, x-tenant,x-\u{E9},x<y",
    ]
    let reply = try api.loop.send("OPTIONS", "/own", nil, fields)
    let allowed = reply["Access-Control-Allow-Headers"]?.split(separator: ", ")
    #expect(allowed?.contains("If-Match") == true)
    #expect(allowed?.suffix(2) == ["traceparent", "x-tenant"])
  }

  @Test(arguments: [
    ("https://App.Example", "https://app.example"), ("https://a.example:443", "https://a.example"),
    ("http://a.example:80", "http://a.example"), ("http://a.example:443", "http://a.example:443"),
    ("http://localhost:3000", "http://localhost:3000"), ("http://[::1]:3000", "http://[::1]:3000"),
    ("http://[::1]", "http://[::1]"), ("*", nil), ("null", nil), ("", nil), ("https://", nil), ("a.example", nil),
    ("https://a.example/", nil), ("https://a.example/x", nil), ("ftp://a.example", nil), ("https://a b", nil),
    ("https://*.example", nil), ("https://u@a.example", nil), ("https://a.example:x", nil),
    ("https://a.example:65536", nil), ("https://a.example:", nil), ("https://a?b", nil),
  ])
  func `an origin is normalized to the form that browsers send`(_ text: String, _ expected: String?) {
    #expect(Origins.normalized(text) == expected)
  }

  /// Sends what a page of another site can make a browser send without a preflight
  /// (https://fetch.spec.whatwg.org/#cors-safelisted-request-header).
  @Test(arguments: [true, false])
  func `no request that needs no preflight changes the state`(_ requiresToken: Bool) throws {
    let api = try TestAPI(requiresToken: requiresToken)
    let cookie = try requiresToken ? api.signIn() : ""
    _ = try api.loop.put("/state/time", "\"tomorrow\"", TestAPI.writeCredential)
    let document = OpenAPIDocument(of: Menu.example, title: "Bindery", version: "1")
    let paths = (document.root["paths"]?.members ?? []).map(\.key) + ["/nothing"]
    #expect(paths.count > 50)
    let types = [
      nil, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
      "text/plain; application/json", "text/plain;charset=application/json",
    ]
    for path in paths {
      for method in ["GET", "HEAD", "POST"] {
        for type in types {
          var fields = [(name: "Origin", value: Self.foreign)]
          if requiresToken { fields.append((name: "Cookie", value: cookie)) }
          if let type { fields.append((name: "Content-Type", value: type)) }
          let path = path.replacing("{revision}", with: "1").replacing(/{\w*}/, with: Self.dish)
          _ = try api.loop.send(Request(method, path, fields: fields, body: Array(#"{"name":"x"}"#.utf8)))
        }
      }
    }
    #expect(api.loop.store.revision == 1)
    if requiresToken {
      #expect(try api.loop.get("/state", ["Cookie": cookie]).status == 200, "the session must not be ended")
    }
  }

  @Test(arguments: ["token", "cookie"])
  func `a read token is enough for POST /events, also from a page of another origin`(_ credential: String) throws {
    let api = try TestAPI(origins: [Self.allowed])
    let body = Array(#"[{"path":"/time"}]"#.utf8)
    let cookie = try api.signIn(TestAPI.readToken)
    let authorization =
      credential == "token" ? (name: "Authorization", value: "Bearer \(TestAPI.readToken)") : ("Cookie", cookie)
    for origin in [nil, Self.allowed, Self.foreign] {
      var fields = [authorization, (name: "Content-Type", value: "application/json")]
      if let origin { fields.append((name: "Origin", value: origin)) }
      let stream = api.loop.begin(Request("POST", "/events", fields: fields, body: body))
      #expect(stream.take().count == 1)
      // Without this field, a browser hides the response from the page.
      #expect(stream.reader.head?["Access-Control-Allow-Origin"] == (origin == Self.allowed ? origin : nil))
    }
    #expect(try api.loop.send(Request("POST", "/events", fields: [], body: body)).outcome == "401 unauthorized")
  }

  private static let writes =
    [
      ("PUT", "/state/time", #""tomorrow""#), ("PATCH", "/state/time", #""tomorrow""#),
      ("DELETE", "/state/dishes/\(dish)", nil), ("POST", "/state/dishes", #"{"name":"Soup"}"#),
      ("POST", "/session", nil), ("DELETE", "/session", nil), ("POST", "/history/1/revert", nil),
    ] as [(method: String, path: String, body: String?)]

  /// `Origin` and `Sec-Fetch-Site` tell which page sent a request.
  @Test(
    arguments: [
      ([:], 200), (["Origin": "http://memory"], 200), (["Origin": "https://memory"], 200), (["Origin": allowed], 200),
      (["Origin": foreign], 403), (["Origin": "null"], 403), (["Origin": "http://memory.evil.example"], 403),
      (["Origin": "http://memory:81"], 403), (["Sec-Fetch-Site": "same-origin"], 200),
      (["Sec-Fetch-Site": "none"], 200),
      (["Sec-Fetch-Site": "same-site"], 403), (["Sec-Fetch-Site": "cross-site"], 403),
      (["Origin": allowed, "Sec-Fetch-Site": "same-site"], 200),
      (["Origin": "https://memory", "Host": "memory:443"], 200),
      (["Origin": "http://memory", "Host": "memory:80"], 200),
      (["Origin": "https://memory", "Host": "memory:"], 200),
      (["Origin": "http://memory", "Host": "memory:443"], 403),
      (["Origin": "https://memory", "Host": "memory:80"], 403),
    ] as [([String: String], Int)])
  func `only pages of this server and of allowed origins may write, whatever their credential`(
    _ headers: [String: String], _ status: Int
  ) throws {
    for (method, path, body) in Self.writes {
      for credential in ["none", "cookie", "token"] {
        let api = try TestAPI(requiresToken: credential != "none", origins: [Self.allowed])
        var fields = headers.map { (name: $0.key, value: $0.value) }
        if credential == "cookie" { fields.append((name: "Cookie", value: try api.signIn())) }
        if credential == "token" { fields.append((name: "Authorization", value: "Bearer \(TestAPI.writeToken)")) }
        #expect(try api.loop.send(Request("GET", "/state/time", fields: fields)).status == 200)
        var typed = fields
        if body != nil { typed.append((name: "Content-Type", value: "application/json")) }
        let reply = try api.loop.send(Request(method, path, fields: typed, body: body.map { Array($0.utf8) }))
        #expect((reply.outcome == "403 forbidden") == (status == 403), "\(method) \(path) \(credential): \(reply)")
        if status == 403 { #expect(api.loop.store.revision == 0) }
      }
    }
  }

  @Test func `the origin is checked after the host and the credential, and before all else`() throws {
    let open = try TestAPI(requiresToken: false, hosts: ["memory"])
    let foreign = (name: "Origin", value: Self.foreign)
    func outcome(_ api: TestAPI, _ method: String, _ path: String, _ fields: (name: String, value: String)...) throws
      -> String
    { try api.loop.send(Request(method, path, fields: fields, body: Array("{".utf8))).outcome }
    #expect(try outcome(open, "PUT", "/state", foreign, ("Host", "evil.example")) == "421 misdirected-request")
    for path in ["/state/%00", "/state/nothing", "/nothing", "/state/today", "/livez", "/events"] {
      #expect(try outcome(open, "PUT", path, foreign) == "403 forbidden")
    }
    let api = try TestAPI()
    #expect(try outcome(api, "PUT", "/state/time", foreign) == "401 unauthorized")
    let reply = try api.loop.send(
      Request("PUT", "/state/time", fields: [foreign, ("Authorization", "Bearer \(TestAPI.readToken)")]))
    #expect(reply.outcome == "403 forbidden")
    #expect(reply["WWW-Authenticate"] == nil, "another token would not help")
  }
}
