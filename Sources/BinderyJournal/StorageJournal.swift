package import BinderyCore
package import BinderySystem
package import BinderyTelemetry
import Synchronization

/// A journal that appends commits to a storage on its own thread.
///
/// While one batch is written, the drafts of other writers gather and become the next batch: one transaction and one
/// fsync for any number of writers (group commit).
package final class StorageJournal<Root: Model, Storage: JournalStorage>: Journal, History {
  /// Work that other threads submit to the journal's thread.
  private struct Inbox {
    var tasks: [@Sendable (Storage) -> Void] = []
    var isStopping = false
  }

  /// Guards the inbox; held only to add or remove an entry.
  private let inbox = Mutex(Inbox())
  /// Held by the journal's thread from its start to its end, so that no other thread can touch the storage.
  private let worker: Mutex<JournalWorker<Root, Storage>>
  private let wakeup: Wakeup
  /// Set by ``wake()``, cleared when the thread looks for work.
  private let hasWork = Atomic<Bool>(false)
  private let thread = Mutex<Thread?>(nil)
  private let retention: Retention
  private let health: JournalHealth
  private let metrics = JournalMetrics()

  /// Creates a journal over an open storage.
  ///
  /// - Parameters:
  ///   - recovery: The state that was recovered from the storage.
  ///   - onHealthChange: Called with the failure when writes begin to fail, and with nil when they succeed again.
  package init(
    _ storage: sending Storage, _ recovery: Recovery<Root>, retention: Retention = Retention(),
    onHealthChange: @escaping @Sendable (JournalFailure?) -> Void = { _ in }
  ) throws(Errno) {
    wakeup = try Wakeup()
    self.retention = retention
    health = JournalHealth(onHealthChange)
    worker = Mutex(JournalWorker(storage, recovery, retention, health, metrics))
  }

  package func wake() {
    // Released here and acquired by the thread, so that it sees the draft that this wake-up announces.
    if !hasWork.exchange(true, ordering: .acquiringAndReleasing) { wakeup.signal() }
  }

  /// Starts the journal's thread for a store that was created with this journal.
  package func start(_ store: Store<Root>) throws(Errno) {
    let started = try Thread { [self] in worker.withLock { run($0, store) } }
    thread.withLock { $0 = started }
  }

  /// Writes all pending drafts and stops the thread. Commits that are made later never complete.
  package func stop() {
    inbox.withLock { $0.isStopping = true }
    wake()
    let thread = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    thread?.join()
  }

  /// The reason why writes fail at present; nil if they succeed.
  package var failure: JournalFailure? { health.failure }

  /// Writes the metrics of the journal of a store.
  package func collect(_ store: Store<Root>, into exposition: inout Exposition) {
    metrics.collect(isHealthy: failure == nil, waiting: store.pendingCount, into: &exposition)
  }

  package func revisions(
    after revision: Int?, limit: Int, _ completion: @escaping @Sendable (Result<HistoryPage, JournalFailure>) -> Void
  ) {
    enqueue { [retention] storage in
      do throws(StorageFailure) {
        completion(.success(try storage.revisions(after: revision, limit: limit, retention)))
      } catch {
        completion(.failure(error.failure))
      }
    }
  }

  private func enqueue(_ task: @escaping @Sendable (Storage) -> Void) {
    inbox.withLock { $0.tasks.append(task) }
    wake()
  }
}

extension StorageJournal {
  private func run(_ worker: JournalWorker<Root, Storage>, _ store: Store<Root>) {
    guard var poll = try? Poll(capacity: 1), (try? poll.add(wakeup, token: 0)) != nil else {
      return health.set(.unavailable("The journal cannot create an epoll instance."))
    }
    var hasMaintenance = true
    while true {
      let isHealthy = worker.failure == nil
      _ = poll.wait(milliseconds: hasMaintenance ? 0 : isHealthy ? -1 : JournalWorker<Root, Storage>.retryInterval)
      worker.recoverIfFailed(store)
      serve(worker, store)
      hasMaintenance = worker.runMaintenance(store) { [self] in serve(worker, store) }
      if inbox.withLock({ $0.isStopping && $0.tasks.isEmpty }) {
        hasWork.store(true, ordering: .sequentiallyConsistent)
        serve(worker, store)
        return worker.storage.close()
      }
    }
  }

  /// Writes batches and runs tasks alternately until there are none, so that neither waits for all of the other.
  private func serve(_ worker: JournalWorker<Root, Storage>, _ store: Store<Root>) {
    while true {
      // Drafts that no wake-up has announced are skipped: their event loop is still adding drafts, and all of them
      // together cost one fsync.
      let batch = hasWork.exchange(false, ordering: .sequentiallyConsistent) ? store.takeBatch() : nil
      if let batch { worker.write(batch, store) }
      let task = inbox.withLock { $0.tasks.isEmpty ? nil : $0.tasks.removeFirst() }
      if let task { task(worker.storage) }
      if batch == nil, task == nil { return }
    }
  }
}
