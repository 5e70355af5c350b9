import BinderyCore
import BinderyJournal
import BinderySystem
import Synchronization
import Testing

/// The history of a store in memory, whose revisions are made after the commits.
struct MemoryHistoryTests {
  /// Counts the wake-ups. The test makes the revisions itself.
  private let wakes = Wakes()
  private let clock = ManualClock()
  private let revisions: MemoryRevisions<Notes>
  private let store: Store<Notes>

  private final class Wakes: Sendable {
    let count = Atomic(0)
  }

  private final class ManualClock: Sendable {
    let time = Atomic(Clock.wallMilliseconds)
    func tick() -> Int64 { time.add(1, ordering: .relaxed).newValue }
  }

  init() {
    revisions = MemoryRevisions(
      of: ModelDefinition(), Retention(), ring: VersionRing(clock: { [clock] in clock.tick() }),
      wake: { [wakes] in wakes.count.add(1, ordering: .relaxed) })
    store = Store(Notes(), of: ModelDefinition(), recorder: revisions)
  }

  /// Makes the revisions and returns all of them.
  private func page() throws -> HistoryPage {
    try revisions.revisions(HistoryQuery(limit: 1_000), Retention())
  }

  private func commit(_ numbers: ClosedRange<Int>) {
    for number in numbers { store.post { $0.edit(number) } }
  }

  @Test func `the revisions lead from the first state to the current one and back`() throws {
    let start = clock.time.load(ordering: .relaxed)
    commit(1...100)
    let page = try page()
    #expect(page.revisions.map(\.number) == Array(1...100) && page.oldest == 1)
    #expect(page.revisions.map(\.timestamp) == (1...100).map { start + Int64($0) })
    var state = Notes()
    for revision in page.revisions { try Notes.shape.restore(&state, StoredPatch(parsing: revision.patch)) }
    #expect(Notes.shape.areSame(state, store.snapshot.root))
    for revision in page.revisions.reversed() { try Notes.shape.restore(&state, StoredPatch(parsing: revision.undo)) }
    #expect(Notes.shape.areSame(state, Notes()))
  }

  @Test func `a history without gaps goes on from the last revision that was made`() throws {
    for end in stride(from: 10, through: 400, by: 10) {
      commit(end - 9...end)
      #expect(try page().revisions.map(\.number) == Array(1...end))
    }
  }

  @Test func `after more commits than the store keeps, the latest revisions are there and no older ones`() throws {
    commit(1...100)
    #expect(try page().revisions.count == 100)
    let count = VersionRing.revisions
    commit(101...900)
    let page = try page()
    #expect(page.revisions.map(\.number) == Array(900 - count + 1...900) && page.oldest == 900 - count + 1)
  }

  @Test func `in calm times revisions are made, and the old versions are released`() throws {
    commit(1...1)
    weak let old = store.snapshot
    commit(2...50)
    #expect(old != nil)
    #expect(revisions.recordIfCalm() == MemoryRevisions<Notes>.interval)
    #expect(old == nil)
    #expect(revisions.recordIfCalm() == -1)
    #expect(try page().revisions.count == 50)
  }

  @Test func `in busy times no revisions are made until the store is calm`() throws {
    commit(1...1)
    #expect(revisions.recordIfCalm() == MemoryRevisions<Notes>.interval)
    commit(2...1_000)
    weak let recent = store.snapshot
    commit(1_001...1_001)
    #expect(revisions.recordIfCalm() == MemoryRevisions<Notes>.interval)
    #expect(recent != nil, "no revision was made")
    #expect(revisions.recordIfCalm() == MemoryRevisions<Notes>.interval)
    #expect(recent == nil)
    #expect(try page().revisions.last?.number == 1_001)
  }

  @Test func `the recorder is woken once until it has made all revisions`() {
    commit(1...20)
    #expect(wakes.count.load(ordering: .relaxed) == 1)
    #expect(revisions.recordIfCalm() > 0)
    commit(21...40)
    #expect(revisions.recordIfCalm() > 0)
    #expect(wakes.count.load(ordering: .relaxed) == 1)
    #expect(revisions.recordIfCalm() == -1)
    commit(41...60)
    #expect(wakes.count.load(ordering: .relaxed) == 2)
  }

  @Test func `the history is limited in number, age and size`() throws {
    func page(_ retention: Retention) throws -> HistoryPage {
      let ring = VersionRing(clock: { [clock] in clock.tick() })
      let revisions = MemoryRevisions<Notes>(of: ModelDefinition(), retention, ring: ring, wake: {})
      let store = Store(Notes(), of: ModelDefinition(), recorder: revisions)
      for number in 1...100 { store.post { $0.edit(number) } }
      return try revisions.revisions(HistoryQuery(limit: 1_000), retention)
    }
    #expect(try page(Retention(revisions: 7)).oldest == 94)
    let bytes = try page(Retention()).revisions.suffix(5).reduce(0) { $0 + $1.byteCount }
    #expect(try page(Retention(bytes: bytes)).oldest == 96)
    // In 1970.
    clock.time.store(0, ordering: .relaxed)
    let expired = try page(Retention())
    #expect(expired.revisions.isEmpty && expired.oldest == 101)
  }

  @Test func `a history on its own thread shows a commit that has returned`() async throws {
    let history = try MemoryHistory<Notes>(of: ModelDefinition())
    let store = Store(Notes(), of: ModelDefinition(), recorder: history.recorder)
    defer { history.stop() }
    for number in 1...300 {
      try await store.commit { $0.edit(number) }
      guard number.isMultiple(of: 50) else { continue }
      let page = await withCheckedContinuation { continuation in
        history.revisions(HistoryQuery(after: number - 1, limit: 10)) { continuation.resume(returning: $0) }
      }
      #expect(try page.get().revisions.map(\.number) == [number])
    }
  }

  @Test func `a short request waits for one long request at most, and nothing is read for a client that has gone`()
    async throws
  {
    let history = try MemoryHistory<Notes>(of: ModelDefinition())
    let store = Store(Notes(), of: ModelDefinition(), recorder: history.recorder)
    defer { history.stop() }
    try await store.commit { $0.edit(1) }
    let answers = Mutex<[(name: String, count: Int?)]>([])
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      @Sendable func request(_ name: String, _ query: HistoryQuery) {
        history.revisions(query) { result in
          answers.withLock { answers in
            answers.append((name, try? result.get().revisions.count))
            if answers.count == 5 { continuation.resume() }
          }
        }
      }
      // The thread runs this completion, so it takes none of the requests before all are there.
      history.revisions(HistoryQuery(limit: 1)) { _ in
        request("long", HistoryQuery(limit: 1, includes: { _ in true }))
        request("gone", HistoryQuery(limit: 1, includes: { _ in true }, isAbandoned: { true }))
        for _ in 1...2 { request("long", HistoryQuery(limit: 1, includes: { _ in true })) }
        request("short", HistoryQuery(limit: 1))
      }
    }
    let names = answers.withLock { $0.map(\.name) }
    #expect(names.firstIndex(of: "short") ?? 5 <= 1, "\(names)")
    #expect(answers.withLock { $0.allSatisfy { $0.count == ($0.name == "gone" ? nil : 1) } })
  }
}
