import BinderyHTTP
import BinderyServer
import BinderySystem
import Synchronization
import Testing

/// What many connections have sent before the loop comes to look is answered as if each had been alone.
@Suite struct RoundTests {
  /// What one client sends before the loop looks, and what afterwards, and whether it ends its side then.
  private struct Script: Sendable {
    var first: String
    var then = ""
    var endsWriting = false
  }

  private static let end = "GET /end HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

  private static func get(_ path: String) -> String { "GET /\(path) HTTP/1.1\r\nHost: a\r\n\r\n" }

  private static func head(_ fields: String) -> String { "POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n" }

  private static func post(_ length: Int) -> String { head("Content-Length: \(length)") + body(length) }

  /// Bytes of which each tells its place, nearly.
  private static func body(_ length: Int) -> String {
    String(decoding: (0..<length).map { UInt8(ascii: "a") + UInt8($0 % 23) }, as: UTF8.self)
  }

  private static let scripts: [Script] = [
    Script(first: get("one") + end),
    Script(first: get("one"), then: get("two") + end),
    Script(first: (0..<40).map { get("\($0)") }.joined() + end),
    Script(first: "GET /half HT", then: "TP/1.1\r\nHost: a\r\n\r\n" + end),
    Script(first: get("one") + "GET /hal", then: "f HTTP/1.1\r\nHost: a\r\n\r\n" + end),
    Script(first: String(post(1000).prefix(600)), then: post(1000).dropFirst(600) + end),
    Script(first: post(20_000) + end),
    Script(first: post(70_000), then: post(70_000) + end),
    Script(first: String(post(30_000).prefix(20_000)), then: post(30_000).dropFirst(20_000) + end),
    Script(first: (0..<20).map { _ in post(60_000) }.joined(), then: end),
    Script(first: head("Transfer-Encoding: chunked") + "3\r\nabc\r\n5\r\nde", then: "fgh\r\n0\r\n\r\n" + end),
    Script(first: head("Content-Length: 3\r\nExpect: 100-continue"), then: "abc" + end),
    Script(first: get("one") + "NONSENSE\r\n\r\n"),
    Script(first: "\r\n\r\n", then: end),
    Script(first: get("later") + end),
    Script(first: get("later"), then: get("stream") + end),
    Script(first: get("stream"), then: end),
    Script(first: get("one"), endsWriting: true),
    Script(first: "GET /cut HTTP/1.1\r\nHo", endsWriting: true),
    Script(first: "", endsWriting: true),
    Script(first: get("nothing")),
  ]

  /// What one connection is told until it is closed, received by a thread of its own.
  private final class Client: Sendable {
    let socket: ClientSocket
    private let received = Mutex("")

    init(_ socket: consuming ClientSocket) { self.socket = socket }

    func receiveAll() {
      let all = (try? socket.receiveAll()) ?? "failed"
      received.withLock { $0 = all }
    }

    var bytes: [UInt8] { received.withLock { Array($0.utf8) } }
    /// Without what depends on time: dates, and the call for a body, which is left out where the body has come.
    var answers: String {
      received.withLock {
        $0.replacing(/Date: [^\r]*/, with: "Date:").replacing("HTTP/1.1 100 Continue\r\n\r\n", with: "")
      }
    }
  }

  /// What the server sends to each of some clients.
  private func answers(to scripts: [Script]) throws -> [String] {
    let server = try TestServer()
    defer { server.stop() }
    let holder = try server.connect()
    let clients = try scripts.map { _ in Client(try server.connect()) }
    // Each is served once before the loop is held, so that it has no event left but those that its script makes.
    for client in clients {
      try client.socket.send(Self.get("hello"))
      _ = try client.socket.receive(until: "/hello")
    }
    try holder.send(Self.get("hold"))
    server.wait(for: "held")
    // So much fits into the kernel's buffers while nobody reads.
    let atOnce = 20_000
    for (client, script) in zip(clients, scripts) {
      try client.socket.send(String(script.first.prefix(atOnce)))
      if script.endsWriting { client.socket.endWriting() }
    }
    let threads = try clients.map { client in try Thread { client.receiveAll() } }
    server.log.add("let go")
    for (client, script) in zip(clients, scripts) {
      // Who is refused may be gone before all of the rest is sent.
      try? client.socket.send(script.first.dropFirst(atOnce) + script.then)
    }
    for thread in threads { thread.join() }
    return clients.map(\.answers)
  }

  @Test func `many that are answered together are answered as if alone`() throws {
    let alone = try Self.scripts.map { try answers(to: [$0])[0] }
    #expect(alone[0].hasSuffix("/end"))
    for seed in 0..<3 {
      // Three times as many as one round has, in another order each time.
      var scripts: [Int] = []
      for index in 0..<48 { scripts.append((index * (seed * 2 + 5) + seed) % Self.scripts.count) }
      let together = try answers(to: scripts.map { Self.scripts[$0] })
      for (script, answer) in zip(scripts, together) { #expect(answer == alone[script], "script \(script)") }
    }
  }

  @Test func `what several peers do not take yet is kept for each`() throws {
    // They are read one after the other, however slowly.
    var limits = Limits()
    limits.writeStallMilliseconds = 600_000
    let server = try TestServer(limits: limits)
    defer { server.stop() }
    let clients = try (0..<14).map { _ in Client(try server.connect()) }
    for client in clients { try client.socket.send("GET /drip HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n") }
    // Half a megabyte waits for each of those that are read last: more than the kernel holds.
    for client in clients { client.receiveAll() }
    var expected = "00000003\r\none\r\n"
    for number in 0...100 {
      let piece = "\(number) " + String(repeating: ".", count: 5000)
      expected += "0000" + String(piece.utf8.count, radix: 16)
      expected += "\r\n\(piece)\r\n"
    }
    expected += "0\r\n\r\n"
    for client in clients {
      let isExpected = client.bytes.suffix(expected.utf8.count).elementsEqual(expected.utf8)
      #expect(isExpected)
    }
  }

  /// The turns of the loop that answers tell, of clients that all ask before the loop looks.
  private func turns(of script: Script, by count: Int) throws -> [Substring] {
    try answers(to: [Script](repeating: script, count: count)).flatMap { answer in
      answer.matches(of: /<([0-9]+)>/).map(\.output.1)
    }
  }

  @Test func `what takes long is spread over turns, so that others are served in between`() throws {
    let alone = try turns(of: Script(first: Self.get("slow") + Self.end), by: 12)
    #expect(alone.count == 12)
    // A turn has one phase for what comes and one for what was put off.
    #expect(Set(alone).count >= 6)
    let pipelined = try turns(of: Script(first: (0..<12).map { _ in Self.get("slow") }.joined() + Self.end), by: 1)
    #expect(pipelined.count == 12)
    #expect(Set(pipelined).count >= 6)
    let produced = try turns(of: Script(first: Self.get("drag") + Self.end), by: 6)
    #expect(produced.count == 24)
    // One more phase is for what is ready.
    #expect(Set(produced).count >= 8)
    // The answers follow one another as the clients do, and each has four pieces.
    #expect(Set(stride(from: 0, to: 24, by: 4).map { produced[$0] }).count >= 4)
  }

  @Test func `a turn ends once for all that was asked in it`() throws {
    let server = try TestServer()
    defer { server.stop() }
    let holder = try server.connect()
    let clients = try (0..<100).map { _ in Client(try server.connect()) }
    try holder.send(Self.get("hold"))
    server.wait(for: "held")
    for client in clients { try client.socket.send(Self.get("one") + Self.end) }
    server.log.add("let go")
    for client in clients {
      client.receiveAll()
      #expect(client.answers.hasSuffix("/end"))
    }
    let turns = server.log.requestsOfTurns
    #expect(turns.reduce(0, +) == 201)
    // More than a round has.
    #expect(turns.contains { $0 > 64 })
  }

  private static func chunked(_ body: String) -> String {
    head("Transfer-Encoding: chunked") + String(body.utf8.count, radix: 16) + "\r\n\(body)\r\n0\r\n\r\n"
  }

  /// Requests that end in one that an intake must not be asked about twice, with more than is answered at once before.
  private static let unread: [Script] = [
    (0..<128).map { get("\($0)") }.joined() + chunked(get("smuggled")),
    get("later") + chunked(get("smuggled")),
    (0..<128).map { get("\($0)") }.joined() + head("Content-Length: 3\r\nExpect: 100-continue"),
  ].map { Script(first: $0, then: ($0.hasSuffix("continue\r\n\r\n") ? "abc" : "") + end) }

  @Test(arguments: unread.indices)
  func `who leaves touches nothing of what others have sent`(index: Int) throws {
    let script = Self.unread[index]
    let alone = try answers(to: [script])[0]
    #expect(alone.hasSuffix("/end"))
    // All in one round, of which the last has its answers sent while its rest is unread.
    let leaving = [Script](repeating: Script(first: "", endsWriting: true), count: 15)
    #expect(try answers(to: leaving + [script]).last == alone)
  }

  @Test func `who leaves in the middle of a request takes nothing along`() throws {
    let server = try TestServer()
    defer { server.stop() }
    for request in ["G", "GET /half HTTP/1.1\r\n", Self.head("Content-Length: 100000")] {
      let client = try server.connect()
      try client.send(request)
      // When another has its answer, the loop has seen what came before.
      #expect(try server.exchange(Self.end).hasSuffix("/end"))
      client.endWriting()
      #expect(try client.receiveAll().contains(" 400 "))
      #expect(try server.exchange(Self.post(50_000) + Self.end).contains(Self.body(50_000)))
    }
  }

  @Test func `a connection whose last answer was taken late is closed when it rests`() throws {
    var limits = Limits()
    limits.idleMilliseconds = 200
    let server = try TestServer(limits: limits)
    defer { server.stop() }
    let holder = try server.connect()
    let client = try server.connect()
    try holder.send(Self.get("hold"))
    server.wait(for: "held")
    // Exactly as much as is received at once, so that the loop must look whether there is more.
    let last = Self.get("large")
    let room = 65_536 - last.utf8.count - Self.head("Content-Length: 10000").utf8.count
    try client.send(Self.head("Content-Length: \(room)") + Self.body(room) + last)
    server.log.add("let go")
    #expect(try client.receiveAll().utf8.count > 16 << 20)
  }

  @Test func `who waits for the server is not late`() throws {
    var limits = Limits()
    limits.bodyPaceMilliseconds = 1000
    limits.bodyPaceBytesPerSecond = 1000
    let server = try TestServer(limits: limits)
    defer { server.stop() }
    let holder = try server.connect()
    let clients = try (0..<150).map { _ in Client(try server.connect()) }
    let sender = try server.connect()
    try sender.send(Self.head("Content-Length: 10\r\nConnection: close") + "12345")
    #expect(try server.exchange(Self.end).hasSuffix("/end"))
    try holder.send(Self.get("hold"))
    server.wait(for: "held")
    for client in clients { try client.socket.send(Self.get("slower")) }
    try sender.send("67890")
    server.log.add("let go")
    // Behind a second and a half of others' work.
    #expect(try sender.receiveAll().hasSuffix("1234567890"))
  }

  @Test func `what is put off finds room, or is refused`() throws {
    var limits = Limits()
    limits.heldBytes = 8 * 1024
    let server = try TestServer(limits: limits)
    defer { server.stop() }
    let holder = try server.connect()
    let clients = try (0..<15).map { _ in Client(try server.connect()) }
    try holder.send(Self.get("hold"))
    server.wait(for: "held")
    try clients[0].socket.send(Self.get("slower") + Self.end)
    for client in clients.dropFirst() { try client.socket.send(Self.post(3000) + Self.end) }
    server.log.add("let go")
    for client in clients { client.receiveAll() }
    let kept = clients.dropFirst().filter { $0.answers.contains(Self.body(3000)) }
    let refused = clients.dropFirst().filter { $0.answers.hasPrefix("HTTP/1.1 503 ") }
    #expect(kept.count + refused.count == 14)
    // Twice as much as may be held is five of them.
    #expect(kept.count >= 2 && kept.count <= 6)
    #expect(try server.exchange(Self.post(3000) + Self.end).contains(Self.body(3000)))
  }
}
