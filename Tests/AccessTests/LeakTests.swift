import BinderyAPI
import BinderyTestKit
import Testing

/// What an answer must not tell.
struct LeakTests {
  @Test func `no answer repeats a token or a cookie`() throws {
    let door = try Door(origins: ["https://app.example"])
    let cookie = try door.signIn()
    let secrets = [Door.write, Door.read, Door.noToken, String(cookie.dropFirst("bindery-session=".count))]
    let callers: [KeyValuePairs<String, String>] = [
      Door.writer, Door.reader, ["Authorization": "Bearer \(Door.noToken)"], ["Authorization": "Basic \(Door.write)"],
      ["Cookie": cookie], ["Cookie": "\(cookie); \(cookie)"],
    ]
    for caller in callers {
      for (method, path, body) in [
        ("GET", "/state", nil), ("GET", "/nothing", nil), ("PUT", "/state/time", "{"), ("PUT", "/state/time", "1"),
        ("PATCH", "/state/time/custom", "\"2026-12-24T19:00:00Z\""), ("POST", "/state/dishes", "{}"),
        ("DELETE", "/state", nil), ("GET", "/events?path=x", nil), ("GET", "/state?limit=x", nil),
      ] as [(String, String, String?)] {
        let reply = try door.loop.send(method, path, body, caller)
        for secret in secrets { #expect(!"\(reply)".contains(secret), "\(method) \(path)") }
        #expect(!reply.text.contains("Authorization:"), "no command carries a token")
      }
    }
  }

  @Test func `the command that a problem suggests carries no token`() throws {
    let door = try Door()
    let reply = try door.loop.patch("/state/time/custom", "\"2026-12-24T19:00:00Z\"", Door.writer)
    #expect(reply.outcome == "409 inactive-case")
    #expect(reply.string("curl") == "curl -X PUT 'http://memory/state/time/custom' -d '\"2026-12-24T19:00:00Z\"'")
  }

  @Test func `every answer forbids browsers to guess its type or lend it to other sites`() throws {
    let door = try Door()
    let replies = [
      try door.loop.get("/state", Door.reader), try door.loop.get("/state"), try door.loop.get("/livez"),
      try door.loop.get("/problems"), try door.loop.put("/state/time", "\"tomorrow\"", Door.writer),
      try door.loop.send("BREW", "/"), try door.loop.options("/livez"),
    ]
    for reply in replies {
      #expect(reply["X-Content-Type-Options"] == "nosniff", "\(reply)")
      #expect(reply["Cross-Origin-Resource-Policy"] == "same-origin", "\(reply)")
    }
    #expect(door.loop.listen("/state/time", Door.reader).reader.head?["X-Content-Type-Options"] == "nosniff")
  }

  @Test(arguments: ["/problems", "/problems/forbidden", "/livez"])
  func `a document says what it may do, and that is little`(_ path: String) throws {
    let reply = try Door().loop.get(path)
    let policy = try #require(reply["Content-Security-Policy"])
    for part in ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"] {
      #expect(policy.contains(part))
    }
    #expect(!policy.contains("unsafe"))
    #expect(reply["Referrer-Policy"] == "no-referrer")
  }
}
