package import Digests
package import Journaling
package import Shapes
import State

/// A store of a model in a file: what is opened before a server begins.
package struct StoreFile {
  package let log: SQLiteLog
  /// The key of the digests, made once: entity tags outlive the server.
  package let key: DigestKey

  /// Opens a file, and makes one where there is none.
  ///
  /// - Throws: ``StoreError``; `owned` where another server has it.
  package init(_ path: String) throws(StoreError) {
    log = try SQLiteLog(path)
    do throws(LogFailure) {
      if let secret = try log.setting(.secret), secret.count >= DigestKey.minimumSecretLength {
        key = DigestKey(secret: secret)
      } else {
        key = .random()
        try log.set(.secret, to: key.secret)
      }
    } catch { throw .unusable(error.failure.reason) }
  }

  /// The time zone that the store is kept in; nil in a new one.
  package var timeZone: String? {
    guard let bytes = try? log.setting(.timeZone) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  package func keep(timeZone: String) throws(StoreError) {
    guard timeZone != self.timeZone else { return }
    do throws(LogFailure) {
      try log.set(.timeZone, to: Array(timeZone.utf8))
    } catch { throw .unusable(error.failure.reason) }
  }

  /// Reads the state, or begins with one.
  ///
  /// - Returns: the state, and what has become of members since another version of the model kept it.
  package func recover<Root: Model>(
    startingWith initial: () -> Root
  ) throws(RecoveryError) -> (recovery: Recovery<Root>, changes: LayoutChanges) {
    let kept: [UInt8]?
    do throws(LogFailure) { kept = try log.setting(.layout) } catch { throw .cannotRead(error.failure.reason) }
    let recovery = try Recovery(from: log, startingWith: initial)
    let layout = Root.shape.type.storedLayout
    let changes = LayoutChanges(from: kept, to: layout)
    guard kept == nil || !changes.isEmpty else { return (recovery, changes) }
    do throws(LogFailure) {
      // From here on nothing older needs to be read with these types.
      if recovery.revision > 0 {
        try log.finish(piece: Root.shape.stored(recovery.root), number: 0, ofSnapshotAt: recovery.revision)
      }
      try log.set(.layout, to: Array(layout.joined(separator: "\n").utf8))
    } catch { throw .cannotWrite(error.failure) }
    return (recovery, changes)
  }
}

/// How the types of a model differ from those that a store was kept with.
package struct LayoutChanges: Sendable, Equatable {
  package let added: [String]
  package let removed: [String]

  package var isEmpty: Bool { added.isEmpty && removed.isEmpty }

  /// - Parameter kept: nil where nothing was kept.
  init(from kept: [UInt8]?, to layout: [String]) {
    let old = kept.map { String(decoding: $0, as: UTF8.self).split(separator: "\n").map(String.init) } ?? layout
    added = layout.filter { !old.contains($0) }
    removed = old.filter { !layout.contains($0) }
  }
}
