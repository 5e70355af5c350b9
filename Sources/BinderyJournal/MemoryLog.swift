import BinderyCore
import BinderySystem
import Synchronization

/// Revisions in memory.
final class MemoryLog: RevisionReader {
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

  /// Removes all revisions, because later ones are missing.
  func removeAll() { state.withLock { $0.revisions = [] } }

  func setSnapshot(_ revision: Int) { state.withLock { $0.snapshot = revision } }

  func removeExpired(_ retention: Retention) {
    state.withLock { state in
      let needed = state.revisions.prefix(state.firstRetained(retention)).drop { $0.number <= state.snapshot }
      state.revisions = Array(needed) + state.revisions.suffix(from: state.firstRetained(retention))
    }
  }

  func revisions(_ query: HistoryQuery, _ retention: Retention) throws(StorageFailure) -> HistoryPage {
    let (retained, last) = state.withLock { state in
      (state.revisions.suffix(from: state.firstRetained(retention)), state.revisions.last?.number ?? state.snapshot)
    }
    var page = HistoryPage.Builder(query)
    for next in query.isBackward ? Array(retained.reversed()) : Array(retained) {
      guard page.append(next) else { break }
    }
    return page.finish(oldest: retained.first?.number ?? last + 1)
  }
}
