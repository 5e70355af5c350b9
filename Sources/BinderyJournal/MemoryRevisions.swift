package import BinderyCore
import Synchronization

/// Makes the revisions of a store in memory from its latest versions.
///
/// A revision is made when it is asked for, or when the store is calm. While there are too many commits for that, the
/// latest versions wait in the store, and older revisions are lost: their history would not reach back a second.
package final class MemoryRevisions<Root: Sendable>: RevisionReader {
  private struct State {
    /// Nil before the start and after the stop.
    var store: Store<Root>?
    /// The revision up to which revisions were made.
    var recorded = 0
    /// The published revision when ``recordIfCalm()`` was called last.
    var seen = 0
    /// The time of the last revision. Times in the history never decrease, even if the clock is set back.
    var lastTime: Int64 = 0
  }

  /// Held by the history's thread while it works.
  private let state = Mutex(State())
  private let log = MemoryLog()
  private let retention: Retention

  /// Creates the revisions of a store that is set later.
  package init(_ retention: Retention) { self.retention = retention }

  /// Begins or ends the history of a store.
  package func setStore(_ store: Store<Root>?) {
    state.withLock { state in
      state.store = store
      state.recorded = store?.revision ?? state.recorded
    }
  }

  package func revisions(
    after revision: Int?, limit: Int, _ retention: Retention
  ) throws(StorageFailure) -> HistoryPage {
    state.withLock { record(&$0) }
    return try log.revisions(after: revision, limit: limit, retention)
  }

  /// The interval between two calls of ``recordIfCalm()`` while there are new versions, in milliseconds.
  package static var interval: Int { 250 }

  /// Makes revisions of the new versions, unless there were too many commits since the last call.
  ///
  /// - Returns: The milliseconds after which to call it again; -1 if the store wakes its recorder at the next commit.
  package func recordIfCalm() -> Int {
    state.withLock { state in
      guard let store = state.store else { return -1 }
      let published = store.revision
      if published == state.recorded { return store.announcesNextVersion(after: published) ? -1 : 0 }
      let isCalm = published - state.seen <= Store<Root>.recordableVersions
      state.seen = published
      if isCalm { record(&state) }
      return Self.interval
    }
  }

  /// Makes revisions of all new versions that the store has, and removes expired ones.
  private func record(_ state: inout State) {
    guard let store = state.store else { return }
    let versions = store.versions(from: state.recorded)
    guard let first = versions.first?.version.revision, let last = versions.last?.version.revision, first < last
    else { return log.removeExpired(retention) }
    // The versions between are lost, and a history has no gaps.
    if first > state.recorded { log.removeAll() }
    var revisions: [Revision] = []
    for (old, new) in zip(versions, versions.dropFirst()) {
      state.lastTime = max(state.lastTime, new.time)
      revisions.append(Revision(at: state.lastTime, from: old.version, to: new.version, store.model.shape))
    }
    log.append(revisions)
    log.setSnapshot(last)
    log.removeExpired(retention)
    state.recorded = last
    store.forgetVersions(from: first, before: last)
  }
}
