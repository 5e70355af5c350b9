import BinderyAPI
import BinderyTestKit
import Testing

/// Responses disclose no secrets and restrict what browsers may do with them.
struct DisclosureTests {
  @Test func `no response contains a token or a cookie`() throws {
    // Only with a known host, problems suggest commands.
    let api = try TestAPI(origins: ["https://app.example"], hosts: ["memory"])
    let cookie = try api.signIn()
    let secrets = [
      TestAPI.writeToken, TestAPI.readToken, TestAPI.unknownToken, String(cookie.dropFirst("bindery-session=".count)),
    ]
    let callers: [KeyValuePairs<String, String>] = [
      TestAPI.writeCredential, TestAPI.readCredential, ["Authorization": "Bearer \(TestAPI.unknownToken)"],
      ["Authorization": "Basic \(TestAPI.writeToken)"],
      ["Cookie": cookie], ["Cookie": "\(cookie); \(cookie)"],
    ]
    for caller in callers {
      for (method, path, body) in [
        ("GET", "/state", nil), ("GET", "/nothing", nil), ("PUT", "/state/time", "{"), ("PUT", "/state/time", "1"),
        ("PATCH", "/state/time/custom", "\"2026-12-24T19:00:00Z\""), ("POST", "/state/dishes", "{}"),
        ("DELETE", "/state", nil), ("GET", "/events?path=x", nil), ("GET", "/state?limit=x", nil),
      ] as [(String, String, String?)] {
        let reply = try api.loop.send(method, path, body, caller)
        for secret in secrets { #expect(!"\(reply)".contains(secret), "\(method) \(path)") }
      }
    }
  }

  @Test func `the command that a problem suggests contains no token`() throws {
    let api = try TestAPI(hosts: ["memory"])
    let reply = try api.loop.patch("/state/time/custom", "\"2026-12-24T19:00:00Z\"", TestAPI.writeCredential)
    #expect(reply.outcome == "409 inactive-case")
    let header = "-H \"Authorization: Bearer $TOKEN\""
    let data = "-d '\"2026-12-24T19:00:00Z\"'"
    #expect(reply.string("curl") == "curl -X PUT 'http://memory/state/time/custom' \(header) \(data)")
  }

  @Test func `every response disables content sniffing and cross-origin embedding`() throws {
    let api = try TestAPI()
    let replies = [
      try api.loop.get("/state", TestAPI.readCredential), try api.loop.get("/state"), try api.loop.get("/livez"),
      try api.loop.get("/problems"), try api.loop.put("/state/time", "\"tomorrow\"", TestAPI.writeCredential),
      try api.loop.send("BREW", "/"), try api.loop.options("/livez"),
    ]
    for reply in replies {
      #expect(reply["X-Content-Type-Options"] == "nosniff", "\(reply)")
      #expect(reply["Cross-Origin-Resource-Policy"] == "same-origin", "\(reply)")
    }
    #expect(api.loop.listen("/state/time", TestAPI.readCredential).reader.head?["X-Content-Type-Options"] == "nosniff")
  }

  @Test(arguments: ["/problems", "/problems/forbidden", "/livez"])
  func `a document has a strict Content-Security-Policy`(_ path: String) throws {
    let reply = try TestAPI().loop.get(path)
    let policy = try #require(reply["Content-Security-Policy"])
    for part in ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"] {
      #expect(policy.contains(part))
    }
    #expect(!policy.contains("unsafe"))
    #expect(reply["Referrer-Policy"] == "no-referrer")
  }
}
