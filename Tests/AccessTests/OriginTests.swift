import BinderyAPI
import BinderyCore
import BinderyMenu
import BinderyOpenAPI
import BinderyTestKit
import Testing

/// Pages of other sites: whose may ask (CORS), and that no other's can change anything.
struct OriginTests {
  private static let ours = "https://app.example"
  private static let other = "https://evil.example"
  private static let dish = "b10de400-0000-8000-8000-000000000001"

  private func corsFields(_ reply: Reply) -> [String] {
    reply.fields.map { $0.name.lowercased() }.filter { $0.hasPrefix("access-control-") }
  }

  private func varies(_ reply: Reply) -> Bool {
    reply.fields.contains { $0.name == "Vary" && $0.value.contains("Origin") }
  }

  @Test func `without a list no answer speaks of origins`() throws {
    let door = try Door()
    let asked = ["Origin": Self.ours, "Access-Control-Request-Method": "PUT"] as Client.Fields
    for reply in [
      try door.loop.get("/state/time", ["Origin": Self.ours, "Authorization": "Bearer \(Door.read)"]),
      try door.loop.get("/state/time", ["Origin": Self.ours]), try door.loop.send("OPTIONS", "/state/time", nil, asked),
    ] {
      #expect(corsFields(reply) == [])
      #expect(!varies(reply))
    }
  }

  @Test func `with a list every answer varies by origin`() throws {
    let door = try Door(origins: [Self.ours])
    let tag = try #require(try door.loop.get("/state/time", Door.reader).etag)
    let known: Client.Fields = ["If-None-Match": tag, "Authorization": "Bearer \(Door.read)"]
    let replies = [
      try door.loop.get("/state/time", known), try door.loop.get("/state/time"), try door.loop.get("/livez"),
      try door.loop.get("/state/x", Door.reader), try door.loop.put("/state/time", "1", Door.writer),
      try door.loop.put("/state/time", "\"tomorrow\"", Door.writer), try door.loop.get("/problems"),
      try door.loop.send("BREW", "/state"),
    ]
    #expect(replies.map(\.status) == [304, 401, 200, 404, 422, 200, 200, 501])
    for reply in replies { #expect(varies(reply), "\(reply)") }
    let stream = door.loop.listen("/state/time", Door.reader)
    #expect(stream.reader.head.map(varies) == true)
  }

  @Test func `a page of an allowed origin may read every answer`() throws {
    let door = try Door(origins: ["https://first.example", Self.ours])
    let fields: Client.Fields = ["Origin": Self.ours, "Authorization": "Bearer \(Door.write)"]
    let replies = [
      try door.loop.get("/state/time", fields), try door.loop.put("/state/time", "\"tomorrow\"", fields),
      try door.loop.get("/state/nothing", fields), try door.loop.get("/state", ["Origin": Self.ours]),
      try door.loop.send("GET", "/history/1", nil, fields),
    ]
    for reply in replies {
      #expect(reply["Access-Control-Allow-Origin"] == Self.ours)
      #expect(reply["Access-Control-Allow-Credentials"] == "true")
      let exposed = reply["Access-Control-Expose-Headers"] ?? ""
      for name in [
        "ETag", "State-Revision", "State-Changed", "Write-Outcome", "Location", "Link", "Allow", "Accept-Patch",
      ] {
        #expect(exposed.contains(name))
      }
    }
    let stream = door.loop.listen("/state/time", fields)
    #expect(stream.reader.head?["Access-Control-Allow-Origin"] == Self.ours)
  }

  @Test func `an answer that comes later speaks of the origin that asked`() throws {
    let door = try Door(origins: ["https://first.example", Self.ours])
    let tag = try #require(try door.loop.get("/state/time", Door.reader).etag)
    let poll = door.loop.begin(
      Request(
        "GET", "/state/time?wait=60",
        fields: [("If-None-Match", tag), ("Authorization", "Bearer \(Door.read)"), ("Origin", Self.ours)]))
    _ = try door.loop.get("/state", ["Origin": "https://first.example"])
    door.loop.store.post { $0.time = .tomorrow }
    door.loop.settle()
    #expect(poll.reader.reply?["Access-Control-Allow-Origin"] == Self.ours)
  }

  struct Preflight: Sendable, CustomTestStringConvertible {
    var origin: [String] = [OriginTests.ours]
    var method: String? = "PUT"
    var path = "/state/time"
    var isAllowed = true
    var testDescription: String { "\(origin) \(method ?? "-") \(path)" }
  }

  static let preflights = [
    Preflight(), Preflight(method: "PATCH"), Preflight(path: "/nothing"), Preflight(path: "/session"),
    Preflight(path: "/livez"), Preflight(origin: [other], isAllowed: false),
    Preflight(origin: ["null"], isAllowed: false), Preflight(origin: ["*"], isAllowed: false),
    Preflight(origin: [""], isAllowed: false), Preflight(origin: [ours, ours], isAllowed: false),
    Preflight(origin: [ours, other], isAllowed: false), Preflight(origin: ["https://app.example."], isAllowed: false),
    Preflight(origin: ["http://app.example"], isAllowed: false),
    Preflight(origin: ["https://app.example:444"], isAllowed: false),
    Preflight(origin: ["https://app.example.evil.example"], isAllowed: false),
    Preflight(origin: ["https://evil.example/https://app.example"], isAllowed: false),
    Preflight(origin: ["HTTPS://APP.EXAMPLE"], isAllowed: false), Preflight(method: nil, isAllowed: false),
    Preflight(origin: [], isAllowed: false),
  ]

  @Test(arguments: preflights)
  func `a preflight of an allowed origin is answered without a token, any other is not`(_ one: Preflight) throws {
    let door = try Door(origins: [Self.ours])
    var fields = one.origin.map { (name: "Origin", value: $0) }
    if let method = one.method { fields.append((name: "Access-Control-Request-Method", value: method)) }
    fields.append((name: "Access-Control-Request-Headers", value: "authorization,content-type,if-match"))
    let reply = try door.loop.send(Request("OPTIONS", one.path, fields: fields))
    guard one.isAllowed else {
      #expect(reply["Access-Control-Allow-Methods"] == nil)
      #expect(reply.status == (one.origin.count > 1 ? 400 : 401))
      return
    }
    #expect(reply.status == 204)
    #expect(reply["Access-Control-Allow-Origin"] == Self.ours)
    #expect(reply["Access-Control-Allow-Credentials"] == "true")
    for method in ["GET", "PATCH", "PUT", "POST", "DELETE"] {
      #expect(reply["Access-Control-Allow-Methods"]?.contains(method) == true)
    }
    for name in ["Authorization", "Content-Type", "If-Match", "If-None-Match", "Last-Event-ID", "Prefer"] {
      #expect(reply["Access-Control-Allow-Headers"]?.contains(name) == true)
    }
    #expect(reply["Access-Control-Max-Age"] == "7200")
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
  func `an origin is written as browsers send it`(_ text: String, _ expected: String?) {
    #expect(Origins.normalized(text) == expected)
  }

  /// What a page of another site can have a browser send without asking first (Fetch, “CORS-safelisted”).
  @Test(arguments: [true, false])
  func `nothing that any page can send unasked changes the state`(_ isGuarded: Bool) throws {
    let door = try Door(isGuarded: isGuarded)
    let cookie = try isGuarded ? door.signIn() : ""
    _ = try door.loop.put("/state/time", "\"tomorrow\"", Door.writer)
    let document = OpenAPIDocument(of: Menu.example, title: "Bindery", version: "1")
    let paths = (document.root["paths"]?.entries ?? []).map(\.key) + ["/nothing"]
    #expect(paths.count > 50)
    let types = [
      nil, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
      "text/plain; application/json", "text/plain;charset=application/json",
    ]
    for path in paths {
      for method in ["GET", "HEAD", "POST"] {
        for type in types {
          var fields = [(name: "Origin", value: Self.other)]
          if isGuarded { fields.append((name: "Cookie", value: cookie)) }
          if let type { fields.append((name: "Content-Type", value: type)) }
          let path = path.replacing("{revision}", with: "1").replacing(/{\w*}/, with: Self.dish)
          _ = try door.loop.send(Request(method, path, fields: fields, body: Array(#"{"name":"x"}"#.utf8)))
        }
      }
    }
    #expect(door.loop.store.revision == 1)
    if isGuarded { #expect(try door.loop.get("/state", ["Cookie": cookie]).status == 200, "the session is not ended") }
  }

  /// A cookie goes along whoever asks: what browsers say of that is heard.
  @Test(
    arguments: [
      ([:], 200), (["Origin": "http://memory"], 200), (["Origin": "https://memory"], 200), (["Origin": ours], 200),
      (["Origin": other], 403), (["Origin": "null"], 403), (["Origin": "http://memory.evil.example"], 403),
      (["Origin": "http://memory:81"], 403), (["Sec-Fetch-Site": "same-origin"], 200),
      (["Sec-Fetch-Site": "none"], 200),
      (["Sec-Fetch-Site": "same-site"], 403), (["Sec-Fetch-Site": "cross-site"], 403),
      (["Origin": ours, "Sec-Fetch-Site": "same-site"], 200),
    ] as [([String: String], Int)])
  func `a session writes for this server's pages and allowed origins`(_ said: [String: String], _ status: Int) throws {
    let door = try Door(origins: [Self.ours])
    let fields = said.map { (name: $0.key, value: $0.value) } + [(name: "Cookie", value: try door.signIn())]
    let body = Array("\"tomorrow\"".utf8)
    #expect(try door.loop.send(Request("PUT", "/state/time", fields: fields, body: body)).status == status)
    #expect(try door.loop.send(Request("GET", "/state/time", fields: fields)).status == 200)
    // A token is never sent unasked.
    let bearer = fields.dropLast() + [(name: "Authorization", value: "Bearer \(Door.write)")]
    #expect(try door.loop.send(Request("PUT", "/state/time", fields: Array(bearer), body: body)).status == 200)
  }
}
