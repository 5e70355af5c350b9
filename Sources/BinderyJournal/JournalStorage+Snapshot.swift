import BinderyCore
import BinderyJSON

extension JournalStorage {
  /// Writes a complete snapshot in pieces, from an immutable root.
  ///
  /// - Parameter betweenPieces: Called after each piece but the last; returns false to abandon the snapshot.
  /// - Returns: The size of the snapshot in bytes; nil if it was abandoned.
  func writeSnapshot<Root: Sendable>(
    of root: Root, _ model: ModelDefinition<Root>, at revision: Int,
    betweenPieces: (_ byteCount: Int) -> Bool = { _ in true }
  ) throws(StorageFailure) -> Int? {
    var number = 0
    var length = 0
    var failure: StorageFailure?
    var continues = true
    withoutActuallyEscaping(betweenPieces) { betweenPieces in
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
      guard failure == nil, continues else { return }
      let lastPiece = writer.writer.bytes
      do throws(StorageFailure) {
        try finish(piece: lastPiece, number: number, ofSnapshotAt: revision, layout: LayoutChanges.text(of: model))
        length += lastPiece.count
      } catch { failure = error }
    }
    if let failure { throw failure }
    return continues ? length : nil
  }
}
