import BinderyHTTP
import BinderyServer
import BinderySystem
import Synchronization
import Testing

/// Connections that are served in one round get the same responses as if each were served alone.
@Suite struct RoundTests {
  /// The bytes that a client sends before and after the loop resumes, and whether it then closes its sending side.
  private struct Script: Sendable {
    var first: String
    var then = ""
    var endsWriting = false
  }

  private static let end = "GET /end HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

  private static func get(_ path: String) -> String { "GET /\(path) HTTP/1.1\r\nHost: a\r\n\r\n" }

  private static func head(_ fields: String) -> String { "POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n" }

  private static func post(_ length: Int) -> String { head("Content-Length: \(length)") + body(length) }

  /// Content whose bytes depend on their positions, so that misplaced bytes are detected.
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

  /// A connection and everything it receives until it is closed. Each client receives on its own thread.
  private final class Client: Sendable {
    let socket: ClientSocket
    private let received = Mutex("")

    init(_ socket: consuming ClientSocket) { self.socket = socket }

    func receiveAll() {
      let all = (try? socket.receiveAll()) ?? "failed"
      received.withLock { $0 = all }
    }

    var bytes: [UInt8] { received.withLock { Array($0.utf8) } }
    /// The received responses without parts that depend on timing: dates, and `100 Continue`, which is not sent if the
    /// body has already arrived.
    var responses: String {
      received.withLock {
        $0.replacing(/Date: [^\r]*/, with: "Date:").replacing("HTTP/1.1 100 Continue\r\n\r\n", with: "")
      }
    }
  }

  /// Runs scripts on one server and returns what each client receives.
  private func responses(to scripts: [Script]) throws -> [String] {
    let server = try TestServer()
    defer { server.stop() }
    let holder = try server.connect()
    let clients = try scripts.map { _ in Client(try server.connect()) }
    // Each client is served once before the loop is blocked, so that only the events of its script are pending.
    for client in clients {
      try client.socket.send(Self.get("hello"))
      _ = try client.socket.receive(until: "/hello")
    }
    try holder.send(Self.get("hold"))
    try server.wait(for: "held")
    // This many bytes fit into the kernel's buffers while the server does not read.
    let initialBytes = 20_000
    for (client, script) in zip(clients, scripts) {
      try client.socket.send(String(script.first.prefix(initialBytes)))
      if script.endsWriting { client.socket.endWriting() }
    }
    let threads = try clients.map { client in try Thread { client.receiveAll() } }
    server.log.add("release")
    for (client, script) in zip(clients, scripts) {
      // A rejected client may be disconnected before it has sent everything.
      try? client.socket.send(script.first.dropFirst(initialBytes) + script.then)
    }
    for thread in threads { thread.join() }
    return clients.map(\.responses)
  }

  @Test func `connections served in one round get the same responses as if served alone`() throws {
    let alone = try Self.scripts.map { try responses(to: [$0])[0] }
    #expect(alone[0].hasSuffix("/end"))
    for seed in 0..<3 {
      // Three times the capacity of a round, in a different order for each seed.
      var scripts: [Int] = []
      for index in 0..<48 { scripts.append((index * (seed * 2 + 5) + seed) % Self.scripts.count) }
      let together = try responses(to: scripts.map { Self.scripts[$0] })
      for (script, response) in zip(scripts, together) { #expect(response == alone[script], "script \(script)") }
    }
  }

  @Test func `unsent bytes are stored separately for each client`() throws {
    // The clients are read one after the other, which may take long.
    var limits = Limits()
    limits.writeTimeoutMilliseconds = 600_000
    let server = try TestServer(limits: limits)
    defer { server.stop() }
    let clients = try (0..<14).map { _ in Client(try server.connect()) }
    for client in clients { try client.socket.send("GET /drip HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n") }
    // Each stream has half a megabyte, more than the kernel's buffers.
    for client in clients { client.receiveAll() }
    var expected = "00000003\r\none\r\n"
    for number in 0...100 {
      let chunk = "\(number) " + String(repeating: ".", count: 5000)
      expected += "0000" + String(chunk.utf8.count, radix: 16)
      expected += "\r\n\(chunk)\r\n"
    }
    expected += "0\r\n\r\n"
    for client in clients {
      let isExpected = client.bytes.suffix(expected.utf8.count).elementsEqual(expected.utf8)
      #expect(isExpected)
    }
  }

  /// Returns the turns in which the responses were written, for clients that all send before the loop resumes.
  private func turns(of script: Script, by count: Int) throws -> [Substring] {
    try responses(to: [Script](repeating: script, count: count)).flatMap { response in
      response.matches(of: /<([0-9]+)>/).map(\.output.1)
    }
  }

  @Test func `slow work is spread over several turns so that others are served in between`() throws {
    let alone = try turns(of: Script(first: Self.get("slow") + Self.end), by: 12)
    #expect(alone.count == 12)
    // A turn has one phase for new requests and one for queued connections.
    #expect(Set(alone).count >= 6)
    let pipelined = try turns(of: Script(first: (0..<12).map { _ in Self.get("slow") }.joined() + Self.end), by: 1)
    #expect(pipelined.count == 12)
    #expect(Set(pipelined).count >= 6)
    let produced = try turns(of: Script(first: Self.get("drag") + Self.end), by: 6)
    #expect(produced.count == 24)
    // A third phase is for ready exchanges.
    #expect(Set(produced).count >= 8)
    // The responses are in the order of the clients, and each has four chunks.
    #expect(Set(stride(from: 0, to: 24, by: 4).map { produced[$0] }).count >= 4)
  }

  @Test func `a small request waits for at most one large request`() throws {
    let large = Script(
      first: "POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 17000\r\n\r\n" + Self.body(17_000) + Self.end)
    let small = Script(first: Self.get("turn") + Self.end)
    let responses = try responses(to: [Script](repeating: large, count: 8) + [Script](repeating: small, count: 8))
    let turns = responses.compactMap { $0.firstMatch(of: /<([0-9]+)>/).flatMap { Int($0.output.1) } }
    try #require(turns.count == 16, "\(responses.map { $0.suffix(300) })")
    let lastSmall = try #require(turns.suffix(8).max())
    #expect(turns.prefix(8).count { $0 < lastSmall } <= 1)
    #expect(Set(turns.prefix(8)).count == 8)
  }

  @Test func `turnDidEnd is called once for all requests of a turn`() throws {
    let server = try TestServer()
    defer { server.stop() }
    let holder = try server.connect()
    let clients = try (0..<100).map { _ in Client(try server.connect()) }
    try holder.send(Self.get("hold"))
    try server.wait(for: "held")
    for client in clients { try client.socket.send(Self.get("one") + Self.end) }
    server.log.add("release")
    for client in clients {
      client.receiveAll()
      #expect(client.responses.hasSuffix("/end"))
    }
    let turns = server.log.requestsPerTurn
    #expect(turns.reduce(0, +) == 201)
    // More than fit into a few rounds.
    #expect(turns.contains { $0 > 64 })
  }

  private static func chunked(_ body: String) -> String {
    head("Transfer-Encoding: chunked") + String(body.utf8.count, radix: 16) + "\r\n\(body)\r\n0\r\n\r\n"
  }

  /// Pipelines whose last request must not be parsed again after it was returned: its chunked body was decoded in
  /// place, or it waits for `100 Continue`. Enough requests precede it that it is served in a later batch.
  private static let unread: [Script] = [
    (0..<128).map { get("\($0)") }.joined() + chunked(get("smuggled")),
    get("later") + chunked(get("smuggled")),
    (0..<128).map { get("\($0)") }.joined() + head("Content-Length: 3\r\nExpect: 100-continue"),
  ].map { Script(first: $0, then: ($0.hasSuffix("continue\r\n\r\n") ? "abc" : "") + end) }

  @Test(arguments: unread.indices)
  func `a client that disconnects does not affect the bytes of others`(index: Int) throws {
    let script = Self.unread[index]
    let alone = try responses(to: [script])[0]
    #expect(alone.hasSuffix("/end"))
    // All clients are in one round. The responses of the last one are sent while some of its bytes are not parsed.
    let leaving = [Script](repeating: Script(first: "", endsWriting: true), count: 15)
    #expect(try responses(to: leaving + [script]).last == alone)
  }

  @Test func `a client that disconnects during a request leaves no bytes in the shared buffer`() throws {
    let server = try TestServer()
    defer { server.stop() }
    for request in ["G", "GET /half HTTP/1.1\r\n", Self.head("Content-Length: 100000")] {
      let client = try server.connect()
      try client.send(request)
      // When another client has a response, the loop has processed the bytes above.
      #expect(try server.exchange(Self.end).hasSuffix("/end"))
      client.endWriting()
      #expect(try client.receiveAll().contains(" 400 "))
      #expect(try server.exchange(Self.post(50_000) + Self.end).contains(Self.body(50_000)))
    }
  }

  @Test func `a stop serves all connections that wait to be accepted`() throws {
    let server = try TestServer()
    let holder = try server.connect()
    try holder.send(Self.get("hold"))
    try server.wait(for: "held")
    let clients = try (0..<300).map { _ in Client(try server.connect()) }
    for client in clients { try client.socket.send(Self.get("one")) }
    server.server.stop()
    server.log.add("release")
    for client in clients {
      client.receiveAll()
      #expect(client.responses.hasSuffix("/one"))
    }
    server.stop()
  }

  @Test func `the idle timeout applies after a response that was read late`() throws {
    var limits = Limits()
    limits.idleTimeoutMilliseconds = 200
    let server = try TestServer(limits: limits)
    defer { server.stop() }
    let holder = try server.connect()
    let client = try server.connect()
    try holder.send(Self.get("hold"))
    try server.wait(for: "held")
    // Exactly the capacity of one read, so that the loop must check for more bytes.
    let last = Self.get("large")
    let length = 65_536 - last.utf8.count - Self.head("Content-Length: 10000").utf8.count
    try client.send(Self.head("Content-Length: \(length)") + Self.body(length) + last)
    server.log.add("release")
    #expect(try client.receiveAll().utf8.count > 16 << 20)
  }

  @Test func `a connection that waits for the server does not time out`() throws {
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
    try server.wait(for: "held")
    for client in clients { try client.socket.send(Self.get("slower")) }
    try sender.send("67890")
    server.log.add("release")
    // The loop needs 1.5 seconds for the other clients first.
    #expect(try sender.receiveAll().hasSuffix("1234567890"))
  }

  @Test func `postponed requests are buffered within the memory limit or rejected`() throws {
    var limits = Limits()
    limits.bufferedBytes = 16 * 1024
    let server = try TestServer(limits: limits)
    defer { server.stop() }
    let holder = try server.connect()
    let clients = try (0..<15).map { _ in Client(try server.connect()) }
    // Each client is served once before the loop is blocked, so that all of them are accepted.
    for client in clients {
      try client.socket.send(Self.get("hello"))
      _ = try client.socket.receive(until: "/hello")
    }
    try holder.send(Self.get("hold"))
    try server.wait(for: "held")
    try clients[0].socket.send(Self.get("slower") + Self.end)
    for client in clients.dropFirst() { try client.socket.send(Self.post(3000) + Self.end) }
    server.log.add("release")
    for client in clients { client.receiveAll() }
    let accepted = clients.dropFirst().filter { $0.responses.contains(Self.body(3000)) }
    let rejected = clients.dropFirst().filter { $0.responses.hasPrefix("HTTP/1.1 503 ") }
    #expect(accepted.count + rejected.count == 14)
    // Half of the limit is for small bodies, the size of two or three of them.
    #expect(accepted.count >= 2 && accepted.count <= 4)
    #expect(try server.exchange(Self.post(3000) + Self.end).contains(Self.body(3000)))
  }
}
