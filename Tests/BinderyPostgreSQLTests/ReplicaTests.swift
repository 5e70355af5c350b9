import BinderyCore
import BinderyDigest
import BinderyJournal
import BinderyPostgreSQL
import BinderySQLite
import BinderyService
import BinderySystem
import BinderyTestKit
import Foundation
import Testing

/// Several servers commit to the same state.
struct ReplicaTests {
  /// Waits until the published state of a server fulfills a condition.
  private func wait(for store: Store<Tally>, _ condition: (Tally) -> Bool) async {
    for await value in store.values(at: store.model.root) where (try? value.get()).map(condition) == true { return }
  }

  @Test func `the first server creates the state, and the others load it`() async throws {
    let state = try SharedState()
    let a = try state.open()
    defer { a.close() }
    try await a.store.commit { $0.count = 7 }
    let b = try state.open()
    defer { b.close() }
    #expect(b.store.snapshot.root.count == 7)
    #expect(b.store.revision == 1)
    #expect(b.store.history == a.store.history)
    #expect(try b.store.entityTag(of: b.store.model.root) == a.store.entityTag(of: a.store.model.root))
  }

  @Test func `a commit of one server is published by the others`() async throws {
    let state = try SharedState()
    let (a, b) = (try state.open(), try state.open())
    defer {
      a.close()
      b.close()
    }
    try await a.store.commit { $0.names = ["x"] }
    await wait(for: b.store) { $0.names == ["x"] }
    #expect(b.store.revision == 1)
    try await b.store.commit { $0.names.append("y") }
    await wait(for: a.store) { $0.names == ["x", "y"] }
  }

  @Test func `increments of three servers at the same time are all kept`() async throws {
    let state = try SharedState()
    let servers = [try state.open(), try state.open(), try state.open()]
    defer { for server in servers { server.close() } }
    let (writers, increments) = (4, 25)
    try await withThrowingTaskGroup { group in
      for server in servers {
        for _ in 0..<writers {
          group.addTask {
            for _ in 0..<increments { try await server.store.commit { $0.count += 1 } }
          }
        }
      }
      try await group.waitForAll()
    }
    let total = servers.count * writers * increments
    for server in servers { await wait(for: server.store) { $0.count == total } }
    #expect(servers.map(\.store.revision) == [total, total, total])
  }

  @Test func `a condition is decided on the newest state, also on a server that is behind`() async throws {
    let state = try SharedState()
    let (a, b) = (try state.open(), try state.open())
    defer {
      a.close()
      b.close()
    }
    for number in 1...30 {
      try await a.store.commit { $0.count = number }
      // Server b may not have seen the commit yet: it must not say that nothing changes.
      let tag = try a.store.entityTag(of: a.store.model.root)
      let result = try await b.store.commit(ifMatch: tag) { $0.names = ["\(number)"] }
      #expect(result.isChanged)
      let same = try await a.store.commit { $0.names = ["\(number)"] }
      #expect(!same.isChanged)
      #expect(same.revision == result.revision)
    }
  }

  @Test func `an import replaces the state under a new history, and running servers refuse writes`() async throws {
    let state = try SharedState()
    let a = try state.open()
    defer { a.close() }
    try await a.store.commit { $0.count = 1 }
    let model = ModelDefinition<Tally>()
    #expect(try state.driver.replaceState(of: model) { old in Tally(count: (old?.count ?? 0) + 10) } == 2)
    await #expect(throws: CommitError.self) { try await a.store.commit { $0.count = 2 } }
    let b = try state.open()
    defer { b.close() }
    #expect(b.store.snapshot.root.count == 11)
    #expect(b.store.history != a.store.history)
    try await b.store.commit { $0.count = 12 }
  }

  @Test func `the first server after a promotion begins a new history`() async throws {
    let state = try SharedState()
    let a = try state.open()
    defer { a.close() }
    try await a.store.commit { $0.count = 1 }
    // As if the database had been on another timeline until now.
    try state.storage().run(
      test: "UPDATE bindery.document SET timeline = '00000000' WHERE id = '\(state.document)'")
    await #expect(throws: CommitError.self) { try await a.store.commit { $0.count = 2 } }
    let b = try state.open()
    defer { b.close() }
    #expect(b.store.history != a.store.history)
    try await b.store.commit { $0.count = 3 }
    await #expect(throws: CommitError.self) { try await a.store.commit { $0.count = 4 } }
  }

  @Test func `a backup is an SQLite store with the same state, and can be restored`() async throws {
    let state = try SharedState()
    let a = try state.open()
    try await a.store.commit { $0.names = ["x"] }
    let result = KeyedResult(
      key: "k", fingerprint: Digest(high: 0, low: 1), revision: 2, time: Clock.wallMilliseconds / 1_000,
      response: Array("{}".utf8))
    _ = a.store.transact(
      { head in
        var root = head.root
        root.count = 7
        return ((), .changed(root, CommitMetadata(author: "a", keyedResult: result)))
      }, completion: { _ in })
    try await a.store.commit { $0.names = ["y"] }
    // Writes a snapshot, after which the history before it is not needed to open the store.
    a.close()
    let ended = EndedSession(id: [1, 2], expires: Clock.wallMilliseconds / 1_000 + 100)
    try state.storage().end([ended])
    let folder = try TemporaryFolder()
    let path = folder("copy.db")
    try state.driver.backUp(to: path)
    let model = ModelDefinition<Tally>()
    let copy: SQLiteStore = .sqlite(path)
    #expect(try copy.export(model, reportLoss: { _ in }) == state.driver.export(model, reportLoss: { _ in }))
    let stored = try #require(try SQLiteStorage(reading: path))
    #expect(try stored.keyedResults() == [result])
    #expect(try stored.endedSessions() == [ended.id])
    var revisions: [Int] = []
    #expect(stored.forEachPatch(after: 0) { number, _ in revisions.append(number) } == nil)
    #expect(revisions == [1, 2, 3])
    stored.close()
    let other = try SharedState()
    _ = try other.driver.restore(model, from: path)
    #expect(try other.driver.export(model, reportLoss: { _ in }) == state.driver.export(model, reportLoss: { _ in }))
    // Reading a backup leaves no file beside it either.
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["copy.db"])
  }

  @Test func `a store that is closed is released`() async throws {
    let state = try SharedState()
    weak var journal: AnyObject?
    func use() async throws {
      let open = try state.open()
      try await open.store.commit { $0.count = 1 }
      journal = open.history as AnyObject?
      #expect(journal != nil)
      open.close()
    }
    try await use()
    #expect(journal == nil)
  }

  @Test func `a backup of a store without a state fails and leaves no file`() throws {
    let state = try SharedState()
    _ = try state.storage()
    let folder = try TemporaryFolder()
    let error = #expect(throws: StoreDriverError.self) { try state.driver.backUp(to: folder("copy.db")) }
    #expect(error?.kind == .missing)
    #expect(error?.description.contains("contains no state") == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  @Test func `a server whose next batch has been removed loads the snapshot`() async throws {
    let state = try SharedState()
    let b = try state.storage()
    let first = try Recovery(from: b) { Tally() }
    #expect(first.revision == 0)
    let a = try state.storage()
    let recovery = try Recovery<Tally>(from: a) { Tally() }
    var root = recovery.root
    for number in 1...3 {
      let old = root
      root.count = number
      try a.append([Revision(number: number, at: 0, from: old, to: root, Tally.shape)])
    }
    try a.finish(piece: Tally.shape.stored(root), number: 0, ofSnapshotAt: 3, layout: "x")
    while try a.removeExpired(Retention(revisions: 0), atMost: JournalStep.bytes) {}
    guard case .forgotten = try b.checkHead() else {
      Issue.record("the batches are still there")
      return
    }
    #expect(try Recovery<Tally>(of: b)?.root.count == 3)
    b.close()
    a.close()
  }
}
