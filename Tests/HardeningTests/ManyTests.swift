import BinderyCore
import BinderyHTTP
import BinderyMenu
import BinderySystem
import Testing

/// Slow, silent and numerous peers, over real sockets: others are served meanwhile, and everything is given back.
@Suite(.serialized) struct ManyTests {
  private static let stream = "GET /state/time HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n"

  private func connect(_ live: LiveRestaurant, _ count: Int, sending text: String) throws -> Connections {
    let all = Connections()
    for _ in 0..<count {
      let client = try live.connect()
      try client.send(text)
      all.add(client)
    }
    return all
  }

  @Test func `slow heads are told so, and others are served meanwhile`() throws {
    var limits = Limits()
    limits.headerReadMilliseconds = 500
    let live = try LiveRestaurant(limits: limits)
    defer { live.stop() }
    let slow = try connect(live, 300, sending: "GET /livez HTTP/1.1\r\nHost: a\r\nX: ")
    #expect(try live.servesOthers())
    for client in slow.all {
      #expect(try Replies.read(try client.socket.receiveAll()).map(\.status) == [408])
    }
    #expect(try live.servesOthers())
  }

  @Test func `slow bodies are told so, and others are served meanwhile`() throws {
    var limits = Limits()
    limits.bodyPaceMilliseconds = 500
    let live = try LiveRestaurant(limits: limits)
    defer { live.stop() }
    let slow = try connect(live, 300, sending: Attack.patch + "Content-Length: 9\r\n\r\n\"")
    #expect(try live.servesOthers())
    for client in slow.all {
      #expect(try Replies.read(try client.socket.receiveAll()).map(\.status) == [408])
    }
  }

  @Test func `silent connections are dropped without a word`() throws {
    var limits = Limits()
    limits.headerReadMilliseconds = 500
    let live = try LiveRestaurant(limits: limits)
    defer { live.stop() }
    let silent = try connect(live, 300, sending: "")
    #expect(try live.servesOthers())
    for client in silent.all { #expect(try client.socket.receiveAll() == []) }
  }

  @Test func `a pipeline of thousands that nobody reads stops being answered, and its sender is dropped`() throws {
    var limits = Limits()
    limits.writeStallMilliseconds = 500
    let live = try LiveRestaurant(limits: limits)
    defer { live.stop() }
    let requests = String(repeating: "GET /state HTTP/1.1\r\nHost: a\r\n\r\n", count: 2_000)
    let greedy = try live.connect()
    var sent = 0
    // The server stops reading where its answers are not taken, and drops the connection in the end.
    do throws(Errno) {
      while sent < 100 {
        try greedy.send(requests)
        sent += 1
      }
    } catch {
      #expect(error == .connectionReset || error == .brokenPipe)
    }
    #expect(sent < 100)
    #expect(try live.servesOthers())
  }

  @Test func `a thousand connections come and go, and no descriptor stays`() throws {
    let live = try LiveRestaurant(loopCount: 2)
    defer { live.stop() }
    #expect(try live.servesOthers())
    for round in 0..<10 {
      let all = try connect(live, 100, sending: round.isMultiple(of: 2) ? "" : Attack.good)
      all.removeAll()
      #expect(try live.servesOthers())
    }
  }

  @Test func `subscribers come and go, and the last one hears as the first did`() throws {
    let live = try LiveRestaurant(loopCount: 2)
    defer { live.stop() }
    for _ in 0..<10 {
      let all = try connect(live, 100, sending: Self.stream)
      for client in all.all { _ = try client.socket.receive(until: "data: \"tonight\"") }
      all.removeAll()
    }
    let last = try live.connect()
    try last.send(Self.stream)
    _ = try last.receive(until: "data: \"tonight\"")
    live.store.post { $0.time = .tomorrow }
    #expect(!(try last.receive(until: "data: \"tomorrow\"")).isEmpty)
  }

  @Test func `a thousand subscribers that never read delay nobody`() throws {
    let live = try LiveRestaurant()
    defer { live.stop() }
    let deaf = try connect(live, 1_000, sending: Self.stream.replacing("/state/time", with: "/state"))
    let reader = try live.connect()
    try reader.send(Self.stream)
    _ = try reader.receive(until: "data: \"tonight\"")
    for round in 0..<50 {
      live.store.post { $0.time = round.isMultiple(of: 2) ? .tomorrow : .tonight }
      _ = try reader.receive(until: round.isMultiple(of: 2) ? "data: \"tomorrow\"" : "data: \"tonight\"")
    }
    #expect(try live.servesOthers())
    deaf.removeAll()
    #expect(try live.servesOthers())
  }

  @Test func `unfinished bodies together take no more than their room, and small requests go on`() throws {
    var limits = Limits()
    limits.heldBytes = 1_000_000
    let live = try LiveRestaurant(limits: limits)
    defer { live.stop() }
    let part = Attack.patch + "Content-Length: 200000\r\n\r\n" + String(repeating: " ", count: 190_000)
    let greedy = Connections()
    for _ in 0..<30 {
      let client = try live.connect()
      try client.send(part)
      #expect(try live.servesOthers())
      greedy.add(client)
    }
    // Those that found room learn now that they were cut short.
    var statuses: [Int] = []
    for client in greedy.all {
      client.socket.endWriting()
      statuses += try Replies.read(try client.socket.receiveAll()).map(\.status)
    }
    #expect(statuses.count == 30 && Set(statuses) == [400, 503])
    let body = "\"tomorrow\"" + String(repeating: " ", count: 199_990)
    let whole = Attack.patch + "Connection: close\r\nContent-Length: 200000\r\n\r\n" + body
    #expect(try live.exchange(whole).map(\.status) == [200])
  }
}
