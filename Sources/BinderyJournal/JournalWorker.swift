import BinderyCore
import BinderyJSON
import BinderySystem

/// The work of a journal's thread: writing batches, recovering from failures, and maintenance. Confined to that
/// thread.
final class JournalWorker<Root: Sendable, Storage: JournalStorage> {
  /// An operation of unknown outcome. The storage must be reopened before the next write.
  enum UnresolvedOperation {
    /// A batch whose outcome is unknown. Its writers have received an error.
    case batch(Batch<Root>)
    /// A maintenance step, for which no writer waits.
    case maintenance
    /// Reading what another server has appended to a shared storage, which this program does not understand.
    case foreignBatch
  }

  /// The outcome of a batch, as found in the reopened storage.
  private enum BatchOutcome {
    /// The first drafts are stored, perhaps none of them.
    case stored(count: Int)
    case unknown(JournalFailure)
  }

  let storage: Storage
  let model: ModelDefinition<Root>
  let retention: Retention
  private let health: JournalHealth
  let metrics: JournalMetrics
  /// Waits for the answer of a storage, or until the journal is woken.
  var answers: Poll
  /// The reason why writes fail at present; nil if they succeed.
  var failure: JournalFailure? {
    didSet { if !storage.isBrieflyAway { health.set(failure) } }
  }
  var unresolved: UnresolvedOperation?
  /// The time of the last recovery attempt, in milliseconds of the monotonic clock.
  private var lastRecoveryAttempt: Int64 = 0

  /// The time of the last revision, in milliseconds since 1970. Times in the history do not decrease while the server
  /// runs, even if the clock is set back.
  private var lastTime: Int64 = 0
  /// The cost of replaying the revisions after the last snapshot; see ``ReplayCost``.
  var replayCost: Int
  var snapshotBytes: Int
  /// The revision of the latest complete snapshot.
  var snapshotRevision: Int
  /// Whether the model's types have changed since the last snapshot, so that a new one is due.
  var isLayoutNew: Bool
  /// The replay cost at which that snapshot is attempted.
  var layoutSnapshotCost = 0
  /// The revision with which this model begins; nil if it has written that one itself.
  let revisionOfPreviousModel: Int?
  /// The newest stored state, and its revision, as long as only the published state is settled by a changed model. The
  /// next revision leads from this state to its draft, so that it contains what was settled.
  var unsettled: (root: Root, revision: Int)?
  var revisionsSinceRemoval = Int.max / 2
  var bytesSinceRemoval = 0
  /// The bytes of the revisions that were appended since the last step of maintenance.
  var bytesSinceStep = 0
  /// The number of those revisions.
  var revisionsSinceStep = 0
  var isWritingSnapshot = false
  /// The ends of sessions that could not be stored yet.
  var sessionEnds: [PendingSessionEnd] = []
  /// Whether other servers append at the same time: one has appended first, and when this server last locked
  /// the head, one had appended shortly before.
  var isContended = false
  /// Whether this server keeps others from appending.
  var isHeadLocked = false
  /// The times of the last check of the head of a shared storage, and of the last change there, in milliseconds of the
  /// monotonic clock.
  var (lastCheck, lastActivity): (Int64, Int64) = (0, Clock.monotonicMilliseconds)
  /// The time of the last lock of the head, in milliseconds of the monotonic clock.
  var lastLock = Int64.min / 2
  /// The time of the last change by another server. The initial value is halved so that the arithmetic with it cannot
  /// overflow.
  var lastForeignChange = Int64.min / 2

  init(
    _ storage: Storage, _ recovery: Recovery<Root>, _ retention: Retention, _ health: JournalHealth,
    _ metrics: JournalMetrics, _ wakeup: Wakeup
  ) throws(Errno) {
    answers = try Poll(capacity: 2)
    try answers.add(wakeup, token: 0)
    self.storage = storage
    model = recovery.model
    self.health = health
    self.metrics = metrics
    self.retention = retention
    replayCost = recovery.replayedCost
    snapshotBytes = recovery.snapshotBytes
    snapshotRevision = recovery.revision - recovery.replayed
    isLayoutNew = recovery.isLayoutNew
    revisionOfPreviousModel = recovery.changes.isEmpty ? nil : recovery.revision
    unsettled = recovery.unsettled
  }
}

// MARK: Appending

extension JournalWorker {
  /// The size of the revisions in bytes at which a transaction takes no further draft. It bounds the memory for the
  /// text of drafts that have gathered: each is written several times, as patch, as row, and as pages of the database.
  private static var transactionBytes: Int { 1 << 20 }

  /// Appends a batch to the storage and reports the outcome to the store, in as many transactions as its size needs.
  /// Then does the same with the batches that were taken meanwhile.
  ///
  /// - Parameter takeNext: Takes the next batch while one is appended; nil if it is too early.
  func write(
    _ batch: Batch<Root>, _ store: Store<Root>, takingNext takeNext: (_ after: Batch<Root>) -> Batch<Root>?
  ) {
    var next: Sent? = Sent(batch: batch, revisions: nil, time: Clock.monotonicNanoseconds)
    while let current = next {
      next = nil
      let batch = current.batch
      guard awaitStorage(store, for: batch) else { return decideAgain(batch, store) }
      var start = 0
      var failure = lockIfContended(store, for: batch)
      // What is decided from now on would be overtaken.
      if isContended, failure == nil, !batch.drafts.isEmpty { store.setDeferring(true) }
      while start < batch.drafts.count, failure == nil {
        let revisions = current.revisions ?? nextRevisions(of: batch, from: start)
        let time = current.revisions == nil ? Clock.monotonicNanoseconds : current.time
        let end = start + revisions.count
        let part = batch.part(start..<end)
        if end == batch.drafts.count { next = sendNext(after: part, revisions, takeNext) }
        // A failure discards the remaining drafts too.
        failure = append(Sent(batch: part, revisions: revisions, time: time), before: next, store)
        start = end
      }
      // An append that is kept proves that no other server has changed the state before.
      if batch.drafts.isEmpty { failure = checkHead(store) }
      confirm(batch, failure, store)
      if failure != nil, let next { return decideAgain(next.batch, store) }
    }
  }

  /// Appends the revisions of a batch in one transaction and reports the outcome to the store.
  ///
  /// - Parameters:
  ///   - next: The batch after it, which may have been sent already.
  ///   - isRepeated: Whether an attempt before has certainly stored nothing.
  /// - Returns: nil if they are stored.
  private func append(
    _ sent: Sent, before next: Sent?, _ store: Store<Root>, isRepeated: Bool = false
  ) -> JournalFailure? {
    let (batch, revisions) = (sent.batch, sent.revisions ?? [])
    func fail(_ reason: JournalFailure, _ batch: Batch<Root>) -> JournalFailure? {
      store.finish(batch, .failure(reason))
      return reason
    }
    if unresolved != nil, let failure { return fail(failure, batch) }
    do throws(StorageFailure) {
      try append(revisions, batch.drafts, since: sent.time)
    } catch .refused(let reason) {
      failure = reason
      return fail(reason, batch)
    } catch .overtaken {
      setContended(true, store)
      metrics.recordOvertaken()
      switch checkHead(store, isOvertaken: true) {
      // The drafts were discarded when the newer state was published.
      case .overtaken?: return .overtaken
      case let reason: return fail(reason ?? .overtaken, batch)
      }
    } catch {
      let attempted = next.flatMap { $0.revisions == nil ? nil : batch.joined(with: $0.batch) } ?? batch
      switch outcome(of: attempted) {
      // If the next batch is not stored, it is appended in its turn.
      case .stored(let count) where count >= batch.drafts.count: break
      // The connection was lost, and writers wait for a shared storage.
      case .stored where storage.isShared && !isRepeated: return append(sent, before: next, store, isRepeated: true)
      case .stored:
        // The storage can be read, which does not show that it can be written.
        failure = storage.isShared ? error.failure : nil
        return fail(error.failure, attempted)
      case .unknown(let reason):
        unresolved = .batch(attempted)
        failure = reason
        // Other servers may use the following numbers.
        return fail(.unknownOutcome(reason.reason, after: storage.isShared ? nil : batch.base.revision), attempted)
      }
    }
    if failure != nil { failure = nil }
    isHeadLocked = false
    updateDeferring(store)
    store.finish(batch, .success(()))
    unsettled = nil
    for revision in revisions { recordAppended(revision) }
    if storage.isShared {
      lastActivity = Clock.monotonicMilliseconds
      metrics.recordCurrent(at: sent.time / 1_000_000)
    }
    return nil
  }

  /// Adds a revision to what decides when maintenance is due.
  func recordAppended(_ revision: Revision) {
    lastTime = max(lastTime, revision.timestamp)
    replayCost += ReplayCost.of(patchBytes: revision.patch.count)
    bytesSinceRemoval += revision.byteCount
    bytesSinceStep += revision.byteCount
    revisionsSinceStep += 1
    revisionsSinceRemoval += 1
    metrics.addHistoryBytes(revision.byteCount)
  }

  /// Appends revisions and records the duration since a time before they were sent.
  private func append(
    _ revisions: [Revision], _ drafts: [Snapshot<Root>], since start: Int64
  ) throws(StorageFailure) {
    var isStored = false
    defer {
      metrics.recordBatch(
        revisions: revisions.count, nanoseconds: Clock.monotonicNanoseconds - start, isStored: isStored)
    }
    if unsettled != nil, !storage.isShared, let first = drafts.first {
      // Before its outcome is known: no other snapshot may overwrite its pieces if it is stored.
      snapshotRevision = first.revision
      snapshotBytes = try storage.append(revisions, beginning: model, with: first.root)
      (replayCost, isLayoutNew) = (0, false)
      metrics.recordSnapshot()
    } else {
      try storage.append(revisions)
    }
    isStored = true
  }

  /// Returns the revisions of the drafts from an index on, up to the size of one transaction.
  func nextRevisions(of batch: Batch<Root>, from start: Int) -> [Revision] {
    lastTime = max(lastTime, storage.wallMilliseconds)
    var revisions: [Revision] = []
    revisions.reserveCapacity(batch.drafts.count - start)
    var bytes = 0
    for index in start..<batch.drafts.count where bytes < Self.transactionBytes {
      var revision = batch.revision(index, at: lastTime, of: model.shape)
      if let unsettled, revision.number == unsettled.revision + 1 {
        revision = Revision(
          number: revision.number, at: lastTime, from: unsettled.root, to: batch.drafts[index].root, model.shape,
          metadata: revision.metadata)
      }
      bytes += revision.byteCount
      revisions.append(revision)
    }
    return revisions
  }

  /// Reopens the storage and finds out whether it has the batch.
  private func outcome(of batch: Batch<Root>) -> BatchOutcome {
    lastRecoveryAttempt = Clock.monotonicMilliseconds
    let found: Int
    do throws(StorageFailure) { found = try storage.reopen() } catch { return .unknown(error.failure) }
    let count = found - batch.base.revision
    guard (0...batch.drafts.count).contains(count) else {
      return .unknown(Self.divergence(found, from: batch.base.revision))
    }
    return .stored(count: count)
  }

  private static func divergence(_ found: Int, from revision: Int) -> JournalFailure {
    .unavailable(
      "The store on disk is at revision \(found), but the server is at revision \(revision): restart the server.")
  }
}

// MARK: Recovery

extension JournalWorker {
  /// The interval between attempts to recover a failed storage, in milliseconds.
  static var retryInterval: Int { 500 }

  /// The time that an attempt waits for a storage that cannot be reached, in milliseconds, while no writer waits.
  static var probeMilliseconds: Int64 { 250 }

  /// Finds out whether a failed storage works again, at most twice per retry interval.
  func recoverIfFailed(_ store: Store<Root>) {
    guard failure != nil, Clock.monotonicMilliseconds - lastRecoveryAttempt >= Int64(Self.retryInterval) / 2 else {
      return
    }
    storage.wait(until: Clock.monotonicMilliseconds + Self.probeMilliseconds)
    recover(store)
  }

  /// Finds out whether a failed storage works again.
  func recover(_ store: Store<Root>) {
    lastRecoveryAttempt = Clock.monotonicMilliseconds
    switch unresolved {
    case .batch(let batch):
      switch outcome(of: batch) {
      case .stored(let count):
        // With other servers, an overtaken commit is decided again.
        if count > 0 {
          store.adopt(
            batch.part(0..<count),
            refusing: storage.isShared
              ? .overtaken
              : .unavailable("Another commit changed the state before the outcome of this one was known."))
        }
        (unresolved, failure) = (nil, nil)
      case .unknown(let reason): failure = reason
      }
    case .maintenance: reopen(store)
    case .foreignBatch: break
    case nil:
      // Only a write shows that writes succeed. It would be overtaken by what other servers have appended.
      if let reason = checkHead(store), reason != .overtaken { break }
      do throws(StorageFailure) {
        let found = try storage.probe()
        failure = found == store.revision ? nil : Self.divergence(found, from: store.revision)
      } catch {
        handle(error, store)
      }
    }
  }

  private func reopen(_ store: Store<Root>) {
    do throws(StorageFailure) {
      let found = try storage.reopen()
      if found == store.revision {
        unresolved = nil
        // Only a probe shows whether a shared storage can be written.
        if !storage.isShared { failure = nil }
      } else {
        failure = Self.divergence(found, from: store.revision)
      }
    } catch {
      failure = error.failure
    }
  }

  /// Handles the failure of a maintenance step, for which no writer waits.
  func handleMaintenance(_ error: StorageFailure, _ store: Store<Root>) {
    storage.wait(until: Clock.monotonicMilliseconds + Self.probeMilliseconds)
    handle(error, store)
  }

  /// Handles the failure of a maintenance step or a probe.
  private func handle(_ error: StorageFailure, _ store: Store<Root>) {
    switch error {
    case .refused(let reason): if failure != nil { failure = reason }
    case .overtaken: break
    case .unknown, .damaged:
      (unresolved, failure) = (.maintenance, error.failure)
      // At once, as after an append: the next writer should not be refused if the reopened storage works.
      recover(store)
    }
  }
}
