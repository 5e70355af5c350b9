import BinderyCore
import BinderyJournal
import BinderySQLite
import Synchronization
import Testing

/// The journal's thread over a log that fails as it is told to.
struct StorageJournalTests {
  private let script = Script()
  private let store: Store<Notes>
  private let journal: StorageJournal<Notes, ScriptedStorage<MemoryStorage>>
  /// Tells when trouble begins and when it has passed.
  private let troubles: AsyncStream<JournalFailure?>

  init() throws {
    let log = MemoryStorage()
    let recovery = try Recovery(from: log) { Notes() }
    let (troubles, teller) = AsyncStream<JournalFailure?>.makeStream()
    self.troubles = troubles
    journal = try StorageJournal(ScriptedStorage(log, script), recovery) { teller.yield($0) }
    store = Store(recovery.root, revision: recovery.revision, journal: journal)
    try journal.start(store)
  }

  private func write(_ number: Int) async throws { try await store.commit { $0.counts["k"] = number } }

  private func refused(_ number: Int) async -> String {
    do {
      try await write(number)
      return "kept"
    } catch CommitError.notKept(let reason) {
      return reason
    } catch {
      return "\(error)"
    }
  }

  @Test func `a commit returns when it is kept`() async throws {
    defer { journal.stop() }
    try await write(1)
    #expect(store.revision == 1)
    #expect(script.batches == [1])
  }

  @Test func `many writers share transactions`() async throws {
    defer { journal.stop() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<500 {
        group.addTask { try await store.commit { $0.counts["k\(number % 10)", default: 0] += number } }
      }
      try await group.waitForAll()
    }
    #expect(store.revision == 500)
    #expect(script.batches.reduce(0, +) == 500)
  }

  @Test func `a refused batch leaves the state as it was, and the next is tried`() async throws {
    defer { journal.stop() }
    try await write(1)
    script.fail(.refused(.full("no room")))
    #expect(await refused(2) == "no room")
    #expect(store.snapshot.root.counts == ["k": 1])
    #expect(store.revision == 1)
    try await write(3)
    #expect(store.revision == 2)
    #expect(journal.trouble == nil)
  }

  @Test func `after an error of unknown outcome the log decides that it was kept`() async throws {
    defer { journal.stop() }
    script.fail(.kept)
    try await write(1)
    #expect(store.revision == 1)
    try await write(2)
    #expect(store.revision == 2)
  }

  @Test func `after an error of unknown outcome the log decides that it was lost`() async throws {
    defer { journal.stop() }
    script.fail(.lost)
    #expect(await refused(1) == "lost")
    #expect(store.revision == 0)
    try await write(2)
    #expect(store.revision == 1)
  }

  @Test func `while the outcome is not known nothing is written, and what was kept shows when it is`() async throws {
    defer { journal.stop() }
    var troubles = troubles.makeAsyncIterator()
    script.isGone = true
    script.fail(.kept)
    #expect(await refused(1) == "gone")
    #expect(await troubles.next() == .unavailable("gone"))
    #expect(await refused(2) == "gone")
    #expect(script.batches == [1])
    #expect(store.revision == 0)
    script.isGone = false
    #expect(await troubles.next() == .some(nil))
    #expect(store.revision == 1)
    #expect(store.snapshot.root.counts == ["k": 1])
    try await write(3)
    #expect(store.revision == 2)
  }

  @Test func `trouble passes without a writer`() async throws {
    defer { journal.stop() }
    var troubles = troubles.makeAsyncIterator()
    script.fail(.refused(.full("no room")))
    #expect(await refused(1) == "no room")
    #expect(await troubles.next() == .full("no room"))
    #expect(await troubles.next() == .some(nil))
    #expect(journal.trouble == nil)
  }

  @Test func `the history is told on the journal's thread`() async throws {
    defer { journal.stop() }
    for number in 1...5 { try await write(number) }
    let page = await withCheckedContinuation { continuation in
      journal.revisions(after: 2, limit: 2) { continuation.resume(returning: $0) }
    }
    #expect(try page.get().revisions.map(\.number) == [3, 4])
    #expect(try page.get().oldest == 1)
  }

  @Test func `a long log is folded into snapshots while it grows`() async throws {
    let folder = try TemporaryFolder()
    let long = String(repeating: "x", count: 4_000)
    var last: Notes?
    do {
      let log = try SQLiteStorage(folder("store.db"))
      let recovery = try Recovery(from: log) { Notes() }
      let journal = try StorageJournal(log, recovery, retention: Retention(revisions: 20))
      let store = Store(recovery.root, journal: journal)
      try journal.start(store)
      for number in 0..<320 {
        try await store.commit { $0.notes.update(Note(id: number % 50, text: "\(number)" + long, stars: number)) }
      }
      last = store.snapshot.root
      journal.stop()
    }
    let log = try SQLiteStorage(folder("store.db"))
    defer { log.close() }
    let recovery = try #require(try Recovery<Notes>(of: log))
    #expect(recovery.revision == 320)
    #expect(recovery.replayed < 300)
    #expect(Notes.shape.areSame(recovery.root, try #require(last)))
  }
}
