package import BinderyCore

/// The state as a log has it, and how it was found.
package struct Recovery<Root: Model>: Sendable {
  package let root: Root
  package let revision: Int
  /// How many revisions were carried out again on the snapshot.
  package let replayed: Int
  /// What has become of members since another version of the model wrote the snapshot.
  package let changes: LayoutChanges
  /// What that was in all.
  let replayedCost: Int
  let snapshotBytes: Int
  /// The snapshot does not say what the types store today.
  let isLayoutNew: Bool

  /// Reads the state from a log; one where nothing has been kept yet begins with `initial`.
  ///
  /// - Throws: ``RecoveryError``; nothing that was kept has changed then.
  package init(from log: some JournalStorage, startingWith initial: () -> Root) throws(RecoveryError) {
    if let found = try Recovery(of: log) {
      self = found
      return
    }
    let root = initial()
    do throws(StorageFailure) {
      snapshotBytes = try log.keep(root, at: 0) ?? 0
    } catch { throw .cannotWrite(error.failure) }
    self.root = root
    (revision, replayed, replayedCost) = (0, 0, 0)
    changes = LayoutChanges(from: nil, to: Root.self)
    isLayoutNew = false
  }

  /// Reads the state from a log; nil where nothing has been kept yet.
  package init?(of log: some JournalStorage) throws(RecoveryError) {
    // The text is not kept longer than it takes to read it.
    guard let (found, kept) = try Self.snapshot(of: log) else { return nil }
    var root = found
    var last = kept.revision
    var cost = 0
    let failure = try log.forEachPatch(after: kept.revision) { number, patch throws(RecoveryError) in
      last = number
      cost += ReplayCost.of(patchBytes: patch.count)
      do throws(RestoreError) {
        try Root.shape.restore(&root, try StoredPatch(parsing: patch))
      } catch { throw .unreadable("revision \(number): \(error)") }
    }
    if let failure { throw RecoveryError(reading: failure) }
    // The types may have become stricter since it was kept.
    do throws(ValidationError) {
      try Root.shape.check(root)
    } catch { throw .unreadable("the state does not fit the types any more: \(error.detail) (at \(error.pointer))") }
    self.root = root
    revision = last
    replayed = last - kept.revision
    replayedCost = cost
    snapshotBytes = kept.length
    changes = LayoutChanges(from: kept.layout, to: Root.self)
    isLayoutNew = kept.layout == nil || !changes.isEmpty
  }

  private static func snapshot(
    of log: some JournalStorage
  ) throws(RecoveryError) -> (root: Root, kept: (revision: Int, length: Int, layout: String?))? {
    let found: StoredSnapshot?
    do throws(StorageFailure) { found = try log.snapshot() } catch { throw RecoveryError(reading: error) }
    guard let found else { return nil }
    do throws(RestoreError) {
      return (try Root.shape.restore(found.content), (found.revision, found.content.count, found.layout))
    } catch { throw .unreadable("the snapshot of revision \(found.revision): \(error)") }
  }
}

/// What it takes to carry revisions out again, in bytes of a snapshot that are read in the same time.
enum ReplayCost {
  static func of(patchBytes: Int) -> Int {
    // However short it is, a patch is parsed, resolved and descended for.
    patchBytes + 512
  }

  /// What may stand behind a snapshot of a length: a start takes about half as long again as it takes to read the
  /// snapshot, or some hundredths of a second where that is short.
  static func bound(behind snapshotBytes: Int) -> Int { max(1 << 20, snapshotBytes / 2) }
}

/// Why a store cannot be served from.
package enum RecoveryError: Error, Hashable, Sendable, CustomStringConvertible {
  case cannotRead(String)
  case cannotWrite(JournalFailure)
  /// What stands there is not what was written.
  case damaged(String)
  /// What is kept was written by something else, or for a model that this one cannot stand for.
  case unreadable(String)

  init(reading failure: StorageFailure) {
    self = if case .damaged(let what) = failure { .damaged(what) } else { .cannotRead(failure.failure.reason) }
  }

  package var description: String {
    switch self {
    case .cannotRead(let reason): "cannot be read: \(reason)"
    case .cannotWrite(let failure): "cannot be written: \(failure.reason)"
    case .damaged(let what): "is damaged: \(what); bring back a backup"
    case .unreadable(let reason): "is not readable with this model: \(reason)"
    }
  }
}
