/// The changes of one commit in the form that a journal stores.
package struct Revision: Sendable, Equatable {
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
  /// The patch from the previous version to this one, in the stored scope and in canonical JSON.
  package let patch: [UInt8]
  /// The patch from this version back to the previous one, in the stored scope and in canonical JSON.
  package let undo: [UInt8]
  /// The patches as clients see them; nil if they differ from the stored ones only in the notation of positions.
  package let shown: Shown?

  /// Creates a revision from its patches, in canonical JSON.
  ///
  /// - Parameter timestamp: the time of the commit, in milliseconds since 1970 in UTC.
  package init(number: Int, at timestamp: Int64, patch: [UInt8], undo: [UInt8], shown: Shown?) {
    self.number = number
    self.timestamp = timestamp
    self.patch = patch
    self.undo = undo
    self.shown = shown
  }

  /// The number of bytes in all patches of the revision.
  package var byteCount: Int { patch.count + undo.count + (shown.map { $0.patch.count + $0.undo.count } ?? 0) }
}

extension Revision {
  /// Creates the revision that a commit has made.
  ///
  /// - Parameters:
  ///   - timestamp: the time of the commit, in milliseconds since 1970 in UTC.
  ///   - type: the type of the state.
  /// - Complexity: O(size of the difference of the changed places), independent of the size of the state.
  package init(number: Int, at timestamp: Int64, _ change: Change, in type: TypeInfo) {
    let stored = change.patches(.stored, in: type)
    var shown: Shown?
    if !stored.matchesShown {
      let visible = change.patches(.history, in: type)
      shown = Shown(patch: visible.patch, undo: visible.undo)
    }
    self.init(number: number, at: timestamp, patch: stored.patch, undo: stored.undo, shown: shown)
  }

  /// Creates the revision that leads from one root value to another, which are compared as a whole.
  ///
  /// - Complexity: O(size of the difference), independent of the size of the state.
  package init<Root: Sendable>(
    number: Int, at timestamp: Int64, from old: Root, to new: Root, _ shape: EditableShape<Root>
  ) {
    self.init(number: number, at: timestamp, .whole(from: old, to: new, shape), in: shape.type)
  }
}
