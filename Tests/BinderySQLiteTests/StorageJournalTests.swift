import BinderyCore
import BinderyJournal
import BinderySQLite
import Synchronization
import Testing

/// The journal's thread with a storage that fails on demand.
struct StorageJournalTests {
  private let script = Script()
  private let store: Store<Notes>
  private let journal: StorageJournal<Notes, ScriptedStorage<MemoryStorage>>
  /// The failure when writes begin to fail, and nil when they succeed again.
  private let healthChanges: AsyncStream<JournalFailure?>

  init() throws {
    let storage = MemoryStorage()
    let recovery = try Recovery(from: storage) { Notes() }
    let (healthChanges, continuation) = AsyncStream<JournalFailure?>.makeStream()
    self.healthChanges = healthChanges
    journal = try StorageJournal(ScriptedStorage(storage, script), recovery) { continuation.yield($0) }
    store = Store(recovery.root, revision: recovery.revision, journal: journal)
    try journal.start(store)
  }

  /// Commits a number as a count.
  private func write(_ number: Int) async throws { try await store.commit { $0.counts["k"] = number } }

  /// Commits a number and returns the reason of the failure; "stored" if the commit succeeds.
  private func failureReason(ofWriting number: Int) async -> String {
    do {
      try await write(number)
      return "stored"
    } catch CommitError.notStored(let reason) {
      return reason
    } catch {
      return "\(error)"
    }
  }

  @Test func `a commit returns after it is stored`() async throws {
    defer { journal.stop() }
    try await write(1)
    #expect(store.revision == 1)
    #expect(script.batches == [1])
  }

  @Test func `concurrent writers share transactions`() async throws {
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

  @Test func `a rejected batch leaves the state unchanged and the next batch is written`() async throws {
    defer { journal.stop() }
    try await write(1)
    script.fail(.refused(.full("no room")))
    #expect(await failureReason(ofWriting: 2) == "no room")
    #expect(store.snapshot.root.counts == ["k": 1])
    #expect(store.revision == 1)
    try await write(3)
    #expect(store.revision == 2)
    #expect(journal.failure == nil)
  }

  @Test func `after a failure of unknown outcome, a commit found in the storage is published`() async throws {
    defer { journal.stop() }
    script.fail(.stored)
    try await write(1)
    #expect(store.revision == 1)
    try await write(2)
    #expect(store.revision == 2)
  }

  @Test func `after a failure of unknown outcome, a commit missing from the storage is discarded`() async throws {
    defer { journal.stop() }
    script.fail(.notStored)
    #expect(await failureReason(ofWriting: 1) == "not stored")
    #expect(store.revision == 0)
    try await write(2)
    #expect(store.revision == 1)
  }

  @Test func `nothing is written until an unknown outcome is resolved`() async throws {
    defer { journal.stop() }
    var healthChanges = healthChanges.makeAsyncIterator()
    script.isUnavailable = true
    script.fail(.stored)
    #expect(await failureReason(ofWriting: 1) == "cannot open")
    #expect(await healthChanges.next() == .unavailable("cannot open"))
    #expect(await failureReason(ofWriting: 2) == "cannot open")
    #expect(script.batches == [1])
    #expect(store.revision == 0)
    script.isUnavailable = false
    #expect(await healthChanges.next() == .some(nil))
    #expect(store.revision == 1)
    #expect(store.snapshot.root.counts == ["k": 1])
    try await write(3)
    #expect(store.revision == 2)
  }

  @Test func `the journal recovers without a writer`() async throws {
    defer { journal.stop() }
    var healthChanges = healthChanges.makeAsyncIterator()
    script.fail(.refused(.full("no room")))
    #expect(await failureReason(ofWriting: 1) == "no room")
    #expect(await healthChanges.next() == .full("no room"))
    #expect(await healthChanges.next() == .some(nil))
    #expect(journal.failure == nil)
  }

  @Test func `the journal's thread reads the history`() async throws {
    defer { journal.stop() }
    for number in 1...5 { try await write(number) }
    let page = await withCheckedContinuation { continuation in
      journal.revisions(after: 2, limit: 2) { continuation.resume(returning: $0) }
    }
    #expect(try page.get().revisions.map(\.number) == [3, 4])
    #expect(try page.get().oldest == 1)
  }

  @Test func `snapshots replace revisions while commits continue`() async throws {
    let folder = try TemporaryFolder()
    let longText = String(repeating: "x", count: 4_000)
    var expected: Notes?
    do {
      let storage = try SQLiteStorage(folder("store.db"))
      let recovery = try Recovery(from: storage) { Notes() }
      let journal = try StorageJournal(storage, recovery, retention: Retention(revisions: 20))
      let store = Store(recovery.root, journal: journal)
      try journal.start(store)
      for number in 0..<320 {
        try await store.commit { $0.notes.update(Note(id: number % 50, text: "\(number)" + longText, stars: number)) }
      }
      expected = store.snapshot.root
      journal.stop()
    }
    let storage = try SQLiteStorage(folder("store.db"))
    defer { storage.close() }
    let recovery = try #require(try Recovery<Notes>(of: storage))
    #expect(recovery.revision == 320)
    #expect(recovery.replayed < 300)
    #expect(Notes.shape.areSame(recovery.root, try #require(expected)))
  }
}
