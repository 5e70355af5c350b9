import Bindings
import Shapes
import State
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

  @Test func `a refusal on what is not kept yet waits for it`() async throws {
    let answers = Answers()
    _ = store.transact({ _ in ("write", .changed(Counter(count: 1))) }) { _ in answers.add("write") }
    // An equal write and a refusal, both decided on the draft.
    for name in ["equal", "refused"] {
      let settlement = store.transact({ head -> (String, Store<Counter>.Draft) in
        #expect(head.root.count == 1)
        return (name, .unchanged)
      }) { result in answers.add((try? result.get().0) ?? "failed") }
      guard case .later = settlement else { return #expect(Bool(false), "answered on an unpublished head") }
    }
    #expect(answers.all == [])
    let batch = try #require(store.takeBatch())
    store.finish(batch, .success(()))
    #expect(answers.all == ["write", "equal", "refused"])
    guard case .now("late", let snapshot) = store.transact({ _ in ("late", .unchanged) }, completion: { _ in }) else {
      return #expect(Bool(false))
    }
    #expect(snapshot.revision == 6)
  }

  @Test func `a failure discards all drafts on top of it`() async throws {
    let answers = Answers()
    func write(_ count: Int) {
      _ = store.transact({ _ in (count, .changed(Counter(count: count))) }) { result in
        answers.add((try? result.get()) == nil ? "failed" : "kept")
      }
    }
    write(1)
    let first = try #require(store.takeBatch())
    write(2)
    _ = store.transact({ _ in (0, .unchanged) }) { result in answers.add((try? result.get()) == nil ? "failed" : "kept") }
    store.finish(first, .failure(.full("the disk is full")))
    #expect(answers.all == ["failed", "failed", "failed"])
    #expect(store.takeBatch() == nil)
    #expect(store.revision == 5)
    write(3)
    let second = try #require(store.takeBatch())
    #expect(second.drafts.map(\.revision) == [6])
    store.finish(second, .success(()))
    #expect(store.snapshot.root.count == 3)
    #expect(answers.all.last == "kept")
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
