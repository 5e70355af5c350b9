import BinderyCore
import BinderyJSON

extension JournalStorage {
  /// Writes a complete snapshot in pieces, from an immutable root.
  ///
  /// - Parameter betweenPieces: Called after each piece but the last; returns false to abandon the snapshot.
  /// - Returns: The size of the snapshot in bytes; nil if it was abandoned.
  func writeSnapshot<Root: StateModel>(
    of root: Root, at revision: Int, betweenPieces: () -> Bool = { true }
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
          continues = betweenPieces()
        } catch { failure = error }
      }
      Root.shape.store(root, into: &writer)
      guard failure == nil, continues else { return }
      let lastPiece = writer.writer.bytes
      do throws(StorageFailure) {
        try finish(piece: lastPiece, number: number, ofSnapshotAt: revision, layout: LayoutChanges.text(of: Root.self))
        length += lastPiece.count
      } catch { failure = error }
    }
    if let failure { throw failure }
    return continues ? length : nil
  }
}

/// The differences between the types of a model and the types that wrote a snapshot.
package struct LayoutChanges: Sendable, Equatable {
  package let added: [String]
  package let removed: [String]

  package var isEmpty: Bool { added.isEmpty && removed.isEmpty }

  /// - Parameter stored: The layout stored with the snapshot; nil if there is none.
  init<Root: StateModel>(from stored: String?, to model: Root.Type) {
    let layout = Root.shape.type.storedLayout
    let old = stored.map { $0.split(separator: "\n").map(String.init) } ?? layout
    let (oldLines, newLines) = (Set(old), Set(layout))
    added = layout.filter { !oldLines.contains($0) }
    removed = old.filter { !newLines.contains($0) }
  }

  /// Returns the layout text to store with a snapshot.
  static func text<Root: StateModel>(of model: Root.Type) -> String {
    Root.shape.type.storedLayout.joined(separator: "\n")
  }
}
