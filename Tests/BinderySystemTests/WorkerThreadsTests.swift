import BinderySystem
import BinderyTestKit
import Synchronization
import Testing

/// Threads for work that blocks.
struct WorkerThreadsTests {
  /// A number that a test waits for.
  private final class Counter: Sendable {
    private let value = Atomic(0)

    func add() { value.add(1, ordering: .acquiringAndReleasing) }
    func wait(for count: Int) throws { try waitUntil { value.load(ordering: .acquiring) >= count } }
  }

  @Test func `one thread runs the work in order`() throws {
    let threads = try WorkerThreads(count: 1)
    let (seen, done) = (Seen(), Counter())
    for number in 0..<1_000 {
      threads.perform {
        seen.numbers.withLock { $0.append(number) }
        done.add()
      }
    }
    try done.wait(for: 1_000)
    #expect(seen.numbers.withLock { $0 } == Array(0..<1_000))
  }

  private final class Seen: Sendable {
    let numbers = Mutex<[Int]>([])
  }

  @Test func `several threads work at the same time`() throws {
    let threads = try WorkerThreads(count: 2)
    let (started, done) = (Counter(), Counter())
    for _ in 0..<2 {
      threads.perform {
        started.add()
        // Each waits for the other one.
        do { try started.wait(for: 2) } catch { Issue.record(error) }
        done.add()
      }
    }
    try done.wait(for: 2)
  }

  @Test func `work that was added is done, and then all threads end`() throws {
    // Released by the last thread.
    final class Token: Sendable {
      let ended: Counter
      init(_ ended: Counter) { self.ended = ended }
      deinit { ended.add() }
    }
    let (ended, done) = (Counter(), Counter())
    var threads: WorkerThreads? = try WorkerThreads(count: 2)
    for _ in 0..<10 {
      let token = Token(ended)
      threads?.perform {
        _ = token
        done.add()
      }
    }
    threads = nil
    try done.wait(for: 10)
    try ended.wait(for: 10)
  }
}
