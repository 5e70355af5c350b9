import BinderyAPI
import BinderyCore
import BinderyTestKit
import Synchronization
import Testing

/// `/session` exchanges a token for a session cookie.
struct SessionTests {
  @Test func `the session cookie is HttpOnly and SameSite=Strict`() throws {
    let api = try TestAPI()
    let reply = try api.loop.send("POST", "/session", nil, TestAPI.writeCredential)
    #expect(reply.outcome == "204")
    #expect(reply["Cache-Control"] == "no-store")
    let parts = (reply["Set-Cookie"] ?? "").split(separator: "; ").map(String.init)
    #expect(parts.first?.wholeMatch(of: /bindery-session=[A-Za-z0-9_-]{86}/) != nil)
    #expect(Set(parts.dropFirst()) == ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=1000"])
  }

  @Test func `a secure cookie has the __Host- prefix and the Secure attribute`() throws {
    let api = try TestAPI(isSecure: true)
    let reply = try api.loop.send("POST", "/session", nil, TestAPI.writeCredential)
    let cookie = try #require(reply["Set-Cookie"])
    #expect(cookie.hasPrefix("__Host-bindery-session="))
    #expect(cookie.hasSuffix("; Secure"))
    let value = String(cookie.prefix { $0 != ";" })
    #expect(try api.loop.get("/state/time", ["Cookie": value]).status == 200)
    #expect(try api.loop.get("/state/time", ["Cookie": String(value.dropFirst(7))]).status == 401)
  }

  @Test(arguments: [TestAPI.writeToken, TestAPI.readToken])
  func `GET of the session says what the credential permits, and never the token`(_ token: String) throws {
    let api = try TestAPI()
    let cookie = try api.signIn(token)
    let reply = try api.loop.get("/session", ["Cookie": cookie])
    #expect(reply.outcome == "200")
    #expect(reply["Cache-Control"] == "no-store")
    #expect(reply.string("access") == (token == TestAPI.writeToken ? "write" : "read"))
    #expect(reply.string("group")?.wholeMatch(of: /[0-9a-f]{16}/) != nil)
    #expect(try api.loop.get("/session", ["Authorization": "Bearer \(token)"]).text == reply.text)
    #expect(try api.loop.get("/session").outcome == "401 unauthorized")
  }

  @Test func `clients of different tokens are in different groups, and without tokens all are in one`() throws {
    let api = try TestAPI()
    let replies = try [TestAPI.writeCredential, TestAPI.readCredential].map { try api.loop.get("/session", $0) }
    #expect(replies[0].string("group") != replies[1].string("group"))
    let open = try TestAPI(requiresToken: false).loop.get("/session")
    #expect(open.string("access") == "write")
    #expect(open.string("group") == "anonymous")
  }

  @Test(arguments: [TestAPI.writeToken, TestAPI.readToken])
  func `a session has the scope of its token`(_ token: String) throws {
    let api = try TestAPI()
    let cookie = try api.signIn(token)
    #expect(try api.loop.get("/state/time", ["Cookie": cookie]).status == 200)
    let reply = try api.loop.put("/state/time", "\"tomorrow\"", ["Cookie": cookie])
    #expect(reply.outcome == (token == TestAPI.writeToken ? "200" : "403 forbidden"))
  }

  @Test func `a cookie is valid on every server of the same store, and on no other`() throws {
    let cookie = try TestAPI().signIn()
    #expect(try TestAPI().loop.get("/state/time", ["Cookie": cookie]).status == 200)
    let otherStore = try TestAPI(secret: [UInt8](repeating: 8, count: 192))
    #expect(try otherStore.loop.get("/state/time", ["Cookie": cookie]).status == 401)
  }

  @Test func `a session and its streams end when it expires`() throws {
    let api = try TestAPI()
    let cookie = try api.signIn()
    api.wait(seconds: 999)
    #expect(try api.loop.get("/state/time", ["Cookie": cookie]).status == 200)
    let stream = api.loop.listen("/state/time", ["Cookie": cookie])
    api.wait(seconds: 1)
    #expect(try api.loop.get("/state/time", ["Cookie": cookie]).outcome == "401 unauthorized")
    let last = stream.take().last
    #expect(last?.type == "cancel")
    #expect(last?.data == #"{"reason":"session-expired"}"#)
    #expect(!stream.isOpen)
  }

  @Test func `a long poll ends when its session expires`() throws {
    let api = try TestAPI()
    let cookie = try api.signIn()
    api.wait(seconds: 999)
    let etag = try #require(try api.loop.get("/state/time", ["Cookie": cookie]).etag)
    let poll = api.loop.begin(
      Request("GET", "/state/time?wait=60", fields: [("Cookie", cookie), ("If-None-Match", etag)]))
    #expect(poll.reader.reply == nil)
    api.wait(seconds: 1)
    #expect(poll.reader.reply?.outcome == "401 unauthorized")
  }

  @Test func `an ended session is rejected, and its streams end`() throws {
    let api = try TestAPI()
    let (cookie, other) = (try api.signIn(), try api.signIn())
    #expect(cookie != other)
    let streams = [cookie, other].map { api.loop.listen("/state/time", ["Cookie": $0]) }
    let reply = try api.loop.delete("/session", ["Cookie": cookie])
    #expect(reply.status == 204)
    #expect(reply["Set-Cookie"] == "bindery-session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict")
    api.loop.settle()
    #expect(try api.loop.get("/state/time", ["Cookie": cookie]).status == 401)
    #expect(try api.loop.get("/state/time", ["Cookie": other]).status == 200)
    #expect(streams[0].take().last?.data == #"{"reason":"session-ended"}"#)
    #expect(!streams[0].isOpen)
    #expect(streams[1].isOpen)
  }

  /// Begins and ends a session.
  private func signInAndOut(_ api: TestAPI, _ token: String) throws -> String {
    let cookie = try api.signIn(token)
    #expect(try api.loop.delete("/session", ["Cookie": cookie]).status == 204)
    return cookie
  }

  @Test func `no number of ended sessions of another token revives an ended session`() throws {
    let api = try TestAPI(endedSessionsPerToken: 200)
    let ended = try signInAndOut(api, TestAPI.writeToken)
    for _ in 0..<200 { _ = try signInAndOut(api, TestAPI.readToken) }
    #expect(try api.loop.get("/state/time", ["Cookie": ended]).status == 401)
    #expect(api.accessControl.endedSessions.count == 201)
  }

  @Test func `beyond the limit, older sessions of the same token end early and none is revived`() throws {
    let api = try TestAPI(endedSessionsPerToken: 8)
    let other = try api.signIn()
    let open = try api.signIn(TestAPI.readToken)
    let ended = try (0..<9).map { _ in try signInAndOut(api, TestAPI.readToken) }
    #expect(api.accessControl.endedSessions.count <= 8)
    for cookie in ended + [open] { #expect(try api.loop.get("/state/time", ["Cookie": cookie]).status == 401) }
    #expect(try api.loop.get("/state/time", ["Cookie": other]).status == 200)
    api.wait(seconds: 1)
    let later = try api.signIn(TestAPI.readToken)
    #expect(try api.loop.get("/state/time", ["Cookie": later]).status == 200)
  }

  @Test func `signing out with a token and a cookie ends the session of the cookie`() throws {
    let api = try TestAPI()
    let cookie = try api.signIn()
    let reply = try api.loop.send(
      "DELETE", "/session", nil, ["Authorization": "Bearer \(TestAPI.readToken)", "Cookie": cookie])
    #expect(reply.status == 204 && reply["Set-Cookie"]?.contains("Max-Age=0") == true)
    #expect(try api.loop.get("/state/time", ["Cookie": cookie]).status == 401)
  }

  @Test func `a limited number of ends of sessions is stored for each token`() throws {
    let now = Int64(1_795_000_000)
    let stored = Mutex<[[UInt8]]>([])
    let clock = Mutex(now)
    let control = AccessControl(
      tokens: try TestAPI.tokens(write: [TestAPI.writeToken], read: [TestAPI.readToken]),
      cookie: SessionCookie(isSecure: false, lifetime: 1_000), endedSessionsPerToken: 8,
      storeEnd: { session, _, completion in
        stored.withLock { $0.append(session) }
        completion(nil)
      }, clock: { clock.withLock { $0 } })
    let loop = MemoryLoop(Store(TestAPI.menu), accessControl: control)
    func signInAndOut(_ token: String) throws -> Reply {
      let reply = try loop.send(
        Request("POST", "/session", fields: [(name: "Authorization", value: "Bearer \(token)")]))
      // Sessions that began in an earlier second have ended early.
      clock.withLock { $0 += 1 }
      return try loop.delete("/session", ["Cookie": String(try #require(reply["Set-Cookie"]).prefix { $0 != ";" })])
    }
    for _ in 0..<8 { #expect(try signInAndOut(TestAPI.readToken).status == 204) }
    for _ in 0..<30 {
      let refused = try signInAndOut(TestAPI.readToken)
      #expect(refused.outcome == "503 unavailable")
      #expect(refused.string("detail")?.contains("revoke the token") == true)
    }
    #expect(stored.withLock(\.count) == 8)
    #expect(try signInAndOut(TestAPI.writeToken).status == 204)
    clock.withLock { $0 += 4_600 }
    #expect(try signInAndOut(TestAPI.readToken).status == 204)
  }

  @Test func `ended sessions are stored until they would have expired, also while their token is removed`() throws {
    let api = try TestAPI()
    let ended = try signInAndOut(api, TestAPI.readToken)
    api.accessControl.replace(try TestAPI.tokens(write: [TestAPI.writeToken]))
    api.accessControl.replace(try TestAPI.tokens(write: [TestAPI.writeToken], read: [TestAPI.readToken]))
    #expect(try api.loop.get("/state/time", ["Cookie": ended]).status == 401)
    for _ in 0..<20 { _ = try signInAndOut(api, TestAPI.writeToken) }
    #expect(api.accessControl.endedSessions.count == 21)
    // The session time is 1,000 seconds; expired sessions are removed hourly.
    api.wait(seconds: 1_000 + 3_600)
    _ = try signInAndOut(api, TestAPI.writeToken)
    #expect(api.accessControl.endedSessions.count == 1)
  }

  @Test func `the end of a session examines only the streams of that session`() throws {
    let api = try TestAPI()
    let cookies = try (0..<50).map { _ in try api.signIn() }
    let streams = cookies.map { api.loop.listen("/state/time", ["Cookie": $0]) }
    let tag = try #require(try api.loop.get("/state/time", TestAPI.readCredential).etag)
    let polls = cookies.map {
      api.loop.begin(Request("GET", "/state/time?wait=60", fields: [("If-None-Match", tag), ("Cookie", $0)]))
    }
    // The clock is read for each examined session.
    let before = api.clockReadCount
    #expect(try api.loop.delete("/session", ["Cookie": cookies[7]]).status == 204)
    api.loop.settle()
    #expect(api.clockReadCount - before < 10)
    for index in cookies.indices { #expect(streams[index].isOpen == (index != 7)) }
    #expect(polls[7].reader.reply?.status == 401)
    #expect(polls.count { $0.reader.reply == nil } == 49)
  }

  @Test(
    arguments: [(Int64.max, 1_795_000_000), (604_800, -62_135_596_800), (604_800, 253_402_300_799)] as [(Int64, Int64)])
  func `a session begins and ends whatever the lifetime and the clock are`(_ lifetime: Int64, _ now: Int64) throws {
    let api = try TestAPI(sessionLifetime: lifetime, now: now)
    let cookie = try api.signIn()
    #expect(try api.loop.get("/state/time", ["Cookie": cookie]).status == 200)
    #expect(try api.loop.delete("/session", ["Cookie": cookie]).status == 204)
    #expect(try api.loop.get("/state/time", ["Cookie": cookie]).status == 401)
  }

  @Test func `a session cannot begin another session`() throws {
    let api = try TestAPI()
    let reply = try api.loop.send("POST", "/session", nil, ["Cookie": try api.signIn()])
    #expect(reply.outcome == "401 unauthorized")
    #expect(reply["Set-Cookie"] == nil)
    #expect(try api.loop.send("POST", "/session").outcome == "401 unauthorized")
  }

  @Test func `a token takes precedence over a cookie`() throws {
    let api = try TestAPI()
    let stale: Client.Fields = ["Cookie": "bindery-session=stale", "Authorization": "Bearer \(TestAPI.writeToken)"]
    #expect(try api.loop.send("POST", "/session", nil, stale).status == 204)
    let cookie = try api.signIn()
    #expect(
      try api.loop.get("/state", ["Cookie": cookie, "Authorization": "Bearer \(TestAPI.unknownToken)"]).status == 401)
  }

  @Test func `the session cookie is found among other cookies, only by its exact name`() throws {
    let api = try TestAPI()
    let cookie = try api.signIn()
    let value = cookie.dropFirst("bindery-session=".count)
    let cases: [(cookies: [String], status: Int)] = [
      (["a=b; \(cookie); c=d"], 200), (["a=b;\(cookie)"], 200), (["a; \(cookie)"], 200), (["\(cookie);"], 200),
      (["a=b", cookie], 200), ([" \(cookie) "], 200), (["; ;=; \(cookie)"], 200),
      ([cookie, cookie], 401), (["\(cookie); \(cookie)"], 401), (["\(cookie); bindery-session=x"], 401),
      (["Bindery-Session=\(value)"], 401), (["xbindery-session=\(value)"], 401), (["bindery-session"], 401),
      (["bindery-session="], 401), (["bindery-session=\"\(value)\""], 401), (["bindery-session = \(value)"], 401),
      (["a=\(cookie)"], 401), (["bindery-session=\(value)="], 401), (["bindery-session=\(value.dropLast())"], 401),
      (["bindery-session=\(value)A"], 401), (["bindery-session=\(String(repeating: "A", count: 86))"], 401),
      (["bindery-session=\(String(repeating: "A", count: 12_000))"], 401), (["bindery-session=%41"], 401), ([""], 401),
    ]
    for (cookies, status) in cases {
      let fields = cookies.map { (name: "Cookie", value: $0) }
      #expect(try api.loop.send(Request("GET", "/state/time", fields: fields)).status == status, "\(cookies)")
    }
  }

  @Test func `a cookie with one changed character is rejected`() throws {
    let api = try TestAPI()
    let cookie = try api.signIn()
    let start = cookie.firstIndex(of: "=")!
    for index in cookie.indices where index > start {
      var forged = cookie
      forged.replaceSubrange(index...index, with: cookie[index] == "A" ? "B" : "A")
      #expect(try api.loop.get("/state/time", ["Cookie": forged]).status == 401)
    }
  }

  @Test func `a service without tokens sets no cookie`() throws {
    let api = try TestAPI(requiresToken: false)
    for method in ["POST", "DELETE"] {
      let reply = try api.loop.send(method, "/session")
      #expect(reply.status == 204)
      #expect(reply["Set-Cookie"] == nil)
    }
    #expect(try api.loop.options("/session")["Allow"] == "GET, HEAD, POST, DELETE, OPTIONS")
    #expect(try api.loop.put("/session", "1").outcome == "405 method-not-allowed")
    #expect(try api.loop.send("POST", "/session/x").outcome == "404 unknown-path")
  }
}
