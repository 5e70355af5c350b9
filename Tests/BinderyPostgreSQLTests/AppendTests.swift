import BinderyCore
import BinderyJournal
import BinderyPostgreSQL
import BinderyTestKit
import Testing

/// The rules of the log that several servers append to.
struct AppendTests {
  private func revision(_ number: Int, _ text: String = "[]") -> Revision {
    Revision(number: number, at: 1, patch: Array(text.utf8), undo: Array("[]".utf8), shown: nil)
  }

  /// Opens a storage with an initial snapshot, and a second one of another server.
  private func storages(_ state: SharedState) throws -> (PostgreSQLStorage, PostgreSQLStorage) {
    let a = try state.storage()
    try a.finish(piece: [1], number: 0, ofSnapshotAt: 0, layout: "x")
    return (a, try state.storage())
  }

  @Test func `of two servers that append the same batch, one is overtaken`() throws {
    let (a, b) = try storages(SharedState())
    try a.append([revision(1)])
    #expect(throws: StorageFailure.overtaken) { try b.append([revision(1)]) }
    guard case .advanced(let batches) = try b.checkHead() else {
      Issue.record("the head has not advanced")
      return
    }
    #expect(batches.flatMap(\.revisions) == [revision(1)])
    try b.append([revision(2)])
    #expect(throws: StorageFailure.overtaken) { try a.append([revision(2)]) }
  }

  @Test func `a start that drops values continues after the state that it has read`() throws {
    let state = try SharedState()
    let (a, b) = (try state.storage(), try state.storage())
    let first = NotedTally()
    _ = try Recovery(from: a) { first }
    func revision(_ number: Int) -> Revision {
      let (before, after) = (NotedTally(count: number - 1), NotedTally(count: number))
      return Revision(number: number, at: 1, from: before, to: after, NotedTally.shape)
    }
    try a.append([revision(1)])
    // The other server writes while this one reads.
    var isOvertaken = false
    b.interrupt = { statement in
      if statement.contains("bindery.batch"), !isOvertaken {
        isOvertaken = true
        try? a.append([revision(2)])
      }
      return nil
    }
    let recovery = try #require(try Recovery<Counter>(of: b))
    #expect(isOvertaken && recovery.revision == 1 && recovery.root.count == 1)
    #expect(throws: StorageFailure.overtaken) { try b.append([revision(2)]) }
  }

  @Test func `an append of unknown outcome is found, also behind the batches of other servers`() throws {
    let (a, b) = try storages(SharedState())
    a.interrupt = { $0.contains("SELECT bindery.append") ? .afterStatement : nil }
    #expect(throws: StorageFailure.self) { try a.append([revision(1, "[1]")]) }
    _ = try b.checkHead()
    try b.append([revision(2, "[2]")])
    a.interrupt = nil
    #expect(try a.reopen() == 1)
    guard case .advanced(let batches) = try a.checkHead() else {
      Issue.record("the batch of the other server is missing")
      return
    }
    #expect(batches.flatMap(\.revisions).map(\.number) == [2])
  }

  @Test func `an append of unknown outcome whose row was removed leads to the newest state`() throws {
    let (a, b) = try storages(SharedState())
    a.interrupt = { $0.contains("SELECT bindery.append") ? .afterStatement : nil }
    #expect(throws: StorageFailure.self) { try a.append([revision(1)]) }
    _ = try b.checkHead()
    for number in 2...5 { try b.append([revision(number)]) }
    try b.finish(piece: [1], number: 0, ofSnapshotAt: 5, layout: "x")
    while try b.removeExpired(Retention(revisions: 1), atMost: JournalStep.bytes) {}
    a.interrupt = nil
    // The writers must not take it for an append that was certainly not stored.
    #expect(throws: StorageFailure.self) { try a.reopen() }
    #expect(try a.reopen() == 0)
    guard case .forgotten = try a.checkHead() else {
      Issue.record("the newest state is not loaded")
      return
    }
  }

  @Test func `long batches are read a few at a time`() throws {
    let (a, b) = try storages(SharedState())
    let text = "[" + String(repeating: " ", count: 3_000_000) + "]"
    for number in 1...4 { try b.append([revision(number, text)]) }
    guard case .advanced(let batches) = try a.checkHead() else {
      Issue.record("the batches are missing")
      return
    }
    #expect(batches.flatMap(\.revisions).map(\.number) == [1, 2, 3, 4])
    #expect(batches.allSatisfy { $0.revisions[0].patch == Array(text.utf8) })
  }

  @Test func `an equal batch of another server is not taken for an append of unknown outcome`() throws {
    let (a, b) = try storages(SharedState())
    a.interrupt = { $0.contains("SELECT bindery.append") ? .beforeStatement : nil }
    #expect(throws: StorageFailure.self) { try a.append([revision(1)]) }
    try b.append([revision(1)])
    a.interrupt = nil
    #expect(try a.reopen() == 0)
    #expect(throws: StorageFailure.overtaken) { try a.append([revision(1)]) }
  }

  @Test func `after a verdict of another server an append needs the new token, which it reads`() throws {
    let (a, b) = try storages(SharedState())
    #expect(try b.reopen() == 0)
    try a.append([revision(1)])
    guard case .advanced = try b.checkHead() else {
      Issue.record("the append is missing")
      return
    }
  }

  @Test func `a server that holds the lock of the head is not overtaken`() throws {
    let (a, b) = try storages(SharedState())
    guard case .unchanged = try a.lockHead() else {
      Issue.record("the head has advanced")
      return
    }
    // Waits for the lock until this timeout.
    try b.run(test: "SET lock_timeout = '50ms'")
    #expect {
      try b.append([revision(1)])
    } throws: { error in
      (error as? StorageFailure)?.failure.reason.contains("lock timeout") == true
    }
    try a.append([revision(1)])
    #expect(throws: StorageFailure.overtaken) { try b.append([revision(1)]) }
    // The lock has ended with the append.
    _ = try b.checkHead()
    try b.append([revision(2)])
  }

  @Test func `one server writes snapshots for all until it has not done so for a minute`() throws {
    let state = try SharedState()
    let (a, b) = try storages(state)
    #expect(try a.leadsMaintenance())
    #expect(try !b.leadsMaintenance())
    #expect(try a.leadsMaintenance())
    try a.run(test: "UPDATE bindery.lease SET until = now() - interval '1 s' WHERE document = '\(state.document)'")
    #expect(try b.leadsMaintenance())
    #expect(try !a.leadsMaintenance())
  }

  @Test func `the time of commits is that of the database`() throws {
    let state = try SharedState()
    let (a, _) = try storages(state)
    // A clock that is a day ahead, for connections that look there first.
    try a.run(
      test: """
        CREATE OR REPLACE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS
        $$ SELECT pg_catalog.clock_timestamp() + interval '1 day' $$
        """)
    let b = try SharedState(
      url: state.url + "?options=-csearch_path%3Dpublic,pg_catalog", document: state.document
    ).storage()
    let difference = b.wallMilliseconds - a.wallMilliseconds
    #expect(abs(difference - 86_400_000) < 60_000)
  }

  @Test func `a server that runs without fsync is refused`() throws {
    let state = try SharedState()
    let editor = try state.storage()
    // The answer of such a server, for connections that look there first.
    try editor.run(test: "CREATE SCHEMA IF NOT EXISTS unsafe")
    try editor.run(
      test: """
        CREATE OR REPLACE FUNCTION unsafe.current_setting(name text) RETURNS text LANGUAGE sql AS
        $$ SELECT CASE WHEN name = 'fsync' THEN 'off' ELSE pg_catalog.current_setting(name) END $$
        """)
    #expect {
      try SharedState(url: state.url + "?options=-csearch_path%3Dunsafe,pg_catalog").storage()
    } throws: { error in
      (error as? StorageFailure)?.failure.reason.contains("fsync") == true
    }
  }

  @Test func `a new history stops the servers that have the previous one`() throws {
    let (a, b) = try storages(SharedState())
    // As a server does, which starts again; a command reads the state again.
    b.onOtherHistory = { _, _ in }
    try a.beginHistory()
    for operation in [{ _ = try b.checkHead() }, { try b.append([revision(1)]) }, { _ = try b.probe() }] {
      #expect {
        try operation()
      } throws: { error in
        (error as? StorageFailure)?.failure.reason.contains("this server starts again") == true
      }
    }
    try a.append([revision(1)])
  }
}
