package import BinderyCore

/// The state recovered from a storage: the latest snapshot with all later revisions applied.
package struct Recovery<Root: Sendable>: Sendable {
  package let model: ModelDefinition<Root>
  /// The state, settled by the rules of a model file if its types have changed.
  package let root: Root
  /// The state as it is stored. It differs from ``root`` until the first revision of a changed model.
  package let storedRoot: Root
  package let revision: Int
  /// The number of revisions that were replayed on the snapshot.
  package let replayed: Int
  /// The members that were added to or removed from the model since the latest revision was written.
  package let changes: LayoutChanges
  /// The members that the types no longer have, with the number of values that are dropped; one line for each.
  package let dropped: [String]
  /// The results of the latest commits with idempotency keys, in the order of the commits.
  package private(set) var keyedResults: [KeyedResult] = []
  /// The cost of the replay; see ``ReplayCost``.
  let replayedCost: Int
  let snapshotBytes: Int
  /// Whether the snapshot was written with other types, or does not record its layout.
  let isLayoutNew: Bool

  /// The state as it is stored, and its revision, if the types of the model have changed since.
  var unsettled: (root: Root, revision: Int)? { changes.isEmpty ? nil : (storedRoot, revision) }

  /// The changes of the model since the latest revision was written, for the log, and whether each is a loss of
  /// values. Removing a member is none if no value had it, or if its object is open and keeps the value.
  package var modelChanges: [(text: String, isLoss: Bool)] {
    let retyped = changes.retyped
    return changes.added.filter { !retyped.values.contains($0) }.map { ("added to the model: \($0)", false) }
      + changes.removed.map { line in
        if let new = retyped[line] {
          ("changed in the model: \(line) is \(new) now", false)
        } else {
          ("removed from the model: \(line)", false)
        }
      }
      + dropped.map { ("removed from the state: \($0)", true) }
  }

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
    (self.root, storedRoot) = (root, root)
    (revision, replayed, replayedCost) = (0, 0, 0)
    changes = LayoutChanges(from: nil, to: model)
    dropped = []
    isLayoutNew = false
  }

  /// Recovers the state from a storage; nil if the storage is empty.
  package init?(of model: ModelDefinition<Root>, in storage: some JournalStorage) throws(RecoveryError) {
    do throws(RecoveryError) {
      guard let restored = try Self.restored(from: storage, model) else { return nil }
      self = restored
    } catch {
      guard case .misfit(let reason) = error else { throw error }
      // A value of the snapshot may not fit the model although the newest value at its place does.
      self = try Self.newest(of: storage, model, otherwise: reason)
    }
    do throws(StorageFailure) {
      keyedResults = try storage.keyedResults()
    } catch { throw RecoveryError(reading: error) }
  }

  private init(
    _ root: Root, of model: ModelDefinition<Root>, _ snapshot: SnapshotSummary, _ replay: Replay, dropped: [String]
  ) throws(RecoveryError) {
    self.model = model
    self.dropped = dropped
    revision = replay.revision
    replayed = replay.revision - snapshot.revision
    replayedCost = replay.cost
    snapshotBytes = snapshot.length
    changes = LayoutChanges(from: snapshot.layout, to: model)
    storedRoot = root
    var root = root
    if !changes.isEmpty {
      do throws(InvalidState) { try model.settle(recovered: &root) } catch { throw .misfit("\(error)") }
    }
    self.root = root
    isLayoutNew = snapshot.layout != LayoutChanges.text(of: model)
  }

  /// Decodes the snapshot, applies the later revisions to its values, and checks the result.
  private static func restored(
    from storage: some JournalStorage, _ model: ModelDefinition<Root>
  ) throws(RecoveryError) -> Recovery? {
    // The helper returns a reference to the text only if it is needed again. Else its memory is free before the replay.
    guard let (first, snapshot, dropping) = try snapshot(of: storage, model) else { return nil }
    var (root, dropped) = (first, dropping?.lines ?? [])
    let replay = try Replay(of: storage, after: snapshot.revision) { patch throws(RestoreError) in
      try model.shape.restore(&root, patch)
    }
    // The constraints of the types, and the references, may be stricter than when the state was written.
    do throws(ValidationError) { try model.shape.check(root) } catch {
      throw .misfit("\(error.detail) (at \(error.pointer))")
    }
    var dangling: InvalidState?
    model.findDangling(in: root) { reference, _ in dangling = dangling ?? reference }
    if let dangling { throw .misfit("\(dangling)") }
    // The later revisions may have added or removed values that are dropped. The snapshot is not read again: other
    // servers may have written since, and a storage continues after what it has read last.
    if let dropping, replay.revision > snapshot.revision {
      dropped = (try? newest(from: dropping.snapshot, of: storage, model, otherwise: ""))?.dropped ?? dropped
    }
    return try Recovery(root, of: model, snapshot, replay, dropped: dropped)
  }

  private typealias SnapshotSummary = (revision: Int, length: Int, layout: String?)

  /// Decodes the snapshot.
  ///
  /// - Returns: Also the stored snapshot and the lines about values that are dropped; nil if the model can drop none.
  private static func snapshot(
    of storage: some JournalStorage, _ model: ModelDefinition<Root>
  ) throws(RecoveryError) -> (
    root: Root, summary: SnapshotSummary, dropping: (snapshot: StoredSnapshot, lines: [String])?
  )? {
    guard let found = try read(storage) else { return nil }
    let changes = LayoutChanges(from: found.layout, to: model)
    if let members = changes.foreignMembers { throw .foreign(members) }
    if let path = changes.readdressed { throw .readdressed(path) }
    do throws(RestoreError) {
      let root = try model.shape.restore(found.content)
      // A free member may have become one of a type that does not hold all of it, or a computed one, which the layout
      // does not have.
      let mayDrop =
        !changes.removed.isEmpty || model.shape.type.hasOpenObject { $0.isComputed || !changes.isEmpty }
      let dropping = mayDrop ? (found, try model.restoring(found.content).report.droppedLines) : nil
      return (root, (found.revision, found.content.count, found.layout), dropping)
    } catch { throw .misfit("the snapshot of revision \(found.revision): \(error)") }
  }

  private static func read(_ storage: some JournalStorage) throws(RecoveryError) -> StoredSnapshot? {
    do throws(StorageFailure) { return try storage.snapshot() } catch { throw RecoveryError(reading: error) }
  }

  /// Applies the later revisions to the JSON of the snapshot, and decodes the newest state.
  ///
  /// - Parameter reason: The reason to report if a revision cannot be applied.
  /// - Throws: ``RecoveryError/misfit(_:)`` with all places that do not fit the model.
  private static func newest(
    of storage: some JournalStorage, _ model: ModelDefinition<Root>, otherwise reason: String
  ) throws(RecoveryError) -> Recovery {
    guard let found = try read(storage) else { throw .misfit(reason) }
    return try newest(from: found, of: storage, model, otherwise: reason)
  }

  private static func newest(
    from found: StoredSnapshot, of storage: some JournalStorage, _ model: ModelDefinition<Root>,
    otherwise reason: String
  ) throws(RecoveryError) -> Recovery {
    // The revisions are of the model of the snapshot, or in a shared storage also of this one.
    let layouts = [LayoutChanges.text(of: model), found.layout].compactMap { $0 }
    let lines = layouts.flatMap { $0.split(separator: "\n").map(String.init) }
    guard var document = try? StoredDocument(parsing: found.content, layout: lines) else { throw .misfit(reason) }
    let replay = try Replay(of: storage, after: found.revision) { patch throws(RestoreError) in
      try document.apply(patch)
    }
    guard let (root, report) = try? model.restoring(document.text) else { throw .misfit(reason) }
    guard let root else { throw .misfit("nothing was changed\n" + report.lines.joined(separator: "\n")) }
    let snapshot = (found.revision, found.content.count, found.layout)
    return try Recovery(root, of: model, snapshot, replay, dropped: report.droppedLines)
  }

  /// The revisions after a snapshot.
  private struct Replay {
    /// The number of the last one; that of the snapshot if there is none.
    private(set) var revision: Int
    private(set) var cost = 0

    /// Applies them in order.
    init(
      of storage: some JournalStorage, after snapshot: Int, _ apply: (StoredPatch) throws(RestoreError) -> Void
    ) throws(RecoveryError) {
      var (last, cost) = (snapshot, 0)
      let failure: StorageFailure?
      do throws(RestoreError) {
        failure = try storage.forEachPatch(after: snapshot) { number, patch throws(RestoreError) in
          last = number
          cost += ReplayCost.of(patchBytes: patch.count)
          try apply(try StoredPatch(parsing: patch))
        }
      } catch { throw .misfit("revision \(last): \(error)") }
      if let failure { throw RecoveryError(reading: failure) }
      (revision, self.cost) = (last, cost)
    }
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
  /// The layout that was stored, and that of the model.
  private let stored, current: [String]

  package var isEmpty: Bool { added.isEmpty && removed.isEmpty }

  /// The members of the stored state if the model has none of them, so that its first write would discard all values;
  /// otherwise nil.
  package var foreignMembers: [String]? {
    func members(_ layout: [String]) -> Set<String> {
      Set(layout.filter { $0.hasPrefix("/") }.map { String($0.dropFirst().prefix { !"/? #".contains($0) }) })
    }
    let (old, new) = (members(stored), members(current))
    return old.isEmpty || new.contains("*") || !old.isDisjoint(with: new) ? nil : old.sorted()
  }

  /// The removed lines of values that still exist, each with the line that was added for the value.
  var retyped: [String: String] {
    // A line with more spaces has a value of an enum, or the id of elements.
    func path(_ line: String) -> String? {
      let parts = line.split(separator: " ")
      return parts.count == 2 ? String(parts[0]).replacing("?", with: "") : nil
    }
    let new = Dictionary(added.compactMap { line in path(line).map { ($0, line) } }) { first, _ in first }
    let changed = removed.compactMap { line in
      (path(line).flatMap { new[$0] } ?? elements(ofSet: line)).map { (line, $0) }
    }
    return Dictionary(changed) { first, _ in first }
  }

  /// Returns the line of the elements of a set that is an array now.
  private func elements(ofSet line: String) -> String? {
    guard line.hasSuffix(" set") else { return nil }
    let elements = line.dropLast(" set".count).replacing("?", with: "") + "/*"
    return current.first { $0.replacing("?", with: "").hasPrefix(elements) }
  }

  /// The path of a collection that still exists, but whose elements are not addressed by the same member; nil if there
  /// is none.
  package var readdressed: String? {
    // A value that becomes optional, or is no longer, keeps its address.
    let lines = current.map { $0.replacing("?", with: "") }
    for line in removed.map({ $0.replacing("?", with: "") }) where !lines.contains(line) {
      guard let path = line.firstRange(of: "/* by ").map({ line[..<$0.lowerBound] }) else { continue }
      if lines.contains(where: { $0.hasPrefix(path + "/") || $0.hasPrefix(path + " ") }) { return String(path) }
    }
    return nil
  }

  /// - Parameter stored: The layout stored with the snapshot; nil if there is none.
  init<Root: Sendable>(from stored: String?, to model: ModelDefinition<Root>) {
    let layout = model.shape.type.storedLayout
    current = layout
    let old = stored.map { $0.split(separator: "\n").map(String.init) } ?? layout
    self.stored = old
    let (oldLines, newLines) = (Set(old), Set(layout))
    added = layout.filter { !oldLines.contains($0) }
    removed = old.filter { !newLines.contains($0) }
  }

  /// Returns the text that differs between two models if one may refuse what the other one stores: the layout, the
  /// constraints and the references.
  package static func requirements<Root: Sendable>(of model: ModelDefinition<Root>) -> String {
    let type = model.shape.type
    return (type.storedLayout + type.storedRules + model.references).joined(separator: "\n")
  }

  /// Returns the text that describes the layout of a model: its stored members, one line for each leaf.
  package static func text<Root: Sendable>(of model: ModelDefinition<Root>) -> String {
    model.shape.type.storedLayout.joined(separator: "\n")
  }
}

/// The cost of replaying revisions. The unit is the time for reading one byte of a snapshot.
enum ReplayCost {
  static func of(patchBytes: Int) -> Int {
    // Parsing, resolving and applying a patch has a fixed cost, however short it is.
    patchBytes + 512
  }

  /// The replay cost, about that of a hundred revisions, after which a server tries again to store the snapshot of a
  /// changed model.
  static let betweenAttempts = 64 << 10

  /// The size up to which a snapshot takes no noticeable time.
  static let smallSnapshotBytes = 1 << 20

  /// Returns the replay cost at which a new snapshot is due. It limits the startup time to about 1.5 times the time for
  /// reading the snapshot, or to a few hundredths of a second for a small snapshot.
  static func bound(after snapshotBytes: Int) -> Int { max(4 << 20, snapshotBytes / 2) }
}

/// A reason why the state cannot be recovered.
package enum RecoveryError: Error, Hashable, Sendable, CustomStringConvertible {
  case cannotRead(JournalFailure)
  case cannotWrite(JournalFailure)
  /// The stored data differs from what was written.
  case damaged(String)
  /// The stored state does not fit the model.
  case misfit(String)
  /// The elements of a collection would get other addresses.
  case readdressed(String)
  /// The stored state has these members, and the model none of them.
  case foreign([String])

  init(reading failure: StorageFailure) {
    self = if case .damaged(let detail) = failure { .damaged(detail) } else { .cannotRead(failure.failure) }
  }

  package var description: String {
    switch self {
    case .cannotRead(let failure): "cannot be read: \(failure.reason)"
    case .cannotWrite(let failure): "cannot be written: \(failure.reason)"
    case .damaged(let detail): "is damaged: \(detail); restore a backup"
    case .misfit(let reason): "does not fit the model of this server: \(reason)"
    case .readdressed(let path):
      "does not fit the model of this server: the elements of \(path) would get other addresses, and stored revisions "
        + "and the history have the previous ones: export the state with the previous model, and import it into a new "
        + "store with this one"
    case .foreign(let members):
      "belongs to another model: it has \(members.prefix(5).map { "“\($0)”" }.joined(separator: ", "))"
        + (members.count > 5 ? " and \(members.count - 5) more" : "")
        + ", and the model of this server has none of them\nTo keep values under new names, export the state with its "
        + "own model, rename the members in the file, and import it into a new store with this one."
    }
  }
}
