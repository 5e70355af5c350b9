package import BinderyCore
import BinderySystem

/// A storage in memory, lost with the process: for tests, and as the reference implementation of ``JournalStorage``.
package final class MemoryStorage: JournalStorage {
  private var revisions: [Revision] = []
  private var finished: StoredSnapshot?
  private var pieces: [UInt8] = []

  package init() {}

  private var last: Int { revisions.last?.number ?? finished?.revision ?? 0 }

  package func append(_ new: [Revision]) throws(StorageFailure) {
    guard new.first?.number == last + 1 else {
      throw .refused(.unavailable("Revision \(new.first?.number ?? 0) cannot be appended after revision \(last)."))
    }
    revisions += new
  }

  package func reopen() throws(StorageFailure) -> Int { last }

  package func probe() throws(StorageFailure) {}

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
  }

  package func forEachPatch<E: Error>(
    after revision: Int, _ body: (_ number: Int, _ patch: [UInt8]) throws(E) -> Void
  ) throws(E) -> StorageFailure? {
    var last = revision
    for next in revisions where next.number > revision {
      guard next.number == last + 1 else { return .damaged("revision \(last + 1) is missing") }
      last = next.number
      try body(next.number, next.patch)
    }
    return nil
  }

  package func revisions(
    after revision: Int?, limit: Int, _ retention: Retention
  ) throws(StorageFailure) -> HistoryPage {
    let retained = revisions.suffix(retention.revisions).drop {
      $0.timestamp < retention.expiryTime(now: Clock.wallMilliseconds)
    }
    var bytes = 0
    let page = retained.drop { $0.number <= revision ?? 0 }.prefix(limit).prefix { revision in
      defer { bytes += revision.byteCount }
      return bytes < HistoryPage.byteLimit
    }
    return HistoryPage(revisions: Array(page), oldest: retained.first?.number ?? last + 1)
  }

  package func removeExpired(_ retention: Retention) throws(StorageFailure) -> Bool {
    let needed = finished?.revision ?? 0
    let expiryTime = retention.expiryTime(now: Clock.wallMilliseconds)
    let first = last - retention.revisions + 1
    revisions = Array(revisions.drop { $0.number <= needed && ($0.number < first || $0.timestamp < expiryTime) })
    return false
  }

  package func close() {}
}
