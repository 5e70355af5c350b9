/// The changes of one commit in the form that a journal stores.
package struct Revision: Sendable, Equatable {
  /// A text for the patch and one for the undo patch, in canonical JSON.
  package struct Pair: Sendable, Equatable {
    package let patch: [UInt8]
    package let undo: [UInt8]

    /// Creates a pair of texts.
    package init(patch: [UInt8], undo: [UInt8]) {
      self.patch = patch
      self.undo = undo
    }

    fileprivate var byteCount: Int { patch.count + undo.count }
  }

  /// The number of the version that the commit led to.
  package let number: Int
  /// The time of the commit, in milliseconds since 1970 in UTC.
  package let timestamp: Int64
  /// The patch from the previous version to this one, in the stored scope and in canonical JSON.
  package let patch: [UInt8]
  /// The patch from this version back to the previous one, in the stored scope and in canonical JSON.
  package let undo: [UInt8]
  /// The patches as clients see them: in the storage format, without hidden members; nil if they are the stored ones.
  package let shown: Pair?
  /// The paths of the operations that clients see, with positions instead of ids: two JSON arrays of pointers. Nil if
  /// no path has an element.
  package let positions: Pair?
  package let metadata: CommitMetadata

  /// Creates a revision from its patches, in canonical JSON.
  ///
  /// - Parameter timestamp: the time of the commit, in milliseconds since 1970 in UTC.
  package init(
    number: Int, at timestamp: Int64, patch: [UInt8], undo: [UInt8], shown: Pair?, positions: Pair? = nil,
    metadata: CommitMetadata = .inProcess
  ) {
    self.number = number
    self.timestamp = timestamp
    self.patch = patch
    self.undo = undo
    self.shown = shown
    self.positions = positions
    self.metadata = metadata
  }

  /// The number of bytes in all patches of the revision.
  package var byteCount: Int {
    patch.count + undo.count + (shown?.byteCount ?? 0) + (positions?.byteCount ?? 0)
  }
}
