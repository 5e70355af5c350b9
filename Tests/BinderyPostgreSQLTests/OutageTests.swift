import BinderyCore
import BinderyJournal
import BinderyPostgreSQL
import BinderyService
import BinderySystem
import BinderyTestKit
import Testing

/// The database cannot be reached.
struct OutageTests {
  private func server(_ timeouts: DatabaseTimeouts = .patient) throws -> Replica {
    let replica = try Replica(SharedState(), timeouts: timeouts)
    #expect(try replica.patch("/count", "1").status == 200)
    return replica
  }

  /// Lets a server lose its connections, and waits until it knows.
  private func interrupt(_ replica: Replica) throws {
    replica.proxy.set(.refuse)
    replica.proxy.cut()
    try waitUntil { try metrics(replica).contains("\nbindery_database_up 0\n") }
  }

  private func metrics(_ replica: Replica) throws -> String {
    try replica.client.send(Request("GET", "/metrics")).text
  }

  @Test func `a write waits for a database that is away for a short time`() throws {
    let replica = try server()
    defer { replica.stop() }
    try interrupt(replica)
    let client = try SocketClient(replica.address)
    let write = Request("PATCH", "/state/count", body: Array("2".utf8))
    try client.begin(write)
    // Reads go on.
    #expect(try replica.get("/count").text == "1")
    replica.proxy.set(.forward)
    #expect(try client.finish(write).status == 200)
    #expect(try metrics(replica).contains("\nbindery_database_up 1\n"))
  }

  @Test func `a host that does not answer is skipped when a store is opened`() throws {
    let state = try SharedState()
    // The kernel accepts connections, but no process reads from them.
    let silent = try Listener(address: .internet(host: "127.0.0.1", port: 0))
    let url = state.url.replacing("@", with: "@\(silent.address),")
    let driver = PostgreSQLStore(url, document: state.document)
    for count in 1...2 {
      let model = ModelDefinition<Tally>()
      _ = try driver.replaceState(of: model) { Tally(count: ($0?.count ?? 0) + 1) }
      #expect(try driver.export(model, reportLoss: { _ in }) == model.shape.stored(Tally(count: count)))
    }
  }

  @Test func `writes wait 2 seconds for the database, and a server is not ready after 5 seconds without it`() {
    #expect(DatabaseTimeouts().patience == 2_000)
    #expect(DatabaseTimeouts().silence == 5_000)
  }

  @Test func `writes get 503 while the database is away, and succeed when it is back`() throws {
    let replica = try server(.short)
    defer { replica.stop() }
    try interrupt(replica)
    for _ in 0..<2 {
      let refused = try replica.patch("/count", "2")
      #expect(refused.outcome == "503 unavailable")
      #expect(refused["Retry-After"] != nil)
      #expect(refused.string("detail")?.hasSuffix("Nothing was changed.") == true)
    }
    replica.proxy.set(.forward)
    try waitUntil { try replica.patch("/count", "3").status != 503 }
    #expect(try replica.get("/count").text == "3")
  }

  @Test func `a server is not ready when the database has been away for a time`() throws {
    let (patient, replica) = (try server(), try server(.short))
    defer {
      patient.stop()
      replica.stop()
    }
    try interrupt(patient)
    #expect(try patient.client.send(Request("GET", "/readyz")).status == 200)
    try interrupt(replica)
    try waitUntil { try replica.readiness().string("detail")?.contains("Cannot connect to the database: ") == true }
    #expect(try replica.metric("bindery_journal_up") == 0)
    // No client writes, and the log says when the outage begins and ends.
    try replica.log.expectFailure()
    replica.proxy.set(.forward)
    try waitUntil { try replica.readiness().status == 200 }
    try replica.log.expectEndOfFailure()
    #expect(patient.log.ofFailures.isEmpty)
  }

  @Test func `a server that cannot connect waits before it tries again`() throws {
    let state = try SharedState()
    let (proxy, url) = try state.proxy()
    defer { proxy.stop() }
    let storage = try SharedState(url: url, document: state.document).storage()
    proxy.set(.refuse)
    proxy.cut()
    let before = proxy.acceptedCount
    for _ in 1...200 {
      // As the journal does while no writer waits, with less patience.
      storage.wait(until: Clock.monotonicMilliseconds + 5)
      #expect(throws: StorageFailure.self) { try storage.run(test: "SELECT 1") }
    }
    #expect(proxy.acceptedCount - before < 100)
  }

  @Test func `a newer version of the program stops the writes of an older one, which still reads`() throws {
    let state = try SharedState()
    let replica = try Replica(state)
    defer { replica.stop() }
    #expect(try replica.patch("/count", "1").status == 200)
    // What a version with another layout does before it writes.
    let newer = try state.storage()
    func setFormat(_ format: Int) throws {
      let change = "UPDATE bindery.document SET format = \(format), token = token + 1"
      try newer.run(test: "\(change) WHERE id = '\(state.document)'")
    }
    try setFormat(2)
    let refused = try replica.patch("/count", "2")
    #expect(refused.outcome == "503 unavailable")
    #expect(refused.string("detail")?.contains("format 2 of another version") == true, "\(refused)")
    #expect(try replica.get("/count").text == "1")
    var reply = try replica.client.send(Request("GET", "/readyz"))
    try waitUntil {
      reply = try replica.client.send(Request("GET", "/readyz"))
      return reply.status != 200
    }
    #expect(reply.string("detail")?.contains("format 2 of another version") == true, "\(reply)")
    try setFormat(1)
    try waitUntil { try replica.client.send(Request("GET", "/readyz")).status == 200 }
    #expect(try replica.patch("/count", "3").status == 200)
  }
}
