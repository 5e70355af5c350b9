package import BinderyCore

/// A storage in memory, lost with the process: for tests, and as the reference implementation of ``JournalStorage``.
package final class MemoryStorage: JournalStorage {
  /// The revisions, shared with the readers.
  private let log = MemoryLog()
  private var finished: StoredSnapshot?
  private var pieces: [UInt8] = []
  private var keyed: [KeyedResult] = []

  package init() {}

  package func append(_ new: [Revision]) throws(StorageFailure) {
    let last = log.last
    guard new.first?.number == last + 1 else {
      throw .refused(.unavailable("Revision \(new.first?.number ?? 0) cannot be appended after revision \(last)."))
    }
    log.append(new)
    keyed += new.compactMap(\.metadata.keyedResult)
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

  package func keyedResults() throws(StorageFailure) -> [KeyedResult] { keyed.suffix(KeyedResult.maximumCount) }

  package func makeRevisionReader() -> any RevisionReader { log }

  package func historySize() throws(StorageFailure) -> Int { log.revisions.reduce(0) { $0 + $1.byteCount } }

  package func removeExpired(_ retention: Retention) throws(StorageFailure) -> Bool {
    log.removeExpired(retention)
    return false
  }

  package func close() {}
}
