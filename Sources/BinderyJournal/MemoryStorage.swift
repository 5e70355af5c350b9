package import BinderyCore
import BinderySystem
import Synchronization

/// A storage in memory, lost with the process: for tests, and as the reference implementation of ``JournalStorage``.
package final class MemoryStorage: JournalStorage {
  /// The revisions, shared with the readers.
  private let log = MemoryLog()
  private var finished: StoredSnapshot?
  private var pieces: [UInt8] = []

  package init() {}

  package func append(_ new: [Revision]) throws(StorageFailure) {
    let last = log.last
    guard new.first?.number == last + 1 else {
      throw .refused(.unavailable("Revision \(new.first?.number ?? 0) cannot be appended after revision \(last)."))
    }
    log.append(new)
  }

  package func reopen() throws(StorageFailure) -> Int { log.last }

  package func probe() throws(StorageFailure) -> Int { log.last }

  package func snapshot() throws(StorageFailure) -> StoredSnapshot? { finished }

  package func write(piece: [UInt8], number: Int, ofSnapshotAt revision: Int) throws(StorageFailure) {
    if number == 0 { pieces = [] }
    pieces += piece
  }

  package func finish(
    piece: [UInt8], number: Int, ofSnapshotAt revision: Int, layout: String
  ) throws(StorageFailure) {
    try write(piece: piece, number: number, ofSnapshotAt: revision)
    finished = StoredSnapshot(revision: revision, content: pieces, layout: layout)
    log.setSnapshot(revision)
  }

  package func forEachPatch<E: Error>(
    after revision: Int, _ body: (_ number: Int, _ patch: [UInt8]) throws(E) -> Void
  ) throws(E) -> StorageFailure? {
    var last = revision
    for next in log.revisions where next.number > revision {
      guard next.number == last + 1 else { return .damaged("revision \(last + 1) is missing") }
      last = next.number
      try body(next.number, next.patch)
    }
    return nil
  }

  package func makeRevisionReader() -> any RevisionReader { log }

  package func historySize() throws(StorageFailure) -> Int { log.revisions.reduce(0) { $0 + $1.byteCount } }

  package func removeExpired(_ retention: Retention) throws(StorageFailure) -> Bool {
    log.removeExpired(retention)
    return false
  }

  package func close() {}
}

/// The revisions of a storage in memory.
private final class MemoryLog: RevisionReader {
  private struct State {
    var revisions: [Revision] = []
    /// The revision of the latest complete snapshot.
    var snapshot = 0

    /// Returns the index of the first revision that the retention keeps.
    func firstRetained(_ retention: Retention) -> Int {
      let expiryTime = retention.expiryTime(now: Clock.wallMilliseconds)
      var first = revisions.endIndex
      var bytes = 0
      while first > 0, revisions.count - first < retention.revisions {
        let next = revisions[first - 1]
        bytes += next.byteCount
        guard next.timestamp >= expiryTime, bytes <= retention.bytes else { break }
        first -= 1
      }
      return first
    }
  }

  private let state = Mutex(State())

  var revisions: [Revision] { state.withLock { $0.revisions } }

  var last: Int { state.withLock { $0.revisions.last?.number ?? $0.snapshot } }

  func append(_ new: [Revision]) { state.withLock { $0.revisions += new } }

  func setSnapshot(_ revision: Int) { state.withLock { $0.snapshot = revision } }

  func removeExpired(_ retention: Retention) {
    state.withLock { state in
      let needed = state.revisions.prefix(state.firstRetained(retention)).drop { $0.number <= state.snapshot }
      state.revisions = Array(needed) + state.revisions.suffix(from: state.firstRetained(retention))
    }
  }

  func revisions(
    after revision: Int?, limit: Int, _ retention: Retention
  ) throws(StorageFailure) -> HistoryPage {
    let (retained, last) = state.withLock { state in
      (state.revisions.suffix(from: state.firstRetained(retention)), state.revisions.last?.number ?? state.snapshot)
    }
    var page = HistoryPage.Builder(limit: limit)
    for next in retained where next.number > revision ?? 0 {
      guard page.append(next) else { break }
    }
    return HistoryPage(revisions: page.revisions, oldest: retained.first?.number ?? last + 1)
  }
}
