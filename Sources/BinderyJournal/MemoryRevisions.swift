package import BinderyCore
import BinderySystem
import Synchronization

/// Makes the revisions of a store in memory from its latest versions.
///
/// Revisions are made when a client reads the history, or once a second. With more than 255 commits in a second, they
/// are made only for readers: the ring keeps the latest versions, and older revisions are lost.
package final class MemoryRevisions<Root: Sendable>: RevisionReader, VersionRecorder {
  private struct State {
    /// The revisions, as far as the retention keeps them.
    var revisions: [Revision] = []
    /// The revision up to which revisions were made.
    var recorded = 0
    /// The last revision when ``recordIfCalm()`` was called last.
    var seen = 0
    /// The time of the last revision. Times in the history do not decrease, even if the clock is set back.
    var lastTime: Int64 = 0
  }

  private let shape: EditableShape<Root>
  private let retention: Retention
  private let ring: VersionRing
  private let wake: @Sendable () -> Void
  /// Held by the history's thread while it works.
  private let state = Mutex(State())
  /// The last revision of the store.
  private let last = Atomic(0)
  /// Whether the thread waits for a commit.
  private let isWaiting = Atomic(true)

  /// Creates the revisions of a store that is created with this recorder, at revision 0.
  ///
  /// - Parameter wake: Wakes the thread that calls ``recordIfCalm()``. Called after a commit for which it waits.
  package init(
    of model: ModelDefinition<Root>, _ retention: Retention, ring: VersionRing = VersionRing(),
    wake: @escaping @Sendable () -> Void
  ) {
    shape = model.shape
    self.retention = retention
    self.ring = ring
    self.wake = wake
  }

  package func record(_ version: any AnyObject & Sendable, revision: Int) -> (any AnyObject & Sendable)? {
    let replaced = ring.add(version, revision: revision)
    last.store(revision, ordering: .sequentiallyConsistent)
    return replaced
  }

  package func wakeIfNeeded() {
    if isWaiting.load(ordering: .sequentiallyConsistent),
      isWaiting.exchange(false, ordering: .sequentiallyConsistent)
    {
      wake()
    }
  }

  package func revisions(_ query: HistoryQuery, _ retention: Retention) throws(StorageFailure) -> HistoryPage {
    state.withLock { state in
      record(&state)
      var page = HistoryPage.Builder(query)
      for revision in query.isBackward ? state.revisions.reversed() : state.revisions {
        guard page.append(revision) else { break }
      }
      return page.finish(oldest: state.revisions.first?.number ?? state.recorded + 1)
    }
  }

  /// The interval between two calls of ``recordIfCalm()`` while there are new versions, in milliseconds.
  package static var interval: Int { 1_000 }

  /// Makes revisions of the new versions, unless there were too many commits since the last call.
  ///
  /// - Returns: The milliseconds after which to call it again; -1 if ``wakeIfNeeded()`` wakes the thread.
  package func recordIfCalm() -> Int {
    state.withLock { state in
      let revision = last.load(ordering: .sequentiallyConsistent)
      if revision == state.recorded {
        isWaiting.store(true, ordering: .sequentiallyConsistent)
        // A commit may have come in between, without a wake-up.
        return last.load(ordering: .sequentiallyConsistent) == revision ? -1 : 0
      }
      let isCalm = revision - state.seen <= VersionRing.revisions
      state.seen = revision
      if isCalm { record(&state) }
      return Self.interval
    }
  }

  /// Makes revisions of all new versions, and removes expired ones.
  private func record(_ state: inout State) {
    defer { removeExpired(&state.revisions) }
    let (first, found) = ring.versions(from: state.recorded)
    let versions = found.compactMap { version, time in (version as? Snapshot<Root>).map { ($0, time) } }
    guard versions.count > 1 else { return }
    // Versions in between were overwritten, and a history has no gaps.
    if first > state.recorded { state.revisions = [] }
    for ((old, _), (new, time)) in zip(versions, versions.dropFirst()) {
      state.lastTime = max(state.lastTime, time)
      state.revisions.append(Revision(at: state.lastTime, from: old, to: new, shape))
    }
    state.recorded = first + versions.count - 1
    ring.remove(from: first, before: state.recorded)
  }

  private func removeExpired(_ revisions: inout [Revision]) {
    let expiryTime = retention.expiryTime(now: Clock.wallMilliseconds)
    var first = revisions.endIndex
    var bytes = 0
    while first > 0, revisions.count - first < retention.revisions {
      let next = revisions[first - 1]
      bytes += next.byteCount
      guard next.timestamp >= expiryTime, bytes <= retention.bytes else { break }
      first -= 1
    }
    revisions.removeFirst(first)
  }
}
