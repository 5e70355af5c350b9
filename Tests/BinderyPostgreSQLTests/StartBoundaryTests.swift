import BinderyCore
import BinderyDigest
import BinderyJournal
import BinderyPostgreSQL
import BinderyService
import BinderyTestKit
import Testing

/// The connection of a server breaks at each statement that it sends when it starts.
///
/// The start succeeds or is refused, the next one succeeds, and all servers then have the same state.
struct StartBoundaryTests {
  enum Start: String, CaseIterable, Sendable {
    /// There are no tables.
    case first
    /// Another server has written.
    case further
    /// A standby was promoted, and no server has begun a history since.
    case afterPromotion
  }

  /// Breaks each connection of the proxy at the next statement, until a start sends no further one.
  private func check(_ prepare: (SharedState) throws -> Void, _ start: Start, _ shared: SharedState) async throws {
    let (proxy, url) = try shared.messageProxy()
    defer { proxy.stop() }
    let behind = try SharedState(url: url, document: shared.document)
    var (number, count) = (0, 0)
    var isSent = true
    while isSent {
      for cut in MessageProxy.Cut.places(atStatement: number, every: start == .first ? 9 : 3) {
        try prepare(shared)
        if start == .first { count = 0 }
        let history = start == .first ? nil : try shared.storage().history
        proxy.cut([cut])
        let attempt = try? behind.open()
        isSent = proxy.remaining == 0
        proxy.cut([])
        let server = try attempt ?? behind.open()
        defer { server.close() }
        count += 1
        // Fails if the connection broke after the start.
        while (try? await server.store.commit { [count] in $0.count = count }) == nil {}
        let other = try shared.open()
        defer { other.close() }
        #expect(other.store.snapshot.root == server.store.snapshot.root, "\(cut)")
        #expect(other.store.snapshot.root.count == count, "\(cut)")
        #expect(other.store.revision == count, "\(cut)")
        #expect(other.store.history == server.store.history, "\(cut)")
        #expect(other.store.key.secret == server.store.key.secret, "\(cut)")
        if let history { #expect((server.store.history == history) == (start == .further), "\(cut)") }
      }
      number += 1
    }
    // All statements of a start were interrupted.
    #expect(number > 15)
  }

  @Test func `the first start`() async throws {
    try SharedState().storage().run(test: "CREATE DATABASE boundaries")
    let state = try SharedState(url: PostgreSQLServer.shared().url.dropLast("bindery".count) + "boundaries")
    let editor = try state.storage()
    defer { editor.close() }
    try await check({ _ in try editor.run(test: "DROP SCHEMA bindery CASCADE") }, .first, state)
  }

  @Test func `the start of a further server`() async throws {
    let state = try SharedState()
    try state.open().close()
    try await check({ _ in }, .further, state)
  }

  @Test func `the first start after the promotion of a standby`() async throws {
    let state = try SharedState()
    try state.open().close()
    let editor = try SharedState().storage()
    defer { editor.close() }
    try await check(
      { state in
        try editor.run(
          test: "UPDATE bindery.document SET timeline = '00000000' WHERE id = '\(state.document)'")
      }, .afterPromotion, state)
  }
}
