package import BinderyCore

/// The state recovered from a storage: the latest snapshot with all later revisions applied.
package struct Recovery<Root: Sendable>: Sendable {
  package let model: ModelDefinition<Root>
  package let root: Root
  package let revision: Int
  /// The number of revisions that were replayed on the snapshot.
  package let replayed: Int
  /// The members that were added to or removed from the model since the snapshot was written.
  package let changes: LayoutChanges
  /// The members that the types no longer have, with the number of values that are dropped; one line for each.
  package let dropped: [String]
  /// The results of the latest commits with idempotency keys, in the order of the commits.
  package let keyedResults: [KeyedResult]
  /// The cost of the replay; see ``ReplayCost``.
  let replayedCost: Int
  let snapshotBytes: Int
  /// Indicates whether the snapshot was written with other types, or does not record its layout.
  let isLayoutNew: Bool

  /// Recovers the state from a storage; an empty storage gets a snapshot of `initial`.
  ///
  /// - Throws: ``RecoveryError``; the storage is unchanged then.
  package init(
    from storage: some JournalStorage, of model: ModelDefinition<Root>, startingWith initial: () -> Root
  ) throws(RecoveryError) {
    if let found = try Recovery(of: model, in: storage) {
      self = found
      return
    }
    let root = initial()
    do throws(StorageFailure) {
      snapshotBytes = try storage.writeSnapshot(of: root, model, at: 0) ?? 0
    } catch { throw .cannotWrite(error.failure) }
    self.model = model
    self.root = root
    (revision, replayed, replayedCost) = (0, 0, 0)
    changes = LayoutChanges(from: nil, to: model)
    dropped = []
    isLayoutNew = false
    keyedResults = []
  }

  /// Recovers the state from a storage; nil if the storage is empty.
  package init?(of model: ModelDefinition<Root>, in storage: some JournalStorage) throws(RecoveryError) {
    // The helper returns no reference to the text, so that its memory is free before the replay.
    guard let (found, snapshot) = try Self.snapshot(of: storage, model) else { return nil }
    var root = found
    var last = snapshot.revision
    var cost = 0
    let failure: StorageFailure?
    do throws(RestoreError) {
      failure = try storage.forEachPatch(after: snapshot.revision) { number, patch throws(RestoreError) in
        last = number
        cost += ReplayCost.of(patchBytes: patch.count)
        try model.shape.restore(&root, try StoredPatch(parsing: patch))
      }
    } catch { throw try Self.misfit(storage, model, "revision \(last): \(error)") }
    if let failure { throw RecoveryError(reading: failure) }
    do throws(StorageFailure) {
      keyedResults = try storage.keyedResults()
    } catch { throw RecoveryError(reading: error) }
    // The constraints of the types may be stricter than when the state was written.
    do throws(ValidationError) {
      try model.shape.check(root)
    } catch {
      var fit = StoredFit(with: model.shape.type)
      try? fit.add(state: model.shape.stored(root))
      throw .misfit(fit.mistakeLines, otherwise: "\(error.detail) (at \(error.pointer))")
    }
    self.model = model
    self.root = root
    revision = last
    replayed = last - snapshot.revision
    replayedCost = cost
    snapshotBytes = snapshot.length
    changes = LayoutChanges(from: snapshot.layout, to: model)
    dropped = snapshot.dropped
    isLayoutNew = snapshot.layout == nil || !changes.isEmpty
  }

  private static func snapshot(
    of storage: some JournalStorage, _ model: ModelDefinition<Root>
  ) throws(RecoveryError) -> (root: Root, snapshot: SnapshotSummary)? {
    let found: StoredSnapshot?
    do throws(StorageFailure) { found = try storage.snapshot() } catch { throw RecoveryError(reading: error) }
    guard let found else { return nil }
    do throws(RestoreError) {
      let root = try model.shape.restore(found.content)
      var fit = StoredFit(with: model.shape.type)
      if !LayoutChanges(from: found.layout, to: model).removed.isEmpty { try fit.add(state: found.content) }
      return (root, (found.revision, found.content.count, found.layout, fit.droppedLines))
    } catch { throw try misfit(storage, model, "the snapshot of revision \(found.revision): \(error)") }
  }

  private typealias SnapshotSummary = (revision: Int, length: Int, layout: String?, dropped: [String])

  /// Returns the error of a stored state that does not fit the types, with all places that do not.
  ///
  /// - Parameter first: The mistake that decoding ended at.
  private static func misfit(
    _ storage: some JournalStorage, _ model: ModelDefinition<Root>, _ first: String
  ) throws(RecoveryError) -> RecoveryError {
    var fit = StoredFit(with: model.shape.type)
    let snapshot: StoredSnapshot?
    do throws(StorageFailure) { snapshot = try storage.snapshot() } catch { throw RecoveryError(reading: error) }
    if let snapshot { try? fit.add(state: snapshot.content) }
    let failure = try storage.forEachPatch(after: snapshot?.revision ?? 0) { _, patch throws(RecoveryError) in
      if let patch = try? StoredPatch(parsing: patch) { fit.add(patch) }
    }
    if let failure { return RecoveryError(reading: failure) }
    return .misfit(fit.mistakeLines, otherwise: first)
  }
}

extension Recovery where Root: StateModel {
  /// Recovers the state of a model in Swift; an empty storage gets a snapshot of `initial`.
  package init(from storage: some JournalStorage, startingWith initial: () -> Root) throws(RecoveryError) {
    try self.init(from: storage, of: ModelDefinition(), startingWith: initial)
  }

  /// Recovers the state of a model in Swift; nil if the storage is empty.
  package init?(of storage: some JournalStorage) throws(RecoveryError) {
    try self.init(of: ModelDefinition(), in: storage)
  }
}

/// The differences between the types of a model and the types that wrote a snapshot.
package struct LayoutChanges: Sendable, Equatable {
  package let added: [String]
  package let removed: [String]

  package var isEmpty: Bool { added.isEmpty && removed.isEmpty }

  /// - Parameter stored: The layout stored with the snapshot; nil if there is none.
  init<Root: Sendable>(from stored: String?, to model: ModelDefinition<Root>) {
    let layout = model.shape.type.storedLayout
    let old = stored.map { $0.split(separator: "\n").map(String.init) } ?? layout
    let (oldLines, newLines) = (Set(old), Set(layout))
    added = layout.filter { !oldLines.contains($0) }
    removed = old.filter { !newLines.contains($0) }
  }

  /// Returns the layout text to store with a snapshot.
  static func text<Root: Sendable>(of model: ModelDefinition<Root>) -> String {
    model.shape.type.storedLayout.joined(separator: "\n")
  }
}

/// The cost of replaying revisions. The unit is the time for reading one byte of a snapshot.
enum ReplayCost {
  static func of(patchBytes: Int) -> Int {
    // Parsing, resolving and applying a patch has a fixed cost, however short it is.
    patchBytes + 512
  }

  /// The size up to which a snapshot takes no noticeable time.
  static let smallSnapshotBytes = 1 << 20

  /// Returns the replay cost at which a new snapshot is due. It limits the startup time to about 1.5 times the time for
  /// reading the snapshot, or to a few hundredths of a second for a small snapshot.
  static func bound(after snapshotBytes: Int) -> Int { max(smallSnapshotBytes, snapshotBytes / 2) }
}

/// A reason why the state cannot be recovered.
package enum RecoveryError: Error, Hashable, Sendable, CustomStringConvertible {
  case cannotRead(String)
  case cannotWrite(JournalFailure)
  /// The stored data differs from what was written.
  case damaged(String)
  /// The stored data was not written by this program, or it does not fit the model.
  case unreadable(String)

  init(reading failure: StorageFailure) {
    self = if case .damaged(let detail) = failure { .damaged(detail) } else { .cannotRead(failure.failure.reason) }
  }

  /// Returns the error of a stored state that does not fit the types.
  ///
  /// - Parameters:
  ///   - lines: A line for each place.
  ///   - detail: The reason if there is no line.
  static func misfit(_ lines: [String], otherwise detail: String) -> RecoveryError {
    .unreadable(lines.isEmpty ? detail : "nothing was changed\n" + lines.joined(separator: "\n"))
  }

  package var description: String {
    switch self {
    case .cannotRead(let reason): "cannot be read: \(reason)"
    case .cannotWrite(let failure): "cannot be written: \(failure.reason)"
    case .damaged(let detail): "is damaged: \(detail); restore a backup"
    case .unreadable(let reason): "does not fit the model of this server: \(reason)"
    }
  }
}
