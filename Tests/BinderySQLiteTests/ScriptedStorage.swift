import BinderyCore
import BinderyJournal
import Synchronization

/// A log that fails as it is told to.
final class ScriptedStorage<Inner: JournalStorage>: JournalStorage {
  private let inner: Inner
  private let script: Script

  init(_ inner: sending Inner, _ script: Script) {
    self.inner = inner
    self.script = script
  }

  func append(_ revisions: [Revision]) throws(StorageFailure) {
    script.note(revisions.count)
    switch script.takeFault() {
    case nil: try inner.append(revisions)
    case .refused(let failure)?: throw .refused(failure)
    case .lost?: throw .unknown(.unavailable("lost"))
    case .kept?:
      try inner.append(revisions)
      throw .unknown(.unavailable("kept"))
    }
  }

  func reopen() throws(StorageFailure) -> Int {
    if script.isGone { throw .unknown(.unavailable("gone")) }
    return try inner.reopen()
  }

  func probe() throws(StorageFailure) {
    if script.isGone { throw .refused(.unavailable("gone")) }
    try inner.probe()
  }

  func snapshot() throws(StorageFailure) -> StoredSnapshot? { try inner.snapshot() }

  func write(piece: [UInt8], number: Int, ofSnapshotAt revision: Int) throws(StorageFailure) {
    script.notePiece(piece.count)
    try inner.write(piece: piece, number: number, ofSnapshotAt: revision)
  }

  func finish(piece: [UInt8], number: Int, ofSnapshotAt revision: Int, layout: String) throws(StorageFailure) {
    script.notePiece(piece.count)
    try inner.finish(piece: piece, number: number, ofSnapshotAt: revision, layout: layout)
  }

  func forEachPatch<E: Error>(
    after revision: Int, _ body: (_ number: Int, _ patch: [UInt8]) throws(E) -> Void
  ) throws(E) -> StorageFailure? {
    try inner.forEachPatch(after: revision, body)
  }

  func revisions(after revision: Int?, limit: Int, _ retention: Retention) throws(StorageFailure) -> HistoryPage {
    try inner.revisions(after: revision, limit: limit, retention)
  }

  func forget(_ retention: Retention) throws(StorageFailure) -> Bool { try inner.forget(retention) }

  func close() { inner.close() }
}

/// What is to go wrong, and what was asked for.
final class Script: Sendable {
  enum Fault {
    case refused(JournalFailure)
    /// An error of unknown outcome, and nothing was kept.
    case lost
    /// An error of unknown outcome, and all was kept.
    case kept
  }

  private struct State {
    var faults: [Fault] = []
    var isGone = false
    var batches: [Int] = []
    var pieces: [Int] = []
  }

  private let state = Mutex(State())

  func fail(_ faults: Fault...) { state.withLock { $0.faults += faults } }

  func takeFault() -> Fault? { state.withLock { $0.faults.isEmpty ? nil : $0.faults.removeFirst() } }

  /// Nothing can be opened any more.
  var isGone: Bool {
    get { state.withLock { $0.isGone } }
    set { state.withLock { $0.isGone = newValue } }
  }

  func note(_ count: Int) { state.withLock { $0.batches.append(count) } }

  func notePiece(_ length: Int) { state.withLock { $0.pieces.append(length) } }

  /// How long each piece of a snapshot was.
  var pieces: [Int] { state.withLock { $0.pieces } }

  /// How many revisions each transaction had.
  var batches: [Int] { state.withLock { $0.batches } }
}
