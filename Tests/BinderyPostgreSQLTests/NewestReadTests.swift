import BinderyTestKit
import Testing

/// Clients that change the server never see an older state.
struct NewestReadTests {
  /// Starts two servers. The second one loses the network to the database, and the first one commits.
  private func oneBehind() throws -> (a: Replica, b: Replica, written: Reply) {
    let state = try SharedState()
    let (a, b) = (try Replica(state), try Replica(state))
    b.proxy.set(.withhold)
    let written = try a.patch("/count", "1")
    #expect(written.status == 200)
    return (a, b, written)
  }

  /// Sends a request to a server that is behind, and lets it reach the database when the request has arrived.
  private func answer(_ b: Replica, _ request: Request) throws -> Reply {
    let client = try SocketClient(b.address)
    try client.begin(request)
    // Reads without conditions do not wait, and show that the server is behind.
    #expect(try b.get("/count").text == "0")
    b.proxy.set(.forward)
    return try client.finish(request)
  }

  @Test func `a read waits for the revision that its client has seen on another server`() throws {
    let (a, b, written) = try oneBehind()
    defer {
      a.stop()
      b.stop()
    }
    let reply = try answer(b, Replica.read("/count", written.seen))
    #expect(reply.text == "1")
    #expect(reply.revision == 1)
  }

  @Test func `the method is checked before the version that a client has seen`() throws {
    let replica = try Replica(SharedState())
    defer { replica.stop() }
    let fields = [(name: "State-Revision", value: "x"), (name: "State-History", value: "y")]
    #expect(try replica.client.send(Request("POST", "/state/count", fields: fields)).status == 405)
    #expect(try replica.client.send(Request("GET", "/state/count", fields: fields)).outcome == "400 malformed-header")
  }

  @Test func `a revert finds a revision that another server has committed`() throws {
    let (a, b, _) = try oneBehind()
    defer {
      a.stop()
      b.stop()
    }
    let fields = [(name: "Content-Type", value: "application/json"), (name: "Idempotency-Key", value: "\"key\"")]
    let revert = Request("POST", "/history/1/revert", fields: fields)
    let reply = try answer(b, revert)
    #expect(reply.status == 200 && reply.revision == 2, "\(reply)")
    #expect(try b.get("/count").text == "0")
    let repeated = try a.client.send(revert)
    #expect(repeated.status == 200 && repeated["Idempotency-Replayed"] == "?1", "\(repeated)")
  }

  @Test func `a read of the newest state shows what other servers had committed before it`() throws {
    let (a, b, _) = try oneBehind()
    defer {
      a.stop()
      b.stop()
    }
    let reply = try answer(b, Replica.read("/count", ["Prefer": "read=newest"]))
    #expect(reply.text == "1")
    #expect(reply["Preference-Applied"] == "read=newest")
  }

  @Test(arguments: ["before=999", "after=0", "before=999&path=/count"], [true, false])
  func `the history waits for the revision that its client has seen, or for the newest`(
    query: String, namesRevision: Bool
  ) throws {
    let (a, b, written) = try oneBehind()
    defer {
      a.stop()
      b.stop()
    }
    let fields = namesRevision ? written.seen : ["Prefer": "read=newest"]
    let request = Request("GET", "/history?\(query)", fields: fields.map { (name: $0.key, value: $0.value) })
    let reply = try answer(b, request)
    #expect(reply.text.contains(#""revision":1,"#), "\(reply)")
    #expect(reply.revision == 1)
    #expect(reply["Preference-Applied"] == (namesRevision ? nil : "read=newest"))
  }

  @Test func `a history is another one only after a check of the database`() throws {
    let (a, b, written) = try oneBehind()
    defer {
      a.stop()
      b.stop()
    }
    let requests = [
      Request("GET", "/history?history=x"),
      Request("POST", "/history/1/revert?history=x", fields: [(name: "Content-Type", value: "application/json")]),
    ]
    for (server, outcome) in [(b, "503 behind"), (a, "410 other-history")] {
      let clients = try requests.map { request in
        let client = try SocketClient(server.address)
        try client.begin(request)
        return client
      }
      for (client, request) in zip(clients, requests) { #expect(try client.finish(request).outcome == outcome) }
    }
    let fields = written.seen.map { (name: $0.key, value: $0.value) }
    #expect(try a.client.send(Request("GET", "/history", fields: fields)).revision == 1)
    let wrong = [(name: "State-Revision", value: "x"), (name: "State-History", value: "y")]
    #expect(try a.client.send(Request("GET", "/history", fields: wrong)).outcome == "400 malformed-header")
  }

  @Test func `a stream that moves to a server that is behind skips no value and gets no older one`() throws {
    let (a, b, _) = try oneBehind()
    defer {
      a.stop()
      b.stop()
    }
    let first = try SocketEventStream(a.address, "/state/count")
    let event = try #require(try first.next())
    #expect(event.data == "1")
    let second = try SocketEventStream(b.address, "/state/count", lastEventID: event.id)
    #expect(try second.receive())
    #expect(try b.get("/count").text == "0")
    b.proxy.set(.forward)
    #expect(try a.patch("/count", "2").status == 200)
    #expect(try second.next()?.data == "2")
  }
}
