package import BinderyCore
import BinderySystem

/// A log that ends with the process: for tests, and as the shortest description of what a log does.
package final class MemoryStorage: JournalStorage {
  private var kept: [Revision] = []
  private var whole: StoredSnapshot?
  private var pieces: [UInt8] = []

  package init() {}

  private var last: Int { kept.last?.number ?? whole?.revision ?? 0 }

  package func append(_ revisions: [Revision]) throws(StorageFailure) {
    guard revisions.first?.number == last + 1 else {
      throw .refused(.unavailable("revision \(revisions.first?.number ?? 0) does not follow \(last)"))
    }
    kept += revisions
  }

  package func reopen() throws(StorageFailure) -> Int { last }

  package func probe() throws(StorageFailure) {}

  package func snapshot() throws(StorageFailure) -> StoredSnapshot? { whole }

  package func write(piece: [UInt8], number: Int, ofSnapshotAt revision: Int) throws(StorageFailure) {
    if number == 0 { pieces = [] }
    pieces += piece
  }

  package func finish(
    piece: [UInt8], number: Int, ofSnapshotAt revision: Int, layout: String
  ) throws(StorageFailure) {
    try write(piece: piece, number: number, ofSnapshotAt: revision)
    whole = StoredSnapshot(revision: revision, content: pieces, layout: layout)
  }

  package func forEachPatch<E: Error>(
    after revision: Int, _ body: (_ number: Int, _ patch: [UInt8]) throws(E) -> Void
  ) throws(E) -> StorageFailure? {
    var last = revision
    for one in kept where one.number > revision {
      guard one.number == last + 1 else { return .damaged("revision \(last + 1) is missing") }
      last = one.number
      try body(one.number, one.patch)
    }
    return nil
  }

  package func revisions(
    after revision: Int?, limit: Int, _ retention: Retention
  ) throws(StorageFailure) -> HistoryPage {
    let shown = kept.suffix(retention.revisions).drop { $0.at < retention.horizon(now: Clock.wallMilliseconds) }
    var bytes = 0
    let page = shown.drop { $0.number <= revision ?? 0 }.prefix(limit).prefix { one in
      defer { bytes += one.byteCount }
      return bytes < HistoryPage.fullBytes
    }
    return HistoryPage(revisions: Array(page), oldest: shown.first?.number ?? last + 1)
  }

  package func forget(_ retention: Retention) throws(StorageFailure) -> Bool {
    let needed = whole?.revision ?? 0
    let horizon = retention.horizon(now: Clock.wallMilliseconds)
    let first = last - retention.revisions + 1
    kept = Array(kept.drop { $0.number <= needed && ($0.number < first || $0.at < horizon) })
    return false
  }

  package func close() {}
}
