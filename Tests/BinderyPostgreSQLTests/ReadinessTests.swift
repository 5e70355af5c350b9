import BinderyCore
import BinderyJournal
import BinderyPostgreSQL
import BinderyService
import BinderySystem
import BinderyTestKit
import Testing

/// What `/readyz` and the log say while the database refuses writes, or does not have the state any more.
struct ReadinessTests {
  private let state: SharedState

  init() throws { state = try SharedState.inOwnDatabase() }

  private func server(_ timeouts: DatabaseTimeouts = .patient) throws -> Replica {
    let replica = try Replica(state, timeouts: timeouts)
    for count in 1...2 { #expect(try replica.patch("/count", "\(count)").status == 200) }
    return replica
  }

  private func run(_ statement: String) throws {
    let editor = try state.storage()
    defer { editor.close() }
    try editor.run(test: statement)
  }

  /// Checks that a server has logged one failure, with a part of its message, and nothing else.
  private func expectOneFailure(_ replica: Replica, _ part: String) throws {
    try replica.log.expectFailure()
    try #require(replica.log.ofFailures.count == 1)
    #expect(replica.log.ofFailures[0].message.contains(part), "\(replica.log.ofFailures)")
    let reply = try replica.readiness()
    #expect(reply.status == 503)
    #expect(reply.string("detail")?.contains(part) == true, "\(reply)")
    #expect(try replica.metric("bindery_journal_up") == 0)
  }

  @Test func `a server is not ready until the database, which was full, stores an append`() throws {
    let replica = try server()
    defer { replica.stop() }
    try run("CREATE SEQUENCE attempts")
    // The number of a sequence survives the error.
    try state.trigger("PERFORM nextval('attempts'); RAISE EXCEPTION 'no space left' USING ERRCODE = '53100'")
    for _ in 1...3 { #expect(try replica.patch("/count", "3").outcome == "507 insufficient-storage") }
    try expectOneFailure(replica, "no space left")
    // It can still be read.
    #expect(try replica.client.get("/readyz?exclude=journal").text == "ready\njournal: excluded\nserver: ok\n")
    // The server tries to append by itself.
    let reader = try state.storage()
    defer { reader.close() }
    try waitUntil { (try? reader.run(test: "SELECT 1 / (last_value > 5)::int FROM attempts")) != nil }
    try expectOneFailure(replica, "no space left")
    // Decisions that store nothing do not need the space.
    #expect(try replica.patch("/count", "2").status == 200)
    #expect(try replica.patch("/count", "3", ["If-Match": "\"other\""]).status == 412)
    #expect(try replica.get("", ["Prefer": "read=newest"]).revision == 2)
    try expectOneFailure(replica, "no space left")
    try state.removeTrigger()
    try waitUntil { try replica.readiness().status == 200 }
    try replica.log.expectEndOfFailure()
    // The attempts of the server have stored nothing.
    #expect(try replica.patch("/count", "3").revision == 3)
  }

  @Test func `a server that cannot append follows the others`() throws {
    let (a, b) = (try server(), try Replica(state))
    defer {
      a.stop()
      b.stop()
    }
    try state.trigger("IF length(NEW.patches) > 1000 THEN RAISE EXCEPTION 'too long'; END IF")
    let text = String(repeating: "x", count: 1_000)
    #expect(try a.patch("/names", "[\"\(text)\"]").status == 503)
    try expectOneFailure(a, "too long")
    #expect(try b.patch("/count", "3").status == 200)
    try waitUntil { try a.get("/count").text == "3" }
    try expectOneFailure(a, "too long")
    #expect(try a.patch("/count", "4").status == 200)
    #expect(try a.readiness().status == 200)
    try a.log.expectEndOfFailure()
  }

  private static let restoration = """
    WITH gone AS (DELETE FROM bindery.batch WHERE last = 2)
    UPDATE bindery.document SET revision = 1, chain = (SELECT chain FROM bindery.batch WHERE last = 1)
    """

  @Test(arguments: [restoration, "DELETE FROM bindery.document"])
  func `a server is not ready any more when an older state was restored, or the state was deleted`(
    _ statement: String
  ) throws {
    let replica = try server()
    defer { replica.stop() }
    try run(statement)
    try waitUntil { try replica.readiness().status != 200 }
    for _ in 1...3 {
      try expectOneFailure(replica, "The database does not have revision 2 of this server")
      #expect(try replica.patch("/count", "3").outcome == "503 unavailable")
    }
    try expectOneFailure(replica, "The database does not have revision 2 of this server")
    // Its state is older than that of others, so reads do not go to it either.
    #expect(try replica.client.get("/readyz?exclude=journal").status == 503)
  }

  @Test func `a server does not follow a state that was restored and then changed`() throws {
    let replica = try server()
    defer { replica.stop() }
    try run(Self.restoration)
    try waitUntil { try replica.readiness().status != 200 }
    // Another server appends two revisions in one transaction, of which the first has the number of one that is lost.
    let other = try state.storage()
    defer { other.close() }
    let revisions = (2...3).map {
      Revision(number: $0, at: 1, patch: Array("[]".utf8), undo: Array("[]".utf8), shown: nil)
    }
    // It does not know the layout of the model.
    try other.run(test: "UPDATE bindery.document SET fence = 0")
    try other.append(revisions)
    for _ in 1...3 {
      #expect(try replica.patch("/count", "3").outcome == "503 unavailable")
      #expect(try replica.get("/count").text == "2")
      try expectOneFailure(replica, "The database does not have revision 2 of this server")
    }
  }

  @Test func `a server is not ready while a lock keeps it from writing`() throws {
    var timeouts = DatabaseTimeouts.patient
    timeouts.lockWait = 100
    let replica = try server(timeouts)
    defer { replica.stop() }
    let editor = try state.storage()
    defer { editor.close() }
    try editor.run(test: "SET idle_in_transaction_session_timeout = '1h'")
    try editor.run(test: "BEGIN")
    try editor.run(test: "SELECT 1 FROM bindery.document FOR UPDATE")
    #expect(try replica.patch("/count", "3").outcome == "503 unavailable")
    try expectOneFailure(replica, "lock timeout")
    #expect(try replica.patch("/count", "3").outcome == "503 unavailable")
    try expectOneFailure(replica, "lock timeout")
    try editor.run(test: "COMMIT")
    try waitUntil { try replica.readiness().status == 200 }
    try replica.log.expectEndOfFailure()
    #expect(try replica.patch("/count", "3").revision == 3)
  }

  @Test func `a write whose connection an administrator ends is made again`() throws {
    let replica = try server()
    defer { replica.stop() }
    try run("CREATE SEQUENCE attempts")
    try state.trigger(
      "IF nextval('attempts') = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF", atCommit: true)
    let reply = try replica.patch("/count", "3")
    #expect(reply.status == 200 && reply.revision == 3, "\(reply)")
    #expect(replica.log.ofFailures.isEmpty)
  }

  @Test func `the reason why the database refuses connections is reported without a write`() throws {
    let replica = try server(.short)
    defer { replica.stop() }
    let name = try #require(state.url.split(separator: "/").last)
    let editor = try SharedState().storage()
    defer { editor.close() }
    try editor.run(test: "ALTER DATABASE \(name) SET default_transaction_read_only = on")
    replica.proxy.cut()
    try waitUntil { try replica.readiness().string("detail")?.contains("session is read-only") == true }
    try replica.log.expectFailure()
    try editor.run(test: "ALTER DATABASE \(name) RESET default_transaction_read_only")
    try waitUntil { try replica.readiness().status == 200 }
    try replica.log.expectEndOfFailure()
  }
}
