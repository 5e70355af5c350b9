/// The changes of one commit in the form that a journal stores.
package struct Revision: Sendable, Equatable {
  /// The patches, or the values from which they are built.
  package enum Content: Sendable, Equatable {
    /// The change of one scalar, the most frequent kind of commit. Both patches are derived from it.
    case scalar(ScalarChange)
    /// The patch and the undo patch in the stored scope, in canonical JSON, and the same two as clients see them.
    ///
    /// `shown` is nil if the visible patches differ from the stored ones only in the notation of positions.
    case patches(patch: [UInt8], undo: [UInt8], shown: Shown?)
  }

  /// The patches as clients see them: JSON Patches (RFC 6902) without hidden members.
  package struct Shown: Sendable, Equatable {
    package let patch: [UInt8]
    package let undo: [UInt8]

    /// Creates a pair of patches, in canonical JSON.
    package init(patch: [UInt8], undo: [UInt8]) {
      self.patch = patch
      self.undo = undo
    }
  }

  /// The number of the version that the commit led to.
  package let number: Int
  /// The time of the commit, in milliseconds since 1970 in UTC.
  package let timestamp: Int64
  package let content: Content

  /// Creates a revision.
  ///
  /// - Parameter timestamp: the time of the commit, in milliseconds since 1970 in UTC.
  package init(number: Int, at timestamp: Int64, _ content: Content) {
    self.number = number
    self.timestamp = timestamp
    self.content = content
  }

  /// Creates a revision from its patches, in canonical JSON.
  package init(number: Int, at timestamp: Int64, patch: [UInt8], undo: [UInt8], shown: Shown?) {
    self.init(number: number, at: timestamp, .patches(patch: patch, undo: undo, shown: shown))
  }

  /// The patch from the previous version to this one, in the stored scope.
  ///
  /// - Complexity: O(length of the patch) for a scalar change, because the patch is built on each access.
  package var patch: [UInt8] {
    switch content {
    case .scalar(let change): PatchBuilder.replacing(at: change.path, by: change.after)
    case .patches(let patch, _, _): patch
    }
  }

  /// The patch from this version back to the previous one, in the stored scope.
  ///
  /// - Complexity: O(length of the patch) for a scalar change, because the patch is built on each access.
  package var undo: [UInt8] {
    switch content {
    case .scalar(let change): PatchBuilder.replacing(at: change.path, by: change.before)
    case .patches(_, let undo, _): undo
    }
  }

  /// The patches as clients see them; nil if they differ from the stored ones only in the notation of positions.
  package var shown: Shown? {
    switch content {
    case .scalar: nil
    case .patches(_, _, let shown): shown
    }
  }

  /// The number of bytes in ``patch``.
  package var patchByteCount: Int {
    switch content {
    case .scalar(let change): PatchBuilder.byteCountOfReplacing(at: change.path, by: change.after)
    case .patches(let patch, _, _): patch.count
    }
  }

  /// The number of bytes in all patches of the revision.
  package var byteCount: Int {
    switch content {
    case .scalar(let change): patchByteCount + PatchBuilder.byteCountOfReplacing(at: change.path, by: change.before)
    case .patches(let patch, let undo, let shown):
      patch.count + undo.count + (shown.map { $0.patch.count + $0.undo.count } ?? 0)
    }
  }
}

extension Revision {
  /// Creates the revision that leads from one version to the next.
  ///
  /// - Parameter timestamp: the time of the commit, in milliseconds since 1970 in UTC.
  /// - Complexity: O(size of the difference), independent of the size of the state.
  package init<Root: Sendable>(
    at timestamp: Int64, from old: Snapshot<Root>, to new: Snapshot<Root>, _ shape: EditableShape<Root>
  ) {
    guard let change = new.change else {
      self.init(number: new.revision, at: timestamp, from: old.root, to: new.root, shape)
      return
    }
    self.init(number: new.revision, at: timestamp, .scalar(change))
  }

  /// Creates the revision that leads from one root value to another.
  ///
  /// - Complexity: O(size of the difference), independent of the size of the state.
  package init<Root: Sendable>(
    number: Int, at timestamp: Int64, from old: Root, to new: Root, _ shape: EditableShape<Root>
  ) {
    let stored = Self.patches(from: old, to: new, shape, .stored)
    var shown: Shown?
    if !stored.matchesShown {
      let visible = Self.patches(from: old, to: new, shape, .history)
      shown = Shown(patch: visible.patch, undo: visible.undo)
    }
    self.init(number: number, at: timestamp, patch: stored.patch, undo: stored.undo, shown: shown)
  }

  private static func patches<Root: Sendable>(
    from old: Root, to new: Root, _ shape: EditableShape<Root>, _ scope: PatchBuilder.Scope
  ) -> (patch: [UInt8], undo: [UInt8], matchesShown: Bool) {
    var difference = PatchBuilder(scope, withUndo: true)
    shape.difference(from: old, to: new, &difference)
    return (difference.finish(), difference.finishUndo() ?? [], difference.matchesShown)
  }
}

/// A scalar that a commit has changed, and nothing else.
package struct ScalarChange: Sendable, Equatable {
  package let path: [UInt8]
  package let before: [UInt8]
  package let after: [UInt8]

  /// - Parameters:
  ///   - path: ``Route/storedPath(from:)``.
  ///   - before: in canonical JSON, as `after` is.
  package init(at path: [UInt8], before: [UInt8], after: [UInt8]) {
    self.path = path
    self.before = before
    self.after = after
  }
}
