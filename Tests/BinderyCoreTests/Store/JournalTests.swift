import BinderyCore
import Synchronization
import Testing

struct JournalTests {
  private let journal = HeldJournal()
  private let store: Store<Counter>
  private let count = Place<Counter, Counter>.root.count

  init() { store = Store(Counter(), revision: 5, journal: journal) }

  @Test func `nothing is visible before it is kept`() async throws {
    async let write: Void = store.edit(count) { $0 = 1 }
    await journal.nudged(1)
    #expect(store.revision == 5)
    #expect(try store.read(count) == 0)
    let batch = try #require(store.takeBatch())
    #expect(batch.base.revision == 5)
    #expect(batch.drafts.map(\.revision) == [6])
    #expect(try store.read(count) == 0)
    store.finish(batch, .success(()))
    try await write
    #expect(store.revision == 6)
    #expect(try store.read(count) == 1)
  }

  @Test func `what has gathered is one batch`() async throws {
    async let one: Void = store.edit(count) { $0 += 1 }
    async let two: Void = store.edit(count) { $0 += 1 }
    await journal.nudged(2)
    let batch = try #require(store.takeBatch())
    #expect(batch.drafts.map(\.root.count) == [1, 2])
    #expect(store.takeBatch() == nil)
    store.finish(batch, .success(()))
    _ = try await (one, two)
    #expect(store.revision == 7)
  }

  /// Decides on the head, and notes the answer when it is given.
  private func decide(
    _ name: String, _ draft: Store<Counter>.Draft, _ answers: Answers
  ) -> Store<Counter>.Settlement<String> {
    store.transact({ _ in (name, draft) }, completion: { answers.add((try? $0.get().0) ?? "failed") })
  }

  @Test func `a refusal on what is not kept yet waits for it`() async throws {
    let answers = Answers()
    _ = decide("write", .changed(Counter(count: 1)), answers)
    // An equal write and a refusal, both decided on the draft.
    for name in ["equal", "refused"] {
      guard case .later = decide(name, .unchanged, answers) else {
        Issue.record("answered on an unpublished head")
        return
      }
    }
    #expect(answers.all == [])
    let batch = try #require(store.takeBatch())
    store.finish(batch, .success(()))
    #expect(answers.all == ["write", "equal", "refused"])
    guard case .now("late", let snapshot) = decide("late", .unchanged, answers) else {
      Issue.record("not answered on a published head")
      return
    }
    #expect(snapshot.revision == 6)
  }

  @Test func `a failure discards all drafts on top of it`() async throws {
    let answers = Answers()
    _ = decide("one", .changed(Counter(count: 1)), answers)
    let first = try #require(store.takeBatch())
    _ = decide("two", .changed(Counter(count: 2)), answers)
    _ = decide("refused", .unchanged, answers)
    store.finish(first, .failure(.full("the disk is full")))
    #expect(answers.all == ["failed", "failed", "failed"])
    #expect(store.takeBatch() == nil)
    #expect(store.revision == 5)
    _ = decide("three", .changed(Counter(count: 3)), answers)
    let second = try #require(store.takeBatch())
    #expect(second.drafts.map(\.revision) == [6])
    store.finish(second, .success(()))
    #expect(store.snapshot.root.count == 3)
    #expect(answers.all.last == "three")
  }

  @Test func `a commit that could not be kept says so`() async throws {
    let write = Task { try await store.edit(count) { $0 = 1 } }
    await journal.nudged(1)
    store.finish(try #require(store.takeBatch()), .failure(.full("the disk is full")))
    await #expect(throws: CommitError.notKept("the disk is full")) { try await write.value }
  }

  @Test func `drafts build on each other while a batch is written`() async throws {
    let (one, two) = (Task { try await store.edit(count) { $0 += 1 } }, 2)
    await journal.nudged(1)
    let first = try #require(store.takeBatch())
    let next = Task { try await store.edit(count) { $0 += two } }
    await journal.nudged(2)
    store.finish(first, .success(()))
    try await one.value
    #expect(try store.read(count) == 1)
    let second = try #require(store.takeBatch())
    #expect(second.base.revision == 6)
    store.finish(second, .success(()))
    try await next.value
    #expect(try store.read(count) == 3)
  }
}

/// What was answered, in order.
private final class Answers: Sendable {
  private let list = Mutex<[String]>([])
  var all: [String] { list.withLock { $0 } }
  func add(_ answer: String) { list.withLock { $0.append(answer) } }
}
