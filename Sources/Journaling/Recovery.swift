package import Shapes
package import State

/// The state as a log has it, and how it was found.
package struct Recovery<Root: Model>: Sendable {
  package let root: Root
  package let revision: Int
  /// How many revisions were carried out again on the snapshot.
  package let replayed: Int
  /// How many bytes those were.
  let replayedBytes: Int
  let snapshotBytes: Int

  /// Reads the state from a log; one where nothing has been kept yet begins with `initial`.
  ///
  /// - Throws: ``RecoveryError``; nothing that was kept has changed then.
  package init(from log: some Log, startingWith initial: () -> Root) throws(RecoveryError) {
    if let found = try Recovery(of: log) {
      self = found
      return
    }
    let root = initial()
    let content = Root.shape.stored(root)
    do throws(LogFailure) {
      try log.finish(piece: content, number: 0, ofSnapshotAt: 0)
    } catch { throw .cannotWrite(error.failure) }
    self.init(root: root, revision: 0, replayed: 0, replayedBytes: 0, snapshotBytes: content.count)
  }

  /// Reads the state from a log; nil where nothing has been kept yet.
  package init?(of log: some Log) throws(RecoveryError) {
    let found: (revision: Int, content: [UInt8])?
    do throws(LogFailure) { found = try log.snapshot() } catch { throw .cannotRead(error.failure.reason) }
    guard let found else { return nil }
    var root = try Self.root(from: found.content, at: found.revision)
    var last = found.revision
    var bytes = 0
    let failure = try log.forEachPatch(after: found.revision) { number, patch throws(RecoveryError) in
      guard number == last + 1 else { throw .unreadable("revision \(number) follows \(last)") }
      last = number
      bytes += patch.count
      do throws(Unreadable) {
        try Root.shape.restore(&root, try StoredPatch(parsing: patch))
      } catch { throw .unreadable("revision \(number): \(error)") }
    }
    if let failure { throw .cannotRead(failure.failure.reason) }
    // The types may have become stricter since it was kept.
    do throws(Invalid) {
      try Root.shape.check(root)
    } catch { throw .unreadable("the state does not fit the types any more: \(error.detail) (at \(error.pointer))") }
    self.init(
      root: root, revision: last, replayed: last - found.revision, replayedBytes: bytes,
      snapshotBytes: found.content.count)
  }

  private init(root: Root, revision: Int, replayed: Int, replayedBytes: Int, snapshotBytes: Int) {
    self.root = root
    self.revision = revision
    self.replayed = replayed
    self.replayedBytes = replayedBytes
    self.snapshotBytes = snapshotBytes
  }

  private static func root(from content: [UInt8], at revision: Int) throws(RecoveryError) -> Root {
    do throws(Unreadable) {
      return try Root.shape.restore(content)
    } catch { throw .unreadable("the snapshot of revision \(revision): \(error)") }
  }
}

/// Why a store cannot be served from.
package enum RecoveryError: Error, Hashable, Sendable, CustomStringConvertible {
  case cannotRead(String)
  case cannotWrite(JournalFailure)
  /// What is kept was written by something else, or for a model that this one cannot stand for.
  case unreadable(String)

  package var description: String {
    switch self {
    case .cannotRead(let reason): "cannot be read: \(reason)"
    case .cannotWrite(let failure): "cannot be written: \(failure.reason)"
    case .unreadable(let reason): "is not readable with this model: \(reason)"
    }
  }
}
