import BinderyCore
import Synchronization
import Testing

struct JournalTests {
  private let journal = ManualJournal()
  private let store: Store<Counter>
  private let count = Counter.places.count

  init() { store = Store(Counter(), revision: 5, journal: journal) }

  @Test func `a commit is visible only after the journal has stored it`() async throws {
    async let write = store.edit(count) { $0 = 1 }
    await journal.waitForWakes(1)
    #expect(store.revision == 5)
    #expect(try store.read(count) == 0)
    let batch = try #require(store.takeBatch())
    #expect(batch.base.revision == 5)
    #expect(batch.drafts.map(\.revision) == [6])
    #expect(try store.read(count) == 0)
    store.finish(batch, .success(()))
    _ = try await write
    #expect(store.revision == 6)
    #expect(try store.read(count) == 1)
  }

  @Test func `all pending drafts form one batch`() async throws {
    async let one = store.edit(count) { $0 += 1 }
    async let two = store.edit(count) { $0 += 1 }
    await journal.waitForWakes(2)
    let batch = try #require(store.takeBatch())
    #expect(batch.drafts.map(\.root.count) == [1, 2])
    #expect(store.takeBatch() == nil)
    store.finish(batch, .success(()))
    _ = try await (one, two)
    #expect(store.revision == 7)
  }

  /// Starts a transaction that appends its name, or "failed", to the log when it completes.
  private func decide(
    _ name: String, _ draft: Store<Counter>.Draft, _ outcomes: OutcomeLog
  ) -> Store<Counter>.TransactionResult<String> {
    store.transact({ _ in (name, draft) }, completion: { outcomes.add((try? $0.get().0) ?? "failed") })
  }

  @Test func `a rejection based on an unpublished draft waits until the draft is published`() async throws {
    let outcomes = OutcomeLog()
    _ = decide("write", .changed(Counter(count: 1)), outcomes)
    // An equal write and a rejection, both decided on the draft.
    for name in ["equal", "refused"] {
      guard case .pending = decide(name, .unchanged, outcomes) else {
        Issue.record("reported on an unpublished head")
        return
      }
    }
    #expect(outcomes.all == [])
    let batch = try #require(store.takeBatch())
    store.finish(batch, .success(()))
    #expect(outcomes.all == ["write", "equal", "refused"])
    guard case .published("late", let snapshot) = decide("late", .unchanged, outcomes) else {
      Issue.record("not reported on a published head")
      return
    }
    #expect(snapshot.revision == 6)
  }

  @Test func `a long decision is made without the lock, and again if another commit was faster`() throws {
    let outcomes = OutcomeLog()
    var heads: [Int] = []
    // A commit within the decision would wait for itself if the decision were made under the lock.
    func decide(overtaken times: Int) -> Store<Counter>.TransactionResult<String> {
      heads = []
      return store.transact(attempts: 3) { head in
        heads.append(head.root.count)
        if heads.count <= times { store.post { $0.count += 10 } }
        return ("long", .changed(Counter(count: head.root.count + 1)))
      } completion: {
        outcomes.add((try? $0.get().0) ?? "failed")
      }
    }
    for (times, expected) in [(0, [0]), (2, [1, 11, 21]), (3, [22, 32, 42, 52])] {
      guard case .pending = decide(overtaken: times) else {
        Issue.record("reported on an unpublished head")
        return
      }
      #expect(heads == expected)
    }
    let batch = try #require(store.takeBatch())
    #expect(batch.drafts.map(\.root.count) == [1, 11, 21, 22, 32, 42, 52, 53])
    #expect(outcomes.all == [])
    store.finish(batch, .success(()))
    #expect(outcomes.all == ["long", "long", "long"])
  }

  @Test func `a long decision that was overtaken is released and waits for nothing`() throws {
    let outcomes = OutcomeLog()
    let result = store.transact(attempts: 1) { head in
      if head.root.count == 0 { store.post { $0.count = 1 } }
      return ("refused", .unchanged)
    } completion: {
      outcomes.add((try? $0.get().0) ?? "failed")
    }
    guard case .pending = result else {
      Issue.record("reported on an unpublished head")
      return
    }
    store.finish(try #require(store.takeBatch()), .success(()))
    #expect(outcomes.all == ["refused"])
  }

  @Test func `a journal failure discards all drafts that build on the failed ones`() async throws {
    let outcomes = OutcomeLog()
    _ = decide("one", .changed(Counter(count: 1)), outcomes)
    let first = try #require(store.takeBatch())
    _ = decide("two", .changed(Counter(count: 2)), outcomes)
    _ = decide("refused", .unchanged, outcomes)
    store.finish(first, .failure(.full("the disk is full")))
    #expect(outcomes.all == ["failed", "failed", "failed"])
    #expect(store.takeBatch() == nil)
    #expect(store.revision == 5)
    _ = decide("three", .changed(Counter(count: 3)), outcomes)
    let second = try #require(store.takeBatch())
    #expect(second.drafts.map(\.revision) == [6])
    store.finish(second, .success(()))
    #expect(store.snapshot.root.count == 3)
    #expect(outcomes.all.last == "three")
  }

  @Test func `a commit that the journal could not store throws the reason`() async throws {
    let write = Task { try await store.edit(count) { $0 = 1 } }
    await journal.waitForWakes(1)
    store.finish(try #require(store.takeBatch()), .failure(.full("the disk is full")))
    await #expect(throws: CommitError.notStored("the disk is full")) { try await write.value }
  }

  @Test func `drafts build on each other while a batch is written`() async throws {
    let (one, two) = (Task { try await store.edit(count) { $0 += 1 } }, 2)
    await journal.waitForWakes(1)
    let first = try #require(store.takeBatch())
    let next = Task { try await store.edit(count) { $0 += two } }
    await journal.waitForWakes(2)
    store.finish(first, .success(()))
    _ = try await one.value
    #expect(try store.read(count) == 1)
    let second = try #require(store.takeBatch())
    #expect(second.base.revision == 6)
    store.finish(second, .success(()))
    _ = try await next.value
    #expect(try store.read(count) == 3)
  }
}

/// The reported outcomes, in order.
private final class OutcomeLog: Sendable {
  private let list = Mutex<[String]>([])
  var all: [String] { list.withLock { $0 } }
  func add(_ outcome: String) { list.withLock { $0.append(outcome) } }
}
