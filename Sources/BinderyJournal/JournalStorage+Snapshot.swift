import BinderyCore
import BinderyJSON

extension JournalStorage {
  /// Writes a whole snapshot in pieces, from a root that nobody changes.
  ///
  /// - Parameter between: done behind each piece but the last; false gives up.
  /// - Returns: how many bytes it has; nil where it was given up.
  func keep<Root: Model>(
    _ root: Root, at revision: Int, between: () -> Bool = { true }
  ) throws(StorageFailure) -> Int? {
    var number = 0
    var length = 0
    var failure: StorageFailure?
    var goesOn = true
    withoutActuallyEscaping(between) { between in
      var writer = StoredWriter { [self] piece in
        guard failure == nil, goesOn else { return }
        do throws(StorageFailure) {
          try write(piece: piece, number: number, ofSnapshotAt: revision)
          number += 1
          length += piece.count
          goesOn = between()
        } catch { failure = error }
      }
      Root.shape.store(root, into: &writer)
      guard failure == nil, goesOn else { return }
      let rest = writer.writer.bytes
      do throws(StorageFailure) {
        try finish(piece: rest, number: number, ofSnapshotAt: revision, layout: LayoutChanges.text(of: Root.self))
        length += rest.count
      } catch { failure = error }
    }
    if let failure { throw failure }
    return goesOn ? length : nil
  }
}

/// How the types of a model differ from those that a snapshot was written with.
package struct LayoutChanges: Sendable, Equatable {
  package let added: [String]
  package let removed: [String]

  package var isEmpty: Bool { added.isEmpty && removed.isEmpty }

  /// - Parameter kept: nil where nothing was kept.
  init<Root: Model>(from kept: String?, to model: Root.Type) {
    let layout = Root.shape.type.storedLayout
    let old = kept.map { $0.split(separator: "\n").map(String.init) } ?? layout
    let (oldLines, newLines) = (Set(old), Set(layout))
    added = layout.filter { !oldLines.contains($0) }
    removed = old.filter { !newLines.contains($0) }
  }

  /// What is kept with a snapshot.
  static func text<Root: Model>(of model: Root.Type) -> String {
    Root.shape.type.storedLayout.joined(separator: "\n")
  }
}
