import BinderyCore
import BinderyPostgreSQL
import BinderyService
import BinderyTelemetry
import BinderyTestKit
import Testing

/// The metrics of servers that share a state.
struct SharedMetricsTests {
  @Test func `a decision that is made again, and a confirmation, are counted`() throws {
    let state = try SharedState()
    let (a, b) = (try Replica(state), try Replica(state))
    defer {
      a.stop()
      b.stop()
    }
    #expect(try b.metric("bindery_journal_decisions_repeated_total") == 0)
    #expect(try b.metric("bindery_journal_confirmation_duration_seconds_count") == 0)
    b.proxy.set(.withhold)
    #expect(try a.patch("/count", "1").status == 200)
    let write = Request("PATCH", "/state/names", body: Array(#"["b"]"#.utf8))
    let writer = try SocketClient(b.address)
    try writer.begin(write)
    // The write has been decided on the state that server b has.
    try waitUntil { try b.metric("bindery_http_requests_waiting") != 0 }
    b.proxy.set(.forward)
    #expect(try writer.finish(write).revision == 2)
    #expect(try b.metric("bindery_journal_decisions_repeated_total") == 1)
    #expect(try a.metric("bindery_journal_decisions_repeated_total") == 0)
    #expect(try b.get("/count", ["Prefer": "read=newest"]).text == "1")
    #expect(try b.metric("bindery_journal_confirmation_duration_seconds_count") == 1)
  }

  @Test func `a server that cannot see the head says how long it may be behind`() throws {
    let replica = try Replica(SharedState())
    defer { replica.stop() }
    try waitUntil { try replica.metric("bindery_journal_behind_seconds") ?? .infinity < 0.2 }
    replica.proxy.set(.withhold)
    try waitUntil { try replica.metric("bindery_journal_behind_seconds") ?? 0 >= 0.2 }
    replica.proxy.set(.forward)
    try waitUntil { try replica.metric("bindery_journal_behind_seconds") ?? .infinity < 0.2 }
  }

  private func metrics(_ open: OpenStore<Tally>) -> String {
    var exposition = Exposition()
    open.collectMetrics(&exposition)
    return String(decoding: exposition.bytes, as: UTF8.self)
  }

  @Test func `revisions that are appended again are counted, also after the state was opened again`() async throws {
    let state = try SharedState()
    let a = try state.open()
    try await a.store.commit { $0.count = 1 }
    try await a.store.commit { $0.count = 2 }
    #expect(metrics(a).contains("\nbindery_database_revisions_appended_again_total 0\n"))
    // A standby on another timeline that does not have the last revision.
    try state.storage().run(
      test: """
        WITH gone AS (DELETE FROM bindery.batch WHERE document = '\(state.document)' AND last = 2)
        UPDATE bindery.document SET timeline = '00000000', revision = 1, chain = (
          SELECT chain FROM bindery.batch WHERE document = '\(state.document)' AND last = 1)
        WHERE id = '\(state.document)'
        """)
    try await waitUntil { a.replacement?.reason != nil }
    a.close()
    let b = try state.open()
    defer { b.close() }
    #expect(b.store.snapshot.root.count == 2)
    let text = metrics(b)
    #expect(text.contains("\nbindery_database_revisions_appended_again_total 1\n"))
    #expect(text.contains("\nbindery_database_revisions_lost_total{certainty=\"lost\"} 0\n"))
    #expect(text.contains("\nbindery_database_revisions_lost_total{certainty=\"perhaps\"} 0\n"))
  }
}
