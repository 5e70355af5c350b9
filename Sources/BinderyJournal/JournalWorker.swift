import BinderyCore
import BinderyJSON
import BinderySystem

/// The work of a journal's thread: writing batches, recovering from failures, and maintenance. Confined to that
/// thread.
final class JournalWorker<Root: Model, Storage: JournalStorage> {
  /// An operation of unknown outcome. The storage must be reopened before the next write.
  private enum UnresolvedOperation {
    /// A batch whose outcome is unknown. Its writers have received an error.
    case batch(Batch<Root>)
    /// A maintenance step, for which no writer waits.
    case maintenance
  }

  /// The outcome of a batch, as found in the reopened storage.
  private enum BatchOutcome {
    case stored
    case notStored
    case unknown(JournalFailure)
  }

  let storage: Storage
  private let retention: Retention
  private let health: JournalHealth
  private let metrics: JournalMetrics
  /// The reason why writes fail at present; nil if they succeed.
  private(set) var failure: JournalFailure? {
    didSet { health.set(failure) }
  }
  private var unresolved: UnresolvedOperation?
  /// The time of the last recovery attempt, in milliseconds of the monotonic clock.
  private var lastRecoveryAttempt: Int64 = 0

  /// The time of the last revision, in milliseconds since 1970. Times in the history never decrease, even if the clock
  /// is set back.
  private var lastTime: Int64 = 0
  /// The cost of replaying the revisions after the last snapshot; see ``ReplayCost``.
  private var replayCost: Int
  private var snapshotBytes: Int
  /// Indicates whether the model's types have changed since the last snapshot, so that a new one is due.
  private var isLayoutNew: Bool
  private var revisionsSinceRemoval = Int.max / 2

  init(
    _ storage: Storage, _ recovery: Recovery<Root>, _ retention: Retention, _ health: JournalHealth,
    _ metrics: JournalMetrics
  ) {
    self.storage = storage
    self.health = health
    self.metrics = metrics
    self.retention = retention
    replayCost = recovery.replayedCost
    snapshotBytes = recovery.snapshotBytes
    isLayoutNew = recovery.isLayoutNew
  }
}

// MARK: Appending

extension JournalWorker {
  /// Writes a batch to the storage and reports the outcome to the store.
  func write(_ batch: Batch<Root>, _ store: Store<Root>) {
    if unresolved != nil, let failure { return store.finish(batch, .failure(failure)) }
    let revisions = revisions(of: batch)
    do throws(StorageFailure) {
      try append(revisions)
    } catch .refused(let reason) {
      failure = reason
      return store.finish(batch, .failure(reason))
    } catch {
      switch outcome(of: batch) {
      case .stored: break
      case .notStored:
        failure = nil
        return store.finish(batch, .failure(error.failure))
      case .unknown(let reason):
        unresolved = .batch(batch)
        failure = reason
        return store.finish(batch, .failure(reason))
      }
    }
    if failure != nil { failure = nil }
    store.finish(batch, .success(()))
    for revision in revisions { replayCost += ReplayCost.of(patchBytes: revision.patchByteCount) }
    revisionsSinceRemoval += revisions.count
  }

  /// Appends revisions and records the duration.
  private func append(_ revisions: [Revision]) throws(StorageFailure) {
    let start = Clock.monotonicNanoseconds
    var isStored = false
    defer {
      metrics.recordBatch(
        revisions: revisions.count, nanoseconds: Clock.monotonicNanoseconds - start, isStored: isStored)
    }
    try storage.append(revisions)
    isStored = true
  }

  private func revisions(of batch: Batch<Root>) -> [Revision] {
    lastTime = max(lastTime, Clock.wallMilliseconds)
    var previous = batch.base
    return batch.drafts.map { draft in
      defer { previous = draft }
      return Revision(at: lastTime, from: previous, to: draft)
    }
  }

  /// Reopens the storage and finds out whether it has the batch.
  private func outcome(of batch: Batch<Root>) -> BatchOutcome {
    lastRecoveryAttempt = Clock.monotonicMilliseconds
    let found: Int
    do throws(StorageFailure) { found = try storage.reopen() } catch { return .unknown(error.failure) }
    switch found {
    case batch.drafts.last?.revision: return .stored
    case batch.base.revision: return .notStored
    default: return .unknown(Self.divergence(found, from: batch.base.revision))
    }
  }

  private static func divergence(_ found: Int, from revision: Int) -> JournalFailure {
    .unavailable("The store on disk is at revision \(found), although revision \(revision) was committed to it.")
  }
}

// MARK: Recovery

extension JournalWorker {
  /// The interval between attempts to recover a failed storage, in milliseconds.
  static var retryInterval: Int { 500 }

  /// Finds out whether a failed storage works again, at most twice per retry interval.
  func recoverIfFailed(_ store: Store<Root>) {
    guard failure != nil, Clock.monotonicMilliseconds - lastRecoveryAttempt >= Int64(Self.retryInterval) / 2 else {
      return
    }
    lastRecoveryAttempt = Clock.monotonicMilliseconds
    switch unresolved {
    case .batch(let batch):
      switch outcome(of: batch) {
      case .stored:
        if let last = batch.drafts.last {
          store.adopt(
            last,
            refusing: .unavailable("Another commit changed the state before the outcome of this one was known."))
        }
        (unresolved, failure) = (nil, nil)
      case .notStored: (unresolved, failure) = (nil, nil)
      case .unknown(let reason): failure = reason
      }
    case .maintenance: reopen(store)
    case nil:
      do throws(StorageFailure) {
        try storage.probe()
        failure = nil
      } catch {
        handle(error)
      }
    }
  }

  private func reopen(_ store: Store<Root>) {
    do throws(StorageFailure) {
      let found = try storage.reopen()
      if found == store.revision {
        (unresolved, failure) = (nil, nil)
      } else {
        failure = Self.divergence(found, from: store.revision)
      }
    } catch {
      failure = error.failure
    }
  }

  /// Handles the failure of a maintenance step or a probe, for which no writer waits.
  private func handle(_ error: StorageFailure) {
    switch error {
    case .refused(let reason): if failure != nil { failure = reason }
    case .unknown, .damaged: (unresolved, failure) = (.maintenance, error.failure)
    }
  }
}

// MARK: Maintenance

extension JournalWorker {
  /// The number of new revisions after which expired ones are removed. Each removal is a transaction of its own.
  private static var removalInterval: Int { 1_024 }

  private var isSnapshotDue: Bool { isLayoutNew || replayCost >= ReplayCost.bound(after: snapshotBytes) }

  /// Writes a snapshot if one is due, or removes some expired revisions.
  ///
  /// - Parameter serve: Writes pending batches; called between the pieces of a snapshot.
  /// - Returns: Whether there is more to do at once.
  func runMaintenance(_ store: Store<Root>, serve: () -> Void) -> Bool {
    guard failure == nil else { return false }
    do throws(StorageFailure) {
      if isSnapshotDue {
        try writeSnapshot(of: store.snapshot, serve: serve)
        // The revisions that the snapshot covers can now be removed.
        revisionsSinceRemoval = .max / 2
        return true
      } else if revisionsSinceRemoval >= Self.removalInterval {
        if try storage.removeExpired(retention) { return true }
        revisionsSinceRemoval = 0
      }
    } catch {
      handle(error)
    }
    return false
  }

  /// Writes a snapshot in pieces. Pending batches are written between the pieces, so that no writer waits for more than
  /// one piece.
  private func writeSnapshot(of version: Snapshot<Root>, serve: () -> Void) throws(StorageFailure) {
    let cost = replayCost
    var isComplete = false
    // Revisions that arrive during the write are not in the snapshot and keep their cost. After a failure half of the
    // cost remains, so that the next attempt is made later. A snapshot that was due because of changed types is then
    // written after the next start.
    defer { replayCost -= isComplete ? cost : cost / 2 }
    isLayoutNew = false
    let length = try storage.writeSnapshot(of: version.root, at: version.revision) {
      serve()
      return failure == nil
    }
    guard let length else { return }
    isComplete = true
    snapshotBytes = length
    metrics.recordSnapshot()
  }
}
