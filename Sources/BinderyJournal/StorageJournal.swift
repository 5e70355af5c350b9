package import BinderyCore
package import BinderySystem
package import BinderyTelemetry
import Synchronization

/// A journal that appends commits to a storage on its own thread.
///
/// While one batch is written, the drafts of other writers gather and become the next batch: one transaction and one
/// fsync for any number of writers (group commit).
package final class StorageJournal<Root: Sendable, Storage: JournalStorage>: Journal, History {
  private let stopFlag = Atomic<Bool>(false)
  /// Held by the journal's thread from its start to its end, so that no other thread can touch the storage.
  private let worker: Mutex<JournalWorker<Root, Storage>>
  private let wakeup: Wakeup
  /// Set by ``wake()``, cleared when the thread looks for work.
  private let hasWork = Atomic<Bool>(false)
  /// Set by ``checkHead()``, cleared when the thread reads the head.
  private let mustCheckHead = Atomic<Bool>(false)
  /// Guards the ends of sessions that the thread has not taken yet; held only to add or take them.
  private let sessionEnds = Mutex<[PendingSessionEnd]>([])
  private let thread = Mutex<Thread?>(nil)
  /// Used only by the thread.
  private let poll: Mutex<Poll>
  /// Reads the history, so that a long page delays no commit.
  private let historyThread: HistoryThread
  private let health: JournalHealth
  private let metrics = JournalMetrics()
  /// Whether other servers can append to the storage.
  package let isShared: Bool

  /// Creates a journal over an open storage.
  ///
  /// - Parameters:
  ///   - recovery: The state that was recovered from the storage.
  ///   - onHealthChange: Called when writes begin to fail, when they fail for another reason, and when they succeed
  ///     again.
  package init(
    _ storage: sending Storage, _ recovery: Recovery<Root>, retention: Retention = Retention(),
    onHealthChange: @escaping @Sendable (JournalHealthChange) -> Void = { _ in }
  ) throws(Errno) {
    wakeup = try Wakeup()
    let poll = try Poll(capacity: 1)
    try poll.add(wakeup, token: 0)
    self.poll = Mutex(poll)
    isShared = storage.isShared
    historyThread = try HistoryThread(storage.makeRevisionReader(), retention, Wakeup())
    health = JournalHealth(onHealthChange)
    worker = Mutex(try JournalWorker(storage, recovery, retention, health, metrics, wakeup))
  }

  package func wake() {
    // Released here and acquired by the thread, so that it sees the draft that this wake-up announces.
    if !hasWork.exchange(true, ordering: .acquiringAndReleasing) { wakeup.signal() }
  }

  /// Requests a check of the head of a shared storage, because another server has announced that it has appended.
  package func checkHead() {
    if !mustCheckHead.exchange(true, ordering: .acquiringAndReleasing) { wakeup.signal() }
  }

  /// Stores that a session has ended, for all servers of a shared storage.
  ///
  /// - Parameters:
  ///   - session: The bytes that identify the session.
  ///   - expires: The time at which it would have expired, in seconds since 1970.
  ///   - completion: Called on the journal's thread; with the reason if the end is not stored yet. It is then stored as
  ///     soon as the storage works again.
  package func endSession(
    _ session: [UInt8], expires: Int64, _ completion: @escaping @Sendable (JournalFailure?) -> Void
  ) {
    let end = PendingSessionEnd(session: EndedSession(id: session, expires: expires), completion: completion)
    sessionEnds.withLock { $0.append(end) }
    wakeup.signal()
  }

  /// Starts the journal's thread for a store that was created with this journal.
  package func start(_ store: Store<Root>) throws(Errno) {
    try historyThread.start()
    let started = try Thread { [self] in
      worker.withLock { worker in poll.withLock { run(worker, store, &$0) } }
    }
    thread.withLock { $0 = started }
  }

  /// Writes all pending drafts and stops the thread. Commits that are made later never complete.
  package func stop() {
    // The storage can remove its WAL file only when no reader has it open.
    historyThread.stop()
    stopFlag.store(true, ordering: .releasing)
    wake()
    thread.withLock { $0.take() }?.join()
  }

  /// Whether the journal has been told to stop.
  package var isStopping: Bool { stopFlag.load(ordering: .acquiring) }

  /// The reason why writes fail at present; nil if they succeed.
  package var failure: JournalFailure? { health.failure }

  /// Writes the metrics of the journal of a store.
  package func collect(_ store: Store<Root>, into exposition: inout Exposition) {
    metrics.collect(isHealthy: failure == nil, waiting: store.pendingCount, into: &exposition)
    if isShared { metrics.collectShared(repeatedDecisions: store.repeatedDecisionCount, into: &exposition) }
  }

  package func revisions(
    _ query: HistoryQuery, _ completion: @escaping @Sendable (Result<HistoryPage, JournalFailure>) -> Void
  ) {
    historyThread.read(query, completion)
  }
}

extension StorageJournal {
  private func run(_ worker: JournalWorker<Root, Storage>, _ store: Store<Root>, _ poll: inout Poll) {
    var hasMaintenance = true
    while true {
      let isReady = hasMaintenance || worker.mustLock(for: store)
      _ = poll.wait(milliseconds: isReady ? 0 : worker.millisecondsUntilWork)
      worker.recoverIfFailed(store)
      serve(worker, store, &poll)
      worker.end(sessionEnds.withLock { exchange(&$0, with: []) })
      worker.followOthers(store, isAnnounced: mustCheckHead.exchange(false, ordering: .acquiringAndReleasing))
      hasMaintenance = worker.runMaintenance(store) { [self] in
        serve(worker, store, &poll)
        // A stop does not wait for the rest of a snapshot: the next start replays the revisions instead.
        return !isStopping
      }
      if isStopping {
        hasWork.store(true, ordering: .sequentiallyConsistent)
        serve(worker, store, &poll)
        worker.writeLastSnapshot(store)
        return worker.storage.close()
      }
    }
  }

  /// Writes batches until there are none, or until maintenance is due. The head is not locked when this returns.
  private func serve(_ worker: JournalWorker<Root, Storage>, _ store: Store<Root>, _ poll: inout Poll) {
    // Drafts without a wake-up are left alone: their event loop is still adding to them, and one batch of all of them
    // costs one fsync.
    while !worker.isHeadLocked, hasWork.exchange(false, ordering: .sequentiallyConsistent) {
      guard serveNext(worker, store) else { break }
      guard !mustMaintain(worker, store) else {
        hasWork.store(true, ordering: .sequentiallyConsistent)
        break
      }
    }
    if worker.mustLock(for: store) { worker.lockForDeferred(store) }
    if worker.isHeadLocked { serveLocked(worker, store, &poll) }
    // A wake-up signals only if there is no other work.
    if hasWork.load(ordering: .sequentiallyConsistent) { wakeup.signal() }
  }

  /// Whether a step of maintenance comes before the next batch. A stop writes all batches first.
  private func mustMaintain(_ worker: JournalWorker<Root, Storage>, _ store: Store<Root>) -> Bool {
    !isStopping && worker.isMaintenanceDue(store)
  }

  /// Waits for a limited time until the event loops have decided what was overtaken or deferred, and writes it. Other
  /// servers wait meanwhile.
  private func serveLocked(_ worker: JournalWorker<Root, Storage>, _ store: Store<Root>, _ poll: inout Poll) {
    let deadline = Clock.monotonicMilliseconds + worker.storage.lockMilliseconds
    while true {
      // Cleared before the look at the decisions, so that each later one wakes this thread.
      let isWoken = hasWork.exchange(false, ordering: .sequentiallyConsistent)
      if isWoken, store.hasDecidedAgain, serveNext(worker, store) { return worker.unlockHead(store) }
      let remaining = deadline - Clock.monotonicMilliseconds
      if remaining <= 0 || isStopping { break }
      _ = poll.wait(milliseconds: Int(remaining))
    }
    // What has been decided until now is written, so that a slow server is not overtaken forever.
    _ = serveNext(worker, store)
    worker.unlockHead(store)
    hasWork.store(true, ordering: .sequentiallyConsistent)
  }

  /// Writes the next batch, and those that are taken while it is appended.
  ///
  /// - Returns: Whether there was one.
  private func serveNext(_ worker: JournalWorker<Root, Storage>, _ store: Store<Root>) -> Bool {
    let limit = worker.draftLimit(pending: store.pendingCount)
    guard let batch = store.takeBatch(atMost: limit) else { return false }
    var isWoken = batch.drafts.count == limit
    worker.write(batch, store) { [self] previous in
      guard !mustMaintain(worker, store), hasWork.exchange(false, ordering: .sequentiallyConsistent) else {
        return nil
      }
      isWoken = true
      return store.pendingCount < previous.drafts.count ? nil : store.takeBatch(after: previous.drafts.last)
    }
    // What was not taken then is taken now.
    if isWoken { hasWork.store(true, ordering: .sequentiallyConsistent) }
    return true
  }
}
