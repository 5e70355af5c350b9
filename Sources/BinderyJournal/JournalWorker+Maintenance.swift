import BinderyCore
import BinderySystem

extension JournalWorker {
  /// The number of new revisions after which expired ones are removed. Each removal is a transaction of its own.
  private static var removalInterval: Int { 1_024 }

  /// The number of new bytes after which expired revisions are removed. The stored revisions exceed the retention by
  /// this much at most, in addition to those that the next start needs.
  private var removalBytes: Int { min(max(1 << 20, retention.bytes / 16), 16 << 20) }

  private var isRemovalDue: Bool {
    revisionsSinceRemoval >= Self.removalInterval || bytesSinceRemoval >= removalBytes
  }

  /// Whether a snapshot of a revision is due. The revision must be a later one than that of the latest
  /// snapshot, whose pieces would otherwise be overwritten before the new one is complete.
  private func isSnapshotDue(at revision: Int) -> Bool {
    maySnapshot(at: revision)
      && (isLayoutNew && replayCost >= layoutSnapshotCost || replayCost >= ReplayCost.bound(after: snapshotBytes))
  }

  /// Returns whether a snapshot of a revision may be written.
  ///
  /// The one with which a changed model begins must not: it would lack the values that only the previous model has, and
  /// which that one reads again if the changed model writes nothing.
  private func maySnapshot(at revision: Int) -> Bool {
    revision > snapshotRevision && revision != revisionOfPreviousModel
  }

  /// Whether so much was appended since the last step that the next one must not wait. A step after each batch would
  /// double the number of transactions.
  private var isStepDue: Bool {
    bytesSinceStep >= JournalStep.bytes || revisionsSinceStep >= Self.removalInterval / 2
  }

  /// Whether a step of maintenance must not wait until there is nothing to write, which never happens while several
  /// clients write without pause.
  func isMaintenanceDue(_ store: Store<Root>) -> Bool {
    failure == nil && (isWritingSnapshot || isSnapshotDue(at: store.revision) || isRemovalDue && isStepDue)
  }

  /// Writes a snapshot if one is due, or removes some expired revisions.
  ///
  /// - Parameter serve: Writes a pending batch; called between the pieces of a snapshot. Returns false to abandon the
  ///   snapshot.
  /// - Returns: Whether there is more to do at once.
  func runMaintenance(_ store: Store<Root>, serve: () -> Bool) -> Bool {
    guard failure == nil else { return false }
    var isRemoving = false
    do throws(StorageFailure) {
      if isSnapshotDue(at: store.revision) || isRemovalDue, !(try storage.leadsMaintenance()) {
        // Another server does it. If that one has just stopped, the next time is soon enough. A server of the previous
        // model may lead for a while after the first write of this one, and stores no snapshot any more.
        (replayCost, layoutSnapshotCost) = (0, ReplayCost.betweenAttempts)
        (revisionsSinceRemoval, bytesSinceRemoval) = (0, 0)
        (revisionsSinceStep, bytesSinceStep) = (0, 0)
      } else if isSnapshotDue(at: store.revision) {
        try writeSnapshot(of: store.snapshot, serve: serve)
        // The revisions that the snapshot covers can now be removed.
        revisionsSinceRemoval = .max / 2
        return true
      } else if isRemovalDue {
        // More than was appended since the last step, so that the history does not grow while clients write.
        let limit = max(JournalStep.bytes, 2 * bytesSinceStep)
        (revisionsSinceStep, bytesSinceStep) = (0, 0)
        isRemoving = true
        let hasMore = try storage.removeExpired(retention, atMost: limit)
        // Not only at the end, which does not come while clients write at the limit of the history.
        metrics.setHistoryBytes(try storage.historySize())
        if hasMore { return true }
        (revisionsSinceRemoval, bytesSinceRemoval) = (0, 0)
      }
    } catch {
      // If the storage refuses it, writers should not wait for an attempt after each batch.
      if isRemoving { (revisionsSinceRemoval, bytesSinceRemoval) = (0, 0) }
      handleMaintenance(error, store)
    }
    return false
  }

  /// Writes a snapshot of a small state before the storage is closed, so that the next start, perhaps with another
  /// version of the model, depends on no earlier values. A large state keeps its revisions to replay instead.
  func writeLastSnapshot(_ store: Store<Root>) {
    guard failure == nil, maySnapshot(at: store.revision), snapshotBytes <= ReplayCost.smallSnapshotBytes else {
      return
    }
    do throws(StorageFailure) { try writeSnapshot(of: store.snapshot) { true } } catch {
      handleMaintenance(error, store)
    }
  }

  /// Writes a snapshot in pieces. Pending batches are written between pieces, so that writers wait for one piece, or
  /// for a quarter of the bytes that they have appended: a snapshot must end, because the revisions since the last one
  /// are kept.
  private func writeSnapshot(of version: Snapshot<Root>, serve: () -> Bool) throws(StorageFailure) {
    let cost = replayCost
    var isComplete = false
    // Revisions that arrive during the write are not in the snapshot and keep their cost. After a failure half of the
    // cost remains, so that the next attempt is made later. A snapshot that was due because of changed types is then
    // written after the next start.
    defer { replayCost -= isComplete ? cost : cost / 2 }
    (isLayoutNew, isWritingSnapshot, bytesSinceStep) = (false, true, 0)
    defer { isWritingSnapshot = false }
    let length = try storage.writeSnapshot(of: version.root, model, at: version.revision) { byteCount in
      bytesSinceStep = max(0, bytesSinceStep - 4 * byteCount)
      return (bytesSinceStep > 0 || serve()) && failure == nil
    }
    guard let length else { return }
    isComplete = true
    (snapshotBytes, snapshotRevision) = (length, version.revision)
    metrics.recordSnapshot()
  }
}

/// The size of a step of maintenance.
package enum JournalStep {
  /// The number of bytes that a step handles if little was appended since the one before.
  package static var bytes: Int { 4 << 20 }

  /// The number of revisions' rows that are examined to remove a number of bytes. A row of many revisions has about
  /// 1 MiB.
  package static func rows(_ bytes: Int) -> Int { 1_024 + bytes >> 20 }

  /// The number of pieces of old snapshots that are removed together with a number of bytes of revisions.
  package static func pieces(_ bytes: Int) -> Int { max(4, bytes >> 18) }
}
