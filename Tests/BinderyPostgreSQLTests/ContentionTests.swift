import BinderyCore
import BinderyJournal
import BinderyPostgreSQL
import BinderyTestKit
import Synchronization
import Testing

/// Several servers append at the same time.
struct ContentionTests {
  /// A server whose first append is overtaken by another one, which also commits before the first lock.
  private struct Rig {
    let store: Store<Tally>
    let journal: StorageJournal<Tally, PostgreSQLStorage>
    private let statements = Statements()

    /// The statements that a journal sends.
    private final class Statements: Sendable {
      let all = Mutex<[String]>([])
    }

    /// - Parameter contention: The time after which the server no longer competes, in milliseconds.
    init(contention: Int64 = 600_000) throws {
      let state = try SharedState()
      let storage = try state.storage()
      // However long the tasks of this test wait for a thread.
      (storage.timeouts.lock, storage.timeouts.contention, storage.timeouts.answer) = (600_000, contention, 600_000)
      try storage.run(test: "SET idle_in_transaction_session_timeout = '1h'")
      let recovery = try Recovery(from: storage) { Tally() }
      let other = Mutex(try state.storage())
      let kinds = ["bindery.append", "BEGIN", "COMMIT", "ROLLBACK"]
      storage.interrupt = { [statements] statement in
        guard let kind = kinds.first(where: statement.contains) else { return nil }
        let count = statements.all.withLock { all in
          all.append(kind)
          return all.count
        }
        if count <= 2 { other.withLock { overtake(with: $0, revision: count) } }
        return nil
      }
      journal = try StorageJournal(storage, recovery)
      store = Store(recovery.root, journal: journal)
      try journal.start(store)
    }

    /// The transactions and appends so far.
    var sent: [String] { statements.all.withLock { $0 } }
  }

  private static func overtake(with storage: PostgreSQLStorage, revision: Int) {
    let patch = Array(#"[{"op":"replace","path":"/count","value":\#(revision)0}]"#.utf8)
    #expect(throws: Never.self) {
      _ = try storage.checkHead()
      try storage.append([Revision(number: revision, at: 1, patch: patch, undo: Array("[]".utf8), shown: nil)])
    }
  }

  /// Waits until the outcome of a decision is known.
  private func outcome(of revision: Int, in epoch: CommitEpoch, _ store: Store<Tally>) throws -> CommitOutcome {
    var outcome = CommitOutcome.pending
    try waitUntil {
      outcome = store.outcome(of: revision, in: epoch)
      if case .pending = outcome { return false } else { return true }
    }
    return outcome
  }

  @Test func `a server that was overtaken locks the head before it appends again`() async throws {
    let rig = try Rig()
    defer { rig.journal.stop() }
    try await rig.store.commit { $0.count += 1 }
    #expect(rig.store.snapshot.root.count == 21)
    #expect(rig.sent == ["bindery.append", "BEGIN", "bindery.append", "COMMIT"])
  }

  @Test func `while servers compete, an event loop decides only when its server has locked the head`() async throws {
    let rig = try Rig()
    defer { rig.journal.stop() }
    #expect(rig.store.deferDecision() == nil)
    try await rig.store.commit { $0.count += 1 }
    let deferred = try #require(rig.store.deferDecision())
    rig.store.wakeJournal()
    guard case .failed(.overtaken) = try outcome(of: .max, in: deferred, rig.store) else {
      Issue.record("the decision is not made again")
      return
    }
    #expect(rig.store.deferDecision() == nil)
    var epoch: CommitEpoch?
    let version = rig.store.commitDraft(&epoch) { head, _ in head.next(Tally(count: head.root.count + 1)) }
    deferred.closeDecision()
    rig.store.wakeJournal()
    guard case .published = try outcome(of: version.revision, in: try #require(epoch), rig.store) else {
      Issue.record("the decision is not stored")
      return
    }
    #expect(rig.store.snapshot.root.count == 22)
    // One transaction for each: nothing was appended that another server had overtaken.
    #expect(rig.sent == ["bindery.append", "BEGIN", "bindery.append", "COMMIT", "BEGIN", "bindery.append", "COMMIT"])
  }

  @Test func `a deferred decision is made although the server competes no longer`() async throws {
    let rig = try Rig(contention: -1)
    defer { rig.journal.stop() }
    try await rig.store.commit { $0.count += 1 }
    let deferred = try #require(rig.store.deferDecision())
    // A write that was not deferred locks the head first, and finds that no other server has committed.
    try await rig.store.commit { $0.count += 1 }
    guard case .failed(.overtaken) = try outcome(of: .max, in: deferred, rig.store) else {
      Issue.record("the decision is not made")
      return
    }
    deferred.closeDecision()
    rig.store.wakeJournal()
    #expect(rig.store.snapshot.root.count == 22)
  }
}
