package import BinderyCore
package import BinderySystem
package import BinderyTelemetry
import Synchronization

/// A journal that keeps commits in a log, on a thread of its own.
///
/// All drafts that have gathered while a batch was being written are the next one, as soon as somebody has rung for
/// them: one transaction, and one wait for the disk, however many writers there are.
package final class StorageJournal<Root: Model, Kept: JournalStorage>: Journal, History {
  /// What other threads leave for this one.
  private struct Inbox {
    var questions: [@Sendable (Kept) -> Void] = []
    var isStopping = false
  }

  /// Guards what other threads leave; held only to put and to take.
  private let inbox = Mutex(Inbox())
  /// Held by the journal's thread from its start to its end: nobody else touches the log.
  private let worker: Mutex<JournalWorker<Root, Kept>>
  private let wakeup: Wakeup
  /// Somebody has rung since the thread last looked.
  private let isRung = Atomic<Bool>(false)
  private let thread = Mutex<Thread?>(nil)
  private let retention: Retention
  private let health: JournalHealth
  private let metrics = JournalMetrics()

  /// - Parameters:
  ///   - recovery: what the log was found to hold.
  ///   - note: told when trouble begins, and, with nil, when it has passed.
  package init(
    _ log: sending Kept, _ recovery: Recovery<Root>, retention: Retention = Retention(),
    note: @escaping @Sendable (JournalFailure?) -> Void = { _ in }
  ) throws(Errno) {
    wakeup = try Wakeup()
    self.retention = retention
    health = JournalHealth(note)
    worker = Mutex(JournalWorker(log, recovery, retention, health, metrics))
  }

  package func nudge() {
    // Released here and acquired by the thread, so that it finds what the nudge is about.
    if !isRung.exchange(true, ordering: .acquiringAndReleasing) { wakeup.signal() }
  }

  /// Begins to keep the commits of a store that was made with this journal.
  package func start(_ store: Store<Root>) throws(Errno) {
    let started = try Thread { [self] in worker.withLock { run($0, store) } }
    thread.withLock { $0 = started }
  }

  /// Keeps what has gathered, and ends the thread; commits that come later are never answered.
  package func stop() {
    inbox.withLock { $0.isStopping = true }
    nudge()
    let thread = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    thread?.join()
  }

  /// Why nothing can be kept just now; nil where it can.
  package var trouble: JournalFailure? { health.trouble }

  /// Tells what was counted of the journal of a store.
  package func collect(_ store: Store<Root>, into exposition: inout Exposition) {
    metrics.collect(isWell: trouble == nil, waiting: store.pendingCount, into: &exposition)
  }

  package func revisions(
    after revision: Int?, limit: Int, _ answer: @escaping @Sendable (Result<HistoryPage, JournalFailure>) -> Void
  ) {
    ask { [retention] log in
      do throws(StorageFailure) {
        answer(.success(try log.revisions(after: revision, limit: limit, retention)))
      } catch {
        answer(.failure(error.failure))
      }
    }
  }

  private func ask(_ question: @escaping @Sendable (Kept) -> Void) {
    inbox.withLock { $0.questions.append(question) }
    nudge()
  }
}

extension StorageJournal {
  private func run(_ worker: JournalWorker<Root, Kept>, _ store: Store<Root>) {
    guard var poll = try? Poll(capacity: 1), (try? poll.add(wakeup, token: 0)) != nil else {
      return health.set(.unavailable("The kernel has no poll to give."))
    }
    var hasMore = true
    while true {
      let isWell = worker.trouble == nil
      _ = poll.wait(milliseconds: hasMore ? 0 : isWell ? -1 : JournalWorker<Root, Kept>.healingInterval)
      worker.heal(store)
      serve(worker, store)
      hasMore = worker.tidy(store) { [self] in serve(worker, store) }
      if inbox.withLock({ $0.isStopping && $0.questions.isEmpty }) {
        isRung.store(true, ordering: .sequentiallyConsistent)
        serve(worker, store)
        return worker.log.close()
      }
    }
  }

  /// Writes the batches and answers the questions that wait, one after another: writers and those who ask do not wait
  /// for all of the others.
  private func serve(_ worker: JournalWorker<Root, Kept>, _ store: Store<Root>) {
    while true {
      // What nobody has rung for is still being added to: together it is one wait for the disk.
      let batch = isRung.exchange(false, ordering: .sequentiallyConsistent) ? store.takeBatch() : nil
      if let batch { worker.keep(batch, store) }
      let question = inbox.withLock { $0.questions.isEmpty ? nil : $0.questions.removeFirst() }
      if let question { question(worker.log) }
      if batch == nil, question == nil { return }
    }
  }
}
