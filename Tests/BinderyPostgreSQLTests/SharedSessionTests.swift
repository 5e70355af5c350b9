import BinderyCore
import BinderyJournal
import BinderyPostgreSQL
import BinderyService
import BinderyTestKit
import Testing

/// Sessions of servers that share a state.
struct SharedSessionTests {
  private static let token = "0123456789abcdef0123"

  private let state: SharedState

  init() throws { state = try SharedState() }

  private func server(_ timeouts: DatabaseTimeouts = .patient) throws -> Replica {
    try Replica(state, access: try .tokens([Self.token]), timeouts: timeouts)
  }

  /// Begins a session.
  ///
  /// - Returns: The cookie.
  private func signIn(_ replica: Replica) throws -> String {
    let reply = try replica.send("POST", "/session", ["Authorization": "Bearer \(Self.token)"])
    return String(try #require(reply["Set-Cookie"]).prefix { $0 != ";" })
  }

  @Test func `the end of a session ends it on all servers, and on those that start later`() throws {
    let (a, b) = (try server(), try server())
    defer {
      a.stop()
      b.stop()
    }
    let (cookie, other) = (try signIn(a), try signIn(a))
    #expect(try b.get("/count", ["Cookie": cookie]).status == 200)
    let stream = try SocketEventStream(b.address, "/state/count", ["Cookie": cookie])
    #expect(try stream.next()?.data == "0")
    let ended = try a.send("DELETE", "/session", ["Cookie": cookie])
    #expect(ended.status == 204)
    #expect(ended["Set-Cookie"]?.contains("Max-Age=0") == true)
    let last = try stream.next()
    #expect(last?.type == "cancel")
    #expect(last?.data == #"{"reason":"session-ended"}"#)
    for replica in [a, b] {
      #expect(try replica.get("/count", ["Cookie": cookie]).status == 401)
      #expect(try replica.get("/count", ["Cookie": other]).status == 200)
    }
    let c = try server()
    defer { c.stop() }
    #expect(try c.get("/count", ["Cookie": cookie]).status == 401)
    #expect(try c.get("/count", ["Cookie": other]).status == 200)
  }

  @Test func `a session that ends while the database is away ends elsewhere when it is back`() throws {
    let (a, b) = (try server(.short), try server())
    defer {
      a.stop()
      b.stop()
    }
    let cookie = try signIn(a)
    a.proxy.set(.refuse)
    a.proxy.cut()
    let refused = try a.send("DELETE", "/session", ["Cookie": cookie])
    #expect(refused.outcome == "503 unavailable")
    #expect(refused.string("detail")?.contains("ended on this server") == true)
    #expect(try a.get("/count", ["Cookie": cookie]).status == 401)
    #expect(try b.get("/count", ["Cookie": cookie]).status == 200)
    a.proxy.set(.forward)
    try waitUntil { try b.get("/count", ["Cookie": cookie]).status == 401 }
  }

  @Test func `the end of a session is forgotten an hour after it would have expired`() throws {
    let storage = try state.storage()
    try storage.finish(piece: [1], number: 0, ofSnapshotAt: 0, layout: "x")
    let now = storage.wallMilliseconds / 1_000
    let sessions = [3_700, 3_500, 3_500].enumerated().map { index, age in
      EndedSession(id: [UInt8(index + 1), 0xFF], expires: now - age)
    }
    try storage.end(sessions)
    // Each is stored once, also if its end is reported again.
    try storage.end([sessions[2]])
    _ = try storage.removeExpired(Retention(), atMost: JournalStep.bytes)
    let reader = try state.storage()
    let found = Collected()
    reader.onEndedSessions = { found.add($0) }
    try reader.readEndedSessions()
    #expect(found.sessions == [[2, 0xFF], [3, 0xFF]])
  }
}
