extension Revision {
  /// Creates the revision that leads from one version to the next.
  ///
  /// - Parameters:
  ///   - timestamp: the time of the commit, in milliseconds since 1970 in UTC.
  ///   - change: the change; nil if it must be found by comparing the versions.
  /// - Complexity: O(size of the difference), independent of the size of the state.
  package init<Root: Sendable>(
    at timestamp: Int64, from old: Snapshot<Root>, to new: Snapshot<Root>, _ shape: EditableShape<Root>,
    change: Change? = nil
  ) {
    self.init(
      number: new.revision, at: timestamp, from: old.root, to: new.root, shape, change: change, metadata: new.metadata)
  }

  /// Creates the revision that leads from one root value to another.
  ///
  /// - Complexity: O(size of the difference), independent of the size of the state.
  package init<Root: Sendable>(
    number: Int, at timestamp: Int64, from old: Root, to new: Root, _ shape: EditableShape<Root>,
    change: Change? = nil, metadata: CommitMetadata = .inProcess
  ) {
    let change = change ?? .whole(from: old, to: new, shape)
    var stored = change.difference(.stored, in: new, shape)
    let (patch, undo) = (stored.finish(), stored.finishUndo() ?? [])
    var shown: Pair?
    if !stored.matchesShown {
      stored = change.difference(.history, in: new, shape)
      shown = Pair(patch: stored.finish(), undo: stored.finishUndo() ?? [])
    }
    self.init(
      number: number, at: timestamp, patch: patch, undo: undo, shown: shown, positions: stored.finishPositions(),
      metadata: metadata)
  }
}
