import BinderyCore
import BinderyHTTP
import BinderyMenu
import BinderyTestKit
import Testing

/// Graceful stops with open connections. A stop that waits for the wrong connection would take an hour here.
@Suite(.timeLimit(.minutes(10))) struct StopTests {
  /// Timeouts that are never reached, except the one that applies to a stop.
  private var limits: Limits {
    var limits = Limits()
    limits.lingerMilliseconds = 3_600_000
    limits.writeTimeoutMilliseconds = 3_600_000
    limits.drainMilliseconds = 3_600_000
    limits.stopFlushMilliseconds = 100
    return limits
  }

  @Test func `a stop does not wait for open subscribers and they can read the last bytes`() throws {
    let server = try MenuServer(limits: limits, loopCount: 2)
    let clients = Connections()
    for _ in 0..<50 {
      let client = try server.connect()
      try client.send("GET /state/time HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n")
      _ = try client.receive(until: "data: \"tonight\"")
      clients.add(client)
    }
    server.stop()
    for client in clients.all {
      let text = String(decoding: try client.socket.receiveAll(), as: UTF8.self)
      #expect(text.contains("retry: ") && text.hasSuffix("\r\n0\r\n\r\n"))
    }
  }

  @Test func `a stop does not wait for subscribers that read nothing`() throws {
    let server = try MenuServer(limits: limits)
    let unresponsive = try server.connect()
    try unresponsive.send("GET /state HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n")
    let reader = try server.connect()
    try reader.send("GET /state/time HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n")
    _ = try reader.receive(until: "data: \"tonight\"")
    // More bytes than the kernel buffers of client and server hold.
    for round in 0..<1_500 {
      server.store.post { $0.time = round.isMultiple(of: 2) ? .tomorrow : .tonight }
      _ = try reader.receive(until: round.isMultiple(of: 2) ? "data: \"tomorrow\"" : "data: \"tonight\"")
    }
    server.stop()
    #expect(!(try reader.receiveAll()).isEmpty)
  }

  @Test func `a stop closes idle connections and those that have sent only empty lines`() throws {
    let server = try MenuServer(limits: limits)
    let idle = try server.connect()
    try idle.send(Attack.good + "\r\n")
    _ = try idle.receive(until: "ok\n")
    server.stop()
    #expect(try idle.receiveAll() == [])
  }

  @Test func `a rejected client can read its response during a stop`() throws {
    let server = try MenuServer(limits: limits)
    let client = try server.connect()
    try client.send("GET / HTTP/1.1\r\n\r\n" + Attack.good)
    let bytes = try client.receive(until: "}")
    server.stop()
    #expect(try Replies.read(bytes + client.receiveAll()).map(\.status) == [400])
  }
}
