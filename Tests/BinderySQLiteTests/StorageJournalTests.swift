import BinderyCore
import BinderyJournal
import BinderySQLite
import BinderySystem
import BinderyTestKit
import Synchronization
import Testing

/// The journal's thread with a storage that fails on demand.
struct StorageJournalTests {
  private let script = Script()
  private let folder: TemporaryFolder
  private let store: Store<Notes>
  private let journal: StorageJournal<Notes, ScriptedStorage<SQLiteStorage>>
  /// The failure when writes begin to fail, and nil when they succeed again.
  private let healthChanges: AsyncStream<JournalHealthChange>

  init() throws {
    folder = try TemporaryFolder()
    let storage = try SQLiteStorage(folder("store.db"))
    let recovery = try Recovery(from: storage) { Notes() }
    let (healthChanges, continuation) = AsyncStream<JournalHealthChange>.makeStream()
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
    } catch CommitError.unknownOutcome(let reason) {
      return "unknown: \(reason)"
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
    #expect(await failureReason(ofWriting: 1) == "unknown: cannot open")
    #expect(await healthChanges.next() == .failing(.unavailable("cannot open")))
    #expect(await failureReason(ofWriting: 2) == "cannot open")
    #expect(script.batches == [1])
    #expect(store.revision == 0)
    script.isUnavailable = false
    #expect(await healthChanges.next() == .working)
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
    #expect(await healthChanges.next() == .failing(.full("no room")))
    #expect(await healthChanges.next() == .working)
    #expect(journal.failure == nil)
  }

  private struct NotReported: Error {}

  @Test func `writes stay refused while the storage has another revision, which is reported once`() async throws {
    defer { journal.stop() }
    var healthChanges = healthChanges.makeAsyncIterator()
    script.foundRevision = 7
    script.fail(.refused(.full("no room")))
    #expect(await failureReason(ofWriting: 1) == "no room")
    #expect(await healthChanges.next() == .failing(.full("no room")))
    try await waitUntil { [script, journal] in script.probeCount >= 2 || journal.failure == nil }
    #expect(journal.failure?.reason.contains("at revision 7") == true)
    script.foundRevision = nil
    guard case .failingForAnotherReason(let failure) = await healthChanges.next() else { throw NotReported() }
    #expect(failure.reason.contains("at revision 7"))
    // The next change is the recovery: no recovery has been reported so far.
    #expect(await healthChanges.next() == .working)
    #expect(script.probeCount >= 3)
  }

  /// Makes commits of a long text each, calls `start` when all are drafted, and returns how many of them failed.
  private static func failures(
    ofCommits count: Int, bytes: Int, to store: Store<Notes>, _ start: () throws -> Void
  ) async throws -> Int {
    let text = String(repeating: "x", count: bytes)
    let writes = (0..<count).map { number in
      Task { try await store.commit { $0.notes.update(Note(id: number, text: text, stars: 0)) } }
    }
    try await waitUntil { store.pendingCount >= count }
    try start()
    var failures = 0
    for write in writes { if case .failure = await write.result { failures += 1 } }
    return failures
  }

  @Test func `drafts that have gathered are stored in transactions of bounded size`() async throws {
    let script = Script()
    let storage = try SQLiteStorage(folder("other.db"))
    let recovery = try Recovery(from: storage) { Notes() }
    let journal = try StorageJournal(ScriptedStorage(storage, script), recovery)
    let store = Store(recovery.root, journal: journal)
    let failures = try await Self.failures(ofCommits: 10, bytes: 300_000, to: store) { try journal.start(store) }
    defer { journal.stop() }
    #expect(failures == 0)
    // Each revision has two patches for the journal and two for clients.
    #expect(script.batches.reduce(0, +) == 10)
    #expect(script.batches.allSatisfy { $0 <= 4 })
    #expect(store.revision == 10)
  }

  @Test func `a failed transaction discards the drafts that were gathered with it`() async throws {
    let script = Script()
    let storage = try SQLiteStorage(folder("other.db"))
    let recovery = try Recovery(from: storage) { Notes() }
    let journal = try StorageJournal(ScriptedStorage(storage, script), recovery)
    let store = Store(recovery.root, journal: journal)
    script.fail(.stored, .refused(.full("no room")))
    let failures = try await Self.failures(ofCommits: 5, bytes: 2_000_000, to: store) { try journal.start(store) }
    defer { journal.stop() }
    #expect(failures == 4)
    #expect(script.batches == [1, 1])
    #expect(store.revision == 1)
    try await store.commit { $0.counts["k"] = 1 }
    #expect(store.revision == 2)
  }

  @Test func `a stop does not wait for the rest of a snapshot`() throws {
    let script = Script()
    let folder = try TemporaryFolder()
    let storage = try SQLiteStorage(folder("store.db"))
    let text = String(repeating: "x", count: 1_000)
    let large = Notes(notes: .init(uniquing: (0..<2_000).map { Note(id: $0, text: text, stars: 0) }))
    // The snapshot has the members of the model in another order: a snapshot is due at the start.
    let lines = LayoutChanges.text(of: ModelDefinition<Notes>()).split(separator: "\n")
    try storage.finish(
      piece: Notes.shape.stored(large), number: 0, ofSnapshotAt: 0, layout: lines.reversed().joined(separator: "\n"))
    try storage.append([Revision(number: 1, at: 0, from: large, to: large, Notes.shape)])
    let recovery = try #require(try Recovery<Notes>(of: storage))
    let journal = try StorageJournal(ScriptedStorage(storage, script), recovery)
    let stopper = Mutex<BinderySystem.Thread?>(nil)
    script.onPiece = {
      // Only the first piece is written before the stop.
      guard stopper.withLock({ $0 }) == nil else { return }
      stopper.withLock { $0 = try? BinderySystem.Thread { journal.stop() } }
      try? waitUntil(seconds: nil) { journal.isStopping }
    }
    try journal.start(Store(recovery.root, revision: 1, journal: journal))
    try waitUntil { stopper.withLock { $0 } != nil }
    stopper.withLock { $0 }?.join()
    #expect(script.pieces.count == 1)
    let reopened = try SQLiteStorage(folder("store.db"))
    defer { reopened.close() }
    #expect(try Recovery<Notes>(of: reopened)?.root.notes.count == 2_000)
  }

  @Test func `the snapshot of a changed model is attempted again while another server leads`() async throws {
    let script = Script()
    let storage = try SQLiteStorage(folder("other.db"))
    let lines = LayoutChanges.text(of: ModelDefinition<Notes>()).split(separator: "\n")
    try storage.finish(
      piece: Notes.shape.stored(Notes()), number: 0, ofSnapshotAt: 0, layout: lines.reversed().joined(separator: "\n"))
    let recovery = try #require(try Recovery<Notes>(of: storage))
    script.refuseLead(times: 2)
    let journal = try StorageJournal(ScriptedStorage(storage, script), recovery)
    let store = Store(recovery.root, journal: journal)
    try journal.start(store)
    for number in 1...400 { try await store.commit { $0.counts["k"] = number } }
    try await waitUntil { !script.pieces.isEmpty }
    journal.stop()
  }

  @Test func `a commit after a failed removal of revisions is stored if the storage works again`() async throws {
    let script = Script()
    let storage = try SQLiteStorage(folder("other.db"))
    let recovery = try Recovery(from: storage) { Notes() }
    let journal = try StorageJournal(ScriptedStorage(storage, script), recovery)
    let store = Store(recovery.root, journal: journal)
    let second = Mutex<Task<CommitResult<Void>, any Error>?>(nil)
    script.onRemoval = { () throws(StorageFailure) in
      guard second.withLock({ $0 }) == nil else { return }
      second.withLock { $0 = Task { try await store.commit { $0.counts["k"] = 2 } } }
      try? waitUntil(seconds: nil) { store.pendingCount > 0 }
      throw StorageFailure.unknown(.unavailable("the file was moved"))
    }
    // The storage has just been reopened when the removal fails.
    script.fail(.stored)
    let first = Task { try await store.commit { $0.counts["k"] = 1 } }
    try await waitUntil { store.pendingCount > 0 }
    try journal.start(store)
    defer { journal.stop() }
    _ = try await first.value
    try await waitUntil { second.withLock { $0 } != nil }
    _ = try await second.withLock { $0 }?.value
    #expect(store.snapshot.root.counts == ["k": 2])
  }

  @Test func `maintenance does not wait for a pause of the writers`() async throws {
    let script = Script()
    let storage = try SQLiteStorage(folder("other.db"))
    let recovery = try Recovery(from: storage) { Notes() }
    let journal = try StorageJournal(ScriptedStorage(storage, script), recovery, retention: Retention(bytes: 1 << 20))
    let store = Store(recovery.root, journal: journal)
    let removals = Atomic(0)
    let snapshots = Atomic(0)
    script.onRemoval = { () throws(StorageFailure) in _ = removals.add(1, ordering: .relaxed) }
    /// Drafts a commit that is pending while the one before it is appended.
    let write: @Sendable (Int) -> Void = { number in
      let text = String(repeating: "\(number % 10)", count: 100_000)
      _ = store.transact(
        { head in
          var root = head.root
          root.notes.update(Note(id: 1, text: text, stars: number))
          return ((), .changed(root))
        }, completion: { _ in })
    }
    script.onAppend = {
      let number = script.batches.count
      if number < 200 { return write(number) }
      snapshots.store(script.pieces.count, ordering: .relaxed)
      script.onRemoval = nil
    }
    try journal.start(store)
    defer { journal.stop() }
    write(0)
    try await waitUntil { store.revision >= 200 }
    #expect(removals.load(ordering: .relaxed) > 2)
    #expect(snapshots.load(ordering: .relaxed) > 0)
  }

  /// Starts a journal and a store whose history another reader reads.
  private func journal(readingThrough reader: some RevisionReader) throws -> (
    StorageJournal<Notes, ScriptedStorage<SQLiteStorage>>, Store<Notes>
  ) {
    let script = Script()
    script.reader = reader
    let storage = try SQLiteStorage(folder("other.db"))
    let recovery = try Recovery(from: storage) { Notes() }
    let journal = try StorageJournal(ScriptedStorage(storage, script), recovery)
    let store = Store(recovery.root, journal: journal)
    try journal.start(store)
    return (journal, store)
  }

  @Test func `reading the history delays no commit`() async throws {
    let gate = Gate()
    let (journal, store) = try journal(readingThrough: gate)
    defer { journal.stop() }
    async let page = withCheckedContinuation { continuation in
      journal.revisions(HistoryQuery(limit: 1)) { continuation.resume(returning: $0) }
    }
    try await waitUntil { gate.isReading }
    for number in 1...3 { try await store.commit { $0.counts["k"] = number } }
    #expect(store.revision == 3)
    gate.open()
    #expect(try await page.get().oldest == 99)
  }

  @Test func `requests for the history that wait while the storage is away fail together`() async throws {
    let gate = Gate(failure: .refused(.unavailable("away")))
    let (journal, _) = try journal(readingThrough: gate)
    defer { journal.stop() }
    let (pages, input) = AsyncStream.makeStream(of: Result<HistoryPage, JournalFailure>.self)
    journal.revisions(HistoryQuery(limit: 1)) { input.yield($0) }
    try await waitUntil { gate.isReading }
    for _ in 1...2 { journal.revisions(HistoryQuery(limit: 1)) { input.yield($0) } }
    gate.open()
    var failures: [JournalFailure] = []
    for await page in pages {
      if case .failure(let failure) = page { failures.append(failure) }
      if failures.count == 3 { break }
    }
    #expect(failures == Array(repeating: .unavailable("away"), count: 3))
    #expect(gate.readCount == 1)
  }

  @Test func `the history is read with its retention`() async throws {
    defer { journal.stop() }
    for number in 1...5 { try await write(number) }
    let page = await withCheckedContinuation { continuation in
      journal.revisions(HistoryQuery(after: 2, limit: 2)) { continuation.resume(returning: $0) }
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

/// A reader of the history that waits until it is opened.
private final class Gate: RevisionReader {
  private let reads = Atomic(0)
  private let opened = Atomic(false)
  private let failure: StorageFailure?

  /// - Parameter failure: The failure of each read; nil to return a page.
  init(failure: StorageFailure? = nil) { self.failure = failure }

  var readCount: Int { reads.load(ordering: .acquiring) }
  var isReading: Bool { readCount > 0 }

  func open() { opened.store(true, ordering: .releasing) }

  func revisions(_ query: HistoryQuery, _ retention: Retention) throws(StorageFailure) -> HistoryPage {
    reads.add(1, ordering: .releasing)
    try? waitUntil(seconds: nil) { opened.load(ordering: .acquiring) }
    if let failure { throw failure }
    return HistoryPage(revisions: [], oldest: 99)
  }
}
