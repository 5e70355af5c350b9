import BinderyPostgreSQL
import BinderyTestKit
import Testing

/// Announcements between servers: NOTIFY and LISTEN.
struct NotifierTests {
  private let document = PostgreSQLServer.newDocument()

  private func notifier(
    _ url: String? = nil, document: String? = nil, echoMilliseconds: Int64 = 2_000,
    onRefusal: @escaping @Sendable (String) -> Void = { _ in }
  ) throws -> PostgreSQLNotifier {
    let address = try PostgreSQLAddress(url ?? PostgreSQLServer.shared().url)
    return try PostgreSQLNotifier(
      address, document: document ?? self.document, echoMilliseconds: echoMilliseconds, onRefusal: onRefusal)
  }

  @Test func `an append is announced to the servers of the same state only`() async throws {
    let (a, b, other) = (try notifier(), try notifier(), try notifier(document: PostgreSQLServer.newDocument()))
    defer { for notifier in [a, b, other] { notifier.stop() } }
    let (announcements, input) = AsyncStream.makeStream(of: String.self)
    try other.start { input.yield("other") }
    try b.start { input.yield("b") }
    var iterator = announcements.makeAsyncIterator()
    // Each looks once when it is connected.
    #expect(Set([await iterator.next(), await iterator.next()]) == ["b", "other"])
    // A server that connects announces itself, and finds out in this way that announcements come back.
    try a.start {}
    #expect(await iterator.next() == "b")
    a.announce()
    #expect(await iterator.next() == "b")
    try await waitUntil { a.isListening }
  }

  @Test func `announcements of many appends are sent together`() async throws {
    let (a, b) = (try notifier(), try notifier())
    defer {
      a.stop()
      b.stop()
    }
    let (announcements, input) = AsyncStream.makeStream(of: Int.self)
    try b.start { input.yield(0) }
    var iterator = announcements.makeAsyncIterator()
    // Before it looks for the first time, it would miss that the other one connects.
    _ = await iterator.next()
    try a.start {}
    _ = await iterator.next()
    for _ in 0..<1_000 { a.announce() }
    _ = await iterator.next()
    b.stop()
    input.finish()
    var rest = 0
    while await iterator.next() != nil { rest += 1 }
    #expect(rest < 100)
  }

  @Test func `a connection on which LISTEN has no effect is reported once`() async throws {
    // A connection pool in transaction mode lets LISTEN succeed on a connection that the client then loses.
    let state = try SharedState()
    let (proxy, url) = try state.proxy(replacing: .init("LISTEN bindery", by: "SELECT 1      "))
    defer { proxy.stop() }
    let (reasons, input) = AsyncStream.makeStream(of: String.self)
    let a = try notifier(url, echoMilliseconds: 50) { input.yield($0) }
    defer { a.stop() }
    try a.start {}
    for await reason in reasons {
      #expect(reason.contains("did not arrive"))
      break
    }
    #expect(!a.isListening)
  }
}
