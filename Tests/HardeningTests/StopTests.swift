import BinderyCore
import BinderyHTTP
import BinderyMenu
import Testing

/// What becomes of everybody when the server stops. A stop that waits for what it should not would take an hour here.
@Suite(.timeLimit(.minutes(10))) struct StopTests {
  /// Nothing ends by its time in these tests, but for what a stop hurries.
  private var limits: Limits {
    var limits = Limits()
    limits.lingerMilliseconds = 3_600_000
    limits.writeStallMilliseconds = 3_600_000
    limits.drainMilliseconds = 3_600_000
    limits.hurriedMilliseconds = 100
    return limits
  }

  @Test func `a stop does not wait for subscribers that stay, who may still read the last bytes`() throws {
    let live = try LiveRestaurant(limits: limits, loopCount: 2)
    let clients = Connections()
    for _ in 0..<50 {
      let client = try live.connect()
      try client.send("GET /state/time HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n")
      _ = try client.receive(until: "data: \"tonight\"")
      clients.add(client)
    }
    live.stop()
    for client in clients.all {
      let rest = String(decoding: try client.socket.receiveAll(), as: UTF8.self)
      #expect(rest.contains("retry: ") && rest.hasSuffix("\r\n0\r\n\r\n"))
    }
  }

  @Test func `a stop does not wait for subscribers that read nothing`() throws {
    let live = try LiveRestaurant(limits: limits)
    let deaf = try live.connect()
    try deaf.send("GET /state HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n")
    let reader = try live.connect()
    try reader.send("GET /state/time HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n")
    _ = try reader.receive(until: "data: \"tonight\"")
    // More than two kernels hold for one who does not read.
    for round in 0..<1_500 {
      live.store.post { $0.time = round.isMultiple(of: 2) ? .tomorrow : .tonight }
      _ = try reader.receive(until: round.isMultiple(of: 2) ? "data: \"tomorrow\"" : "data: \"tonight\"")
    }
    live.stop()
    #expect(!(try reader.receiveAll()).isEmpty)
  }

  @Test func `a stop ends idle connections and those that have sent only empty lines`() throws {
    let live = try LiveRestaurant(limits: limits)
    let idle = try live.connect()
    try idle.send(Attack.good + "\r\n")
    _ = try idle.receive(until: "ok\n")
    live.stop()
    #expect(try idle.receiveAll() == [])
  }

  @Test func `a stop lets a refused peer read why`() throws {
    let live = try LiveRestaurant(limits: limits)
    let refused = try live.connect()
    try refused.send("GET / HTTP/1.1\r\n\r\n" + Attack.good)
    let bytes = try refused.receive(until: "}")
    live.stop()
    #expect(try Replies.read(bytes + refused.receiveAll()).map(\.status) == [400])
  }
}
