import BinderyAPI
import BinderyTestKit
import Testing

/// `/session`: a cookie for a token.
struct SessionTests {
  @Test func `a token gives a cookie that no script reads and no other site sends`() throws {
    let door = try Door()
    let reply = try door.loop.send("POST", "/session", nil, Door.writer)
    #expect(reply.outcome == "204")
    #expect(reply["Cache-Control"] == "no-store")
    let parts = (reply["Set-Cookie"] ?? "").split(separator: "; ").map(String.init)
    #expect(parts.first?.wholeMatch(of: /bindery-session=[A-Za-z0-9_-]{86}/) != nil)
    #expect(Set(parts.dropFirst()) == ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=1000"])
  }

  @Test func `where browsers come over TLS the cookie never travels without`() throws {
    let door = try Door(isSecure: true)
    let reply = try door.loop.send("POST", "/session", nil, Door.writer)
    let cookie = try #require(reply["Set-Cookie"])
    #expect(cookie.hasPrefix("__Host-bindery-session="))
    #expect(cookie.hasSuffix("; Secure"))
    let value = String(cookie.prefix { $0 != ";" })
    #expect(try door.loop.get("/state/time", ["Cookie": value]).status == 200)
    #expect(try door.loop.get("/state/time", ["Cookie": String(value.dropFirst(7))]).status == 401)
  }

  @Test(arguments: [Door.write, Door.read])
  func `a session may what its token may`(_ token: String) throws {
    let door = try Door()
    let cookie = try door.signIn(token)
    #expect(try door.loop.get("/state/time", ["Cookie": cookie]).status == 200)
    let reply = try door.loop.put("/state/time", "\"tomorrow\"", ["Cookie": cookie])
    #expect(reply.outcome == (token == Door.write ? "200" : "403 forbidden"))
  }

  @Test func `a cookie holds where the store does, after a restart and on another replica, and nowhere else`() throws {
    let cookie = try Door().signIn()
    #expect(try Door().loop.get("/state/time", ["Cookie": cookie]).status == 200)
    let stranger = try Door(secret: [UInt8](repeating: 8, count: 192))
    #expect(try stranger.loop.get("/state/time", ["Cookie": cookie]).status == 401)
  }

  @Test func `a session ends with its time`() throws {
    let door = try Door()
    let cookie = try door.signIn()
    door.wait(seconds: 999)
    #expect(try door.loop.get("/state/time", ["Cookie": cookie]).status == 200)
    let stream = door.loop.listen("/state/time", ["Cookie": cookie])
    door.wait(seconds: 1)
    #expect(try door.loop.get("/state/time", ["Cookie": cookie]).outcome == "401 unauthorized")
    let last = stream.take().last
    #expect(last?.type == "cancel")
    #expect(last?.data == #"{"reason":"session-expired"}"#)
    #expect(!stream.isOpen)
  }

  @Test func `a session that is ended opens nothing more, and its streams end`() throws {
    let door = try Door()
    let (cookie, other) = (try door.signIn(), try door.signIn())
    #expect(cookie != other)
    let streams = [cookie, other].map { door.loop.listen("/state/time", ["Cookie": $0]) }
    let reply = try door.loop.delete("/session", ["Cookie": cookie])
    #expect(reply.status == 204)
    #expect(reply["Set-Cookie"] == "bindery-session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict")
    door.loop.settle()
    #expect(try door.loop.get("/state/time", ["Cookie": cookie]).status == 401)
    #expect(try door.loop.get("/state/time", ["Cookie": other]).status == 200)
    #expect(streams[0].take().last?.data == #"{"reason":"session-ended"}"#)
    #expect(!streams[0].isOpen)
    #expect(streams[1].isOpen)
  }

  @Test func `a session does not beget another`() throws {
    let door = try Door()
    let reply = try door.loop.send("POST", "/session", nil, ["Cookie": try door.signIn()])
    #expect(reply.outcome == "401 unauthorized")
    #expect(reply["Set-Cookie"] == nil)
    #expect(try door.loop.send("POST", "/session").outcome == "401 unauthorized")
  }

  @Test func `the token counts where there is a cookie too`() throws {
    let door = try Door()
    let stale: Client.Fields = ["Cookie": "bindery-session=stale", "Authorization": "Bearer \(Door.write)"]
    #expect(try door.loop.send("POST", "/session", nil, stale).status == 204)
    let cookie = try door.signIn()
    #expect(try door.loop.get("/state", ["Cookie": cookie, "Authorization": "Bearer \(Door.noToken)"]).status == 401)
  }

  @Test func `a cookie is found among others, and only under its name`() throws {
    let door = try Door()
    let cookie = try door.signIn()
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
      #expect(try door.loop.send(Request("GET", "/state/time", fields: fields)).status == status, "\(cookies)")
    }
  }

  @Test func `a cookie of which one bit differs is none`() throws {
    let door = try Door()
    let cookie = try door.signIn()
    let start = cookie.firstIndex(of: "=")!
    for index in cookie.indices where index > start {
      var forged = cookie
      forged.replaceSubrange(index...index, with: cookie[index] == "A" ? "B" : "A")
      #expect(try door.loop.get("/state/time", ["Cookie": forged]).status == 401)
    }
  }

  @Test func `where nobody is asked for a token there is nothing to begin`() throws {
    let door = try Door(isGuarded: false)
    for method in ["POST", "DELETE"] {
      let reply = try door.loop.send(method, "/session")
      #expect(reply.status == 204)
      #expect(reply["Set-Cookie"] == nil)
    }
    #expect(try door.loop.options("/session")["Allow"] == "POST, DELETE, OPTIONS")
    #expect(try door.loop.get("/session").outcome == "405 method-not-allowed")
    #expect(try door.loop.send("POST", "/session/x").outcome == "404 unknown-path")
  }
}
