package import BinderyCore
import BinderyJSON

/// The last piece of a snapshot, with which it is complete.
package struct SnapshotEnd: Sendable {
  package let piece: [UInt8]
  /// The number of pieces before it.
  package let number: Int
  /// The revision of the snapshot.
  package let revision: Int
  /// The layout of the types that wrote the snapshot.
  package let layout: String
  /// The size of the complete snapshot in bytes.
  let length: Int
}

extension JournalStorage {
  /// Appends revisions, all or none.
  package func append(_ revisions: [Revision]) throws(StorageFailure) { try append(revisions, completing: nil) }

  /// Appends the first revisions of a changed model to a storage that is not shared, and stores a snapshot with them.
  ///
  /// The revisions before it are of the previous model. They cannot be replayed by the model after this one: it would
  /// read values again that this one has dropped, and would not have the defaults that this one has added.
  ///
  /// - Parameter root: The state of the first revision.
  /// - Returns: The size of the snapshot in bytes.
  @discardableResult
  package func append<Root: Sendable>(
    _ revisions: [Revision], beginning model: ModelDefinition<Root>, with root: Root
  ) throws(StorageFailure) -> Int {
    guard let first = revisions.first else { return 0 }
    let end = try writePieces(of: root, model, at: first.number)
    try append(revisions, completing: end)
    return end?.length ?? 0
  }

  /// Writes a complete snapshot in pieces, from an immutable root.
  ///
  /// - Parameter betweenPieces: Called after each piece but the last; returns false to abandon the snapshot.
  /// - Returns: The size of the snapshot in bytes; nil if it was abandoned.
  package func writeSnapshot<Root: Sendable>(
    of root: Root, _ model: ModelDefinition<Root>, at revision: Int,
    betweenPieces: (_ byteCount: Int) -> Bool = { _ in true }
  ) throws(StorageFailure) -> Int? {
    guard let end = try writePieces(of: root, model, at: revision, betweenPieces: betweenPieces) else { return nil }
    try finish(piece: end.piece, number: end.number, ofSnapshotAt: revision, layout: end.layout)
    return end.length
  }

  /// Writes all pieces of a snapshot but the last.
  ///
  /// - Parameter betweenPieces: Called after each piece; returns false to abandon the snapshot.
  /// - Returns: The last piece; nil if the snapshot was abandoned.
  private func writePieces<Root: Sendable>(
    of root: Root, _ model: ModelDefinition<Root>, at revision: Int,
    betweenPieces: (_ byteCount: Int) -> Bool = { _ in true }
  ) throws(StorageFailure) -> SnapshotEnd? {
    var number = 0
    var length = 0
    var failure: StorageFailure?
    var continues = true
    let lastPiece = withoutActuallyEscaping(betweenPieces) { betweenPieces in
      var writer = StoredWriter { [self] piece in
        guard failure == nil, continues else { return }
        do throws(StorageFailure) {
          try write(piece: piece, number: number, ofSnapshotAt: revision)
          number += 1
          length += piece.count
          continues = betweenPieces(piece.count)
        } catch { failure = error }
      }
      model.shape.store(root, into: &writer)
      return writer.writer.bytes
    }
    if let failure { throw failure }
    guard continues else { return nil }
    return SnapshotEnd(
      piece: lastPiece, number: number, revision: revision, layout: LayoutChanges.text(of: model),
      length: length + lastPiece.count)
  }
}
