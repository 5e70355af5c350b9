import BinderyAPI
import BinderyCore
import BinderyHTTP
import BinderyMenu
import BinderyTestKit
import Testing

/// A server of a shared store that is behind what its clients have seen on another server.
struct BehindTests {
  /// A journal of a shared store. The test decides when a check of the head ends, and what it finds.
  private final class SharedJournal: Journal {
    var isShared: Bool { true }
    func wake() {}
  }

  private let loop = MemoryLoop(Store(MenuFixture.initial, journal: SharedJournal()))

  private func fields(_ revision: Int, _ history: String? = nil) -> [(name: String, value: String)] {
    [("State-Revision", "\(revision)"), ("State-History", history ?? loop.store.history.text)]
  }

  private func get(_ path: String, _ fields: [(name: String, value: String)]) -> MemoryExchange {
    let exchange = loop.begin(Request("GET", "/state\(path)", fields: fields))
    loop.settle()
    return exchange
  }

  /// Ends the checks of the head that were requested.
  private func check(_ failure: JournalFailure? = nil) {
    if let reads = loop.store.takeBatch()?.newestReads { loop.store.finish(reads, failure) }
    loop.settle()
  }

  /// Publishes the commits of another server.
  private func advance(to revision: Int, _ body: (inout Menu) -> Void) {
    var root = loop.store.snapshot.root
    body(&root)
    loop.store.advance(to: root, revision: revision, [])
    loop.settle()
  }

  @Test func `a read waits for the revision that its client has seen`() {
    let exchange = get("/time", fields(2))
    #expect(exchange.bytes.isEmpty)
    check()
    advance(to: 1) { $0.time = .tomorrow }
    #expect(exchange.bytes.isEmpty)
    advance(to: 2) { $0.time = .tonight }
    #expect(exchange.reader.reply?.text == "\"tonight\"")
    #expect(exchange.reader.reply?.revision == 2)
  }

  @Test func `a read of a reached revision, or without a history, gets its response at once`() {
    #expect(get("/time", fields(0)).reader.reply?.status == 200)
    #expect(get("/time", [("State-Revision", "7")]).reader.reply?.status == 200)
  }

  @Test(arguments: ["x", "", "-", "1.5", "99999999999999999999"])
  func `a revision that is no integer is refused`(revision: String) {
    let reply = get("/time", [("State-Revision", revision), ("State-History", "abcdefgh")]).reader.reply
    #expect(reply?.outcome == "400 malformed-header")
  }

  @Test func `a revision of another history is ignored after a check of the head`() {
    let exchange = get("/time", fields(9, "abcdefgh"))
    #expect(exchange.bytes.isEmpty)
    check()
    #expect(exchange.reader.reply?.text == "\"tonight\"")
  }

  @Test func `a read gets 503 when the server has not caught up in 5 seconds`() throws {
    let exchange = get("/time", fields(2))
    loop.advance(milliseconds: 4_900)
    #expect(exchange.bytes.isEmpty)
    loop.advance(milliseconds: 400)
    let reply = try #require(exchange.reader.reply)
    #expect(reply.outcome == "503 behind")
    #expect(reply["Retry-After"] != nil)
    #expect(reply.string("detail")?.contains("the client has seen revision 2 of history") == true)
  }

  @Test func `the reason why a check has failed is reported`() throws {
    let exchange = get("/time", [("Prefer", "read=newest")])
    check(.unavailable("The database does not respond."))
    loop.advance(milliseconds: 6_000)
    let detail = try #require(exchange.reader.reply?.string("detail"))
    #expect(detail.hasSuffix("could not confirm that it is the newest. The database does not respond."))
  }

  @Test func `a check that fails is repeated`() {
    let exchange = get("/time", fields(9, "abcdefgh"))
    check(.unavailable("The database does not respond."))
    #expect(exchange.bytes.isEmpty)
    #expect(loop.store.takeBatch() == nil)
    loop.advance(milliseconds: 300)
    check()
    #expect(exchange.reader.reply?.status == 200)
  }

  @Test func `a read of the newest state waits for a check that began after it`() throws {
    let first = get("/time", [("Prefer", "read=newest")])
    let began = try #require(loop.store.takeBatch()?.newestReads)
    let second = get("/time", [("Prefer", "read=newest")])
    loop.store.finish(began, nil)
    loop.settle()
    #expect(first.reader.reply?["Preference-Applied"] == "read=newest")
    #expect(second.bytes.isEmpty)
    advance(to: 1) { $0.time = .tomorrow }
    #expect(second.bytes.isEmpty)
    check()
    #expect(second.reader.reply?.text == "\"tomorrow\"")
  }

  @Test func `the only server of a store is never behind`() throws {
    let loop = MenuFixture.loop()
    let reply = try loop.send(Request("GET", "/state/time", fields: fields(9) + [("Prefer", "read=newest")]))
    #expect(reply.status == 200)
    #expect(reply["Preference-Applied"] == "read=newest")
  }

  @Test func `a stream is opened at once, and is silent until its revision is reached`() {
    let history = loop.store.history.text
    let stream = loop.listen("/state/time", lastEventID: "AAAAAAAAAAAAAAAAAAAAAA~2~\(history)")
    #expect(stream.reader.head?.status == 200)
    check()
    advance(to: 1) { $0.time = .tomorrow }
    loop.advance(milliseconds: 20_000)
    #expect(stream.take().isEmpty)
    // The heartbeat.
    #expect(String(decoding: stream.bytes, as: UTF8.self).contains(": hb"))
    advance(to: 2) { $0.time = .tonight }
    #expect(stream.takeData() == ["\"tonight\""])
    advance(to: 3) { $0.time = .tomorrow }
    #expect(stream.takeData() == ["\"tomorrow\""])
  }

  @Test func `a stream that is up to date when its revision is reached gets nothing`() throws {
    let etag = try #require(get("/time", []).reader.reply?.digest)
    let stream = loop.listen("/state/time", lastEventID: "\(etag)~2~\(loop.store.history)")
    check()
    advance(to: 2) { $0.firstDish.name = "A" }
    #expect(stream.take().isEmpty)
    advance(to: 3) { $0.time = .tomorrow }
    #expect(stream.takeData() == ["\"tomorrow\""])
  }

  @Test func `a stream with a cursor of another history begins after a check of the head`() {
    let stream = loop.listen("/state/time", lastEventID: "AAAAAAAAAAAAAAAAAAAAAA~2~abcdefgh")
    check(.unavailable("The database does not respond."))
    #expect(stream.take().isEmpty)
    loop.advance(milliseconds: 300)
    check()
    #expect(stream.takeData() == ["\"tonight\""])
  }

  @Test func `a stream of several places waits too, by its cursor or by its header fields`() {
    let streams = [
      loop.post(events: #"[{"path": "/time"}]"#, fields: fields(2)),
      loop.listen("/events?path=/time", lastEventID: "x~2~\(loop.store.history)"),
    ]
    check()
    advance(to: 1) { $0.time = .tomorrow }
    for stream in streams { #expect(stream.take().isEmpty) }
    advance(to: 2) { $0.time = .tonight }
    for stream in streams { #expect(stream.takeData().count == 1) }
  }

  @Test func `a long poll begins when the revision is reached`() throws {
    let etag = try #require(get("/time", []).reader.reply?.etag)
    let exchange = get("/time?wait=30", fields(1) + [("If-None-Match", etag)])
    advance(to: 1) { $0.firstDish.name = "A" }
    #expect(exchange.bytes.isEmpty)
    advance(to: 2) { $0.time = .tomorrow }
    #expect(exchange.reader.reply?.text == "\"tomorrow\"")
  }

  @Test func `a client that disconnects while it waits leaves nothing behind`() {
    let exchange = get("/time", fields(2))
    loop.disconnect(exchange)
    check()
    advance(to: 2) { $0.time = .tomorrow }
    loop.advance(milliseconds: 10_000)
    #expect(exchange.bytes.isEmpty)
  }

  /// Returns a loop that requires a token, the fields of a request that waits for revision 2, and the tokens.
  private func protected() throws -> (MemoryLoop<Menu>, fields: [(name: String, value: String)], AccessControl) {
    let token = "write-token-0123456789"
    let tokens = AccessTokens(write: [try AccessToken(token.utf8)], read: [], secret: [UInt8](repeating: 7, count: 192))
    let control = AccessControl(tokens: tokens, clock: { 0 })
    let loop = MemoryLoop(Store(MenuFixture.initial, journal: SharedJournal()), accessControl: control)
    let fields = [
      ("Authorization", "Bearer \(token)"), ("State-Revision", "2"), ("State-History", loop.store.history.text),
    ]
    return (loop, fields, control)
  }

  private static let noTokens = AccessTokens(write: [], read: [], secret: [UInt8](repeating: 7, count: 192))

  @Test func `a read whose token is revoked while it waits is refused`() throws {
    let (loop, fields, control) = try protected()
    let exchange = loop.begin(Request("GET", "/state/time", fields: fields))
    loop.settle()
    #expect(exchange.bytes.isEmpty)
    control.replace(Self.noTokens)
    loop.store.advance(to: loop.store.snapshot.root, revision: 2, [])
    loop.settle()
    #expect(exchange.reader.reply?.outcome == "401 unauthorized")
  }

  @Test func `a stream whose token is revoked while it waits leaves no timer`() throws {
    let (loop, fields, control) = try protected()
    let stream = loop.begin(
      Request("GET", "/state/time", fields: fields + [(name: "Accept", value: "text/event-stream")]))
    loop.settle()
    #expect(stream.isOpen && stream.reader.head?.status == 200)
    control.replace(Self.noTokens)
    loop.settle()
    #expect(!stream.isOpen)
    loop.advance(milliseconds: 60_000)
    #expect(loop.context.nextWorkMilliseconds == .max)
  }

  @Test func `a server that stops ends the reads that wait`() {
    let exchange = get("/time", fields(2))
    loop.responder.willStop()
    loop.settle()
    #expect(exchange.reader.reply?.outcome == "503 unavailable")
  }
}
