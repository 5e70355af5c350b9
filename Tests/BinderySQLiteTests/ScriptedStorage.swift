import BinderyCore
import BinderyJournal
import Synchronization

/// A storage that forwards to another one and injects the faults of a script.
final class ScriptedStorage<Inner: JournalStorage>: JournalStorage {
  private let inner: Inner
  private let script: Script

  init(_ inner: sending Inner, _ script: Script) {
    self.inner = inner
    self.script = script
  }

  func append(_ revisions: [Revision], completing end: SnapshotEnd?) throws(StorageFailure) {
    script.recordBatch(revisions.count)
    if let end { script.recordPiece(end.piece.count) }
    script.onAppend?()
    switch script.takeFault() {
    case nil: try inner.append(revisions, completing: end)
    case .refused(let failure)?: throw .refused(failure)
    case .notStored?: throw .unknown(.unavailable("not stored"))
    case .stored?:
      try inner.append(revisions, completing: end)
      throw .unknown(.unavailable("stored"))
    }
  }

  func reopen() throws(StorageFailure) -> Int {
    if script.isUnavailable { throw .unknown(.unavailable("cannot open")) }
    return try inner.reopen()
  }

  func probe() throws(StorageFailure) -> Int {
    if script.isUnavailable { throw .refused(.unavailable("cannot open")) }
    let found = try inner.probe()
    // Counted when its result is certain, because a test changes the revision after a number of probes.
    defer { script.recordProbe() }
    return script.foundRevision ?? found
  }

  func snapshot() throws(StorageFailure) -> StoredSnapshot? { try inner.snapshot() }

  func write(piece: [UInt8], number: Int, ofSnapshotAt revision: Int) throws(StorageFailure) {
    script.recordPiece(piece.count)
    script.onPiece?()
    try inner.write(piece: piece, number: number, ofSnapshotAt: revision)
  }

  func finish(piece: [UInt8], number: Int, ofSnapshotAt revision: Int, layout: String) throws(StorageFailure) {
    script.recordPiece(piece.count)
    try inner.finish(piece: piece, number: number, ofSnapshotAt: revision, layout: layout)
  }

  func forEachPatch<E: Error>(
    after revision: Int, _ body: (_ number: Int, _ patch: [UInt8]) throws(E) -> Void
  ) throws(E) -> StorageFailure? {
    try inner.forEachPatch(after: revision, body)
  }

  func keyedResults() throws(StorageFailure) -> [KeyedResult] { try inner.keyedResults() }

  func makeRevisionReader() -> any RevisionReader { script.reader ?? inner.makeRevisionReader() }

  func historySize() throws(StorageFailure) -> Int { try inner.historySize() }

  func removeExpired(_ retention: Retention, atMost limit: Int) throws(StorageFailure) -> Bool {
    try script.onRemoval?()
    return try inner.removeExpired(retention, atMost: limit)
  }

  func leadsMaintenance() throws(StorageFailure) -> Bool { script.takeLead() }

  func close() { inner.close() }
}

/// The faults to inject into a storage and a record of its calls. Safe to use from any thread.
final class Script: Sendable {
  enum Fault {
    /// The append fails and stores nothing.
    case refused(JournalFailure)
    /// The append fails with an unknown outcome and stores nothing.
    case notStored
    /// The append fails with an unknown outcome, but stores everything.
    case stored
  }

  private struct State {
    var faults: [Fault] = []
    var isUnavailable = false
    var batches: [Int] = []
    var pieces: [Int] = []
    var probes = 0
    var foundRevision: Int?
    var refusedLeads = 0
    var reader: (any RevisionReader)?
    var onAppend: (@Sendable () -> Void)?
    var onPiece: (@Sendable () -> Void)?
    var onRemoval: (@Sendable () throws(StorageFailure) -> Void)?
  }

  private let state = Mutex(State())

  /// Adds faults; each applies to one later append.
  func fail(_ faults: Fault...) { state.withLock { $0.faults += faults } }

  /// Removes and returns the next fault; nil if there is none.
  func takeFault() -> Fault? { state.withLock { $0.faults.isEmpty ? nil : $0.faults.removeFirst() } }

  /// Whether reopening and probing fail.
  var isUnavailable: Bool {
    get { state.withLock { $0.isUnavailable } }
    set { state.withLock { $0.isUnavailable = newValue } }
  }

  /// The revision that probing reports; nil for the real one.
  var foundRevision: Int? {
    get { state.withLock { $0.foundRevision } }
    set { state.withLock { $0.foundRevision = newValue } }
  }

  /// Lets another server lead the maintenance for a number of attempts.
  func refuseLead(times: Int) { state.withLock { $0.refusedLeads = times } }

  /// Returns whether this server leads the maintenance.
  func takeLead() -> Bool {
    state.withLock { state in
      defer { state.refusedLeads = max(0, state.refusedLeads - 1) }
      return state.refusedLeads == 0
    }
  }

  /// The reader of the history; nil for the real one.
  var reader: (any RevisionReader)? {
    get { state.withLock { $0.reader } }
    set { state.withLock { $0.reader = newValue } }
  }

  /// Called before each append.
  var onAppend: (@Sendable () -> Void)? {
    get { state.withLock { $0.onAppend } }
    set { state.withLock { $0.onAppend = newValue } }
  }

  /// Called before each piece of a snapshot but the last.
  var onPiece: (@Sendable () -> Void)? {
    get { state.withLock { $0.onPiece } }
    set { state.withLock { $0.onPiece = newValue } }
  }

  /// Called before each removal of expired revisions, which fails if it throws.
  var onRemoval: (@Sendable () throws(StorageFailure) -> Void)? {
    get { state.withLock { $0.onRemoval } }
    set { state.withLock { $0.onRemoval = newValue } }
  }

  func recordProbe() { state.withLock { $0.probes += 1 } }

  /// The number of probes that reached the storage.
  var probeCount: Int { state.withLock { $0.probes } }

  func recordBatch(_ revisionCount: Int) { state.withLock { $0.batches.append(revisionCount) } }

  func recordPiece(_ byteCount: Int) { state.withLock { $0.pieces.append(byteCount) } }

  /// The length of each piece of a snapshot in bytes.
  var pieces: [Int] { state.withLock { $0.pieces } }

  /// The number of revisions in each append.
  var batches: [Int] { state.withLock { $0.batches } }
}
