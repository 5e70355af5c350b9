import BinderyCore
import BinderyJSON
import BinderySystem

/// What a journal's thread does; confined to it.
final class JournalWorker<Root: Model, Kept: JournalStorage> {
  /// Something may or may not have been kept: before the next write the log must be looked at afresh.
  private enum Doubt {
    /// Whether this batch, whose writers have been answered.
    case batch(Batch<Root>)
    /// Nothing that anybody waits for.
    case upkeep
  }

  private enum Verdict {
    case kept
    case notKept
    case unknown(JournalFailure)
  }

  let log: Kept
  private let retention: Retention
  private let health: JournalHealth
  private let metrics: JournalMetrics
  /// Why nothing can be kept just now.
  private(set) var trouble: JournalFailure? {
    didSet { health.set(trouble) }
  }
  private var doubt: Doubt?
  /// When healing was tried last, on the monotonic clock.
  private var lastHealing: Int64 = 0

  /// When the last revision was kept: history goes forward, whatever the clock is set to.
  private var lastTime: Int64 = 0
  /// Of what is behind the snapshot.
  private var replayCost: Int
  private var snapshotBytes: Int
  /// The types have changed: what their members were before is not to be read for longer than need be.
  private var isLayoutNew: Bool
  private var revisionsSinceForgetting = Int.max / 2

  init(
    _ log: Kept, _ recovery: Recovery<Root>, _ retention: Retention, _ health: JournalHealth, _ metrics: JournalMetrics
  ) {
    self.log = log
    self.health = health
    self.metrics = metrics
    self.retention = retention
    replayCost = recovery.replayedCost
    snapshotBytes = recovery.snapshotBytes
    isLayoutNew = recovery.isLayoutNew
  }
}

// MARK: Keeping

extension JournalWorker {
  /// Keeps a batch, or finds that it cannot be kept, and tells the store.
  func keep(_ batch: Batch<Root>, _ store: Store<Root>) {
    if doubt != nil, let trouble { return store.finish(batch, .failure(trouble)) }
    let revisions = revisions(of: batch)
    do throws(StorageFailure) {
      try append(revisions)
    } catch .refused(let failure) {
      trouble = failure
      return store.finish(batch, .failure(failure))
    } catch {
      switch verdict(on: batch) {
      case .kept: break
      case .notKept:
        trouble = nil
        return store.finish(batch, .failure(error.failure))
      case .unknown(let failure):
        doubt = .batch(batch)
        trouble = failure
        return store.finish(batch, .failure(failure))
      }
    }
    if trouble != nil { trouble = nil }
    store.finish(batch, .success(()))
    for one in revisions { replayCost += ReplayCost.of(patchBytes: one.patchByteCount) }
    revisionsSinceForgetting += revisions.count
  }

  /// Writes revisions, and counts what that took.
  private func append(_ revisions: [Revision]) throws(StorageFailure) {
    let begun = Clock.monotonicNanoseconds
    var isKept = false
    defer {
      metrics.wrote(revisions: revisions.count, nanoseconds: Clock.monotonicNanoseconds - begun, isKept: isKept)
    }
    try log.append(revisions)
    isKept = true
  }

  private func revisions(of batch: Batch<Root>) -> [Revision] {
    lastTime = max(lastTime, Clock.wallMilliseconds)
    var before = batch.base
    return batch.drafts.map { draft in
      defer { before = draft }
      return Revision(at: lastTime, from: before, to: draft)
    }
  }

  /// What is on disk decides.
  private func verdict(on batch: Batch<Root>) -> Verdict {
    lastHealing = Clock.monotonicMilliseconds
    let found: Int
    do throws(StorageFailure) { found = try log.reopen() } catch { return .unknown(error.failure) }
    switch found {
    case batch.drafts.last?.revision: return .kept
    case batch.base.revision: return .notKept
    default: return .unknown(Self.strayed(found, from: batch.base.revision))
    }
  }

  private static func strayed(_ found: Int, from revision: Int) -> JournalFailure {
    .unavailable("the store is at revision \(found) on disk, and revision \(revision) had been kept there")
  }
}

// MARK: Healing

extension JournalWorker {
  /// How often a log in trouble is tried, in milliseconds.
  static var healingInterval: Int { 500 }

  /// Looks whether the trouble has passed, unless it did so just now.
  func heal(_ store: Store<Root>) {
    guard trouble != nil, Clock.monotonicMilliseconds - lastHealing >= Int64(Self.healingInterval) / 2 else { return }
    lastHealing = Clock.monotonicMilliseconds
    switch doubt {
    case .batch(let batch):
      switch verdict(on: batch) {
      case .kept:
        if let last = batch.drafts.last {
          store.adopt(last, refusing: .unavailable("The state has become another one in the meantime."))
        }
        (doubt, trouble) = (nil, nil)
      case .notKept: (doubt, trouble) = (nil, nil)
      case .unknown(let failure): trouble = failure
      }
    case .upkeep: reopen(store)
    case nil:
      do throws(StorageFailure) {
        try log.probe()
        trouble = nil
      } catch {
        meet(error)
      }
    }
  }

  private func reopen(_ store: Store<Root>) {
    do throws(StorageFailure) {
      let found = try log.reopen()
      if found == store.revision {
        (doubt, trouble) = (nil, nil)
      } else {
        trouble = Self.strayed(found, from: store.revision)
      }
    } catch {
      trouble = error.failure
    }
  }

  /// Takes note of what went wrong where no writer waits for it.
  private func meet(_ failure: StorageFailure) {
    switch failure {
    case .refused(let reason): if trouble != nil { trouble = reason }
    case .unknown, .damaged: (doubt, trouble) = (.upkeep, failure.failure)
    }
  }
}

// MARK: Upkeep

extension JournalWorker {
  /// How many revisions come before those are forgotten that need not be kept any more: each time is a transaction.
  private static var forgettingInterval: Int { 1_024 }

  private var isSnapshotDue: Bool { isLayoutNew || replayCost >= ReplayCost.bound(behind: snapshotBytes) }

  /// Does some of what is not urgent.
  ///
  /// - Parameter serve: does what is.
  /// - Returns: whether there is more to do at once.
  func tidy(_ store: Store<Root>, serve: () -> Void) -> Bool {
    guard trouble == nil else { return false }
    do throws(StorageFailure) {
      if isSnapshotDue {
        try takeSnapshot(of: store.snapshot, serve: serve)
        // What it stands for can be forgotten.
        revisionsSinceForgetting = .max / 2
        return true
      } else if revisionsSinceForgetting >= Self.forgettingInterval {
        if try log.forget(retention) { return true }
        revisionsSinceForgetting = 0
      }
    } catch {
      meet(error)
    }
    return false
  }

  /// Writes a version in pieces; between them the batches that have come meanwhile are kept, for which nobody waits
  /// longer than a piece takes.
  private func takeSnapshot(of version: Snapshot<Root>, serve: () -> Void) throws(StorageFailure) {
    let behind = replayCost
    var isWhole = false
    // What came while it was being written is behind it. After a failure it is tried again, but not at once; what the
    // types were before is then left to the next start.
    defer { replayCost -= isWhole ? behind : behind / 2 }
    isLayoutNew = false
    let length = try log.keep(version.root, at: version.revision) {
      serve()
      return trouble == nil
    }
    guard let length else { return }
    isWhole = true
    snapshotBytes = length
    metrics.wroteSnapshot()
  }
}
