package import BinderyCore
package import BinderySystem

/// The history of a store without a journal, in memory.
package final class MemoryHistory<Root: Sendable>: History, VersionRecorder {
  private let revisions: MemoryRevisions<Root>
  private let thread: HistoryThread

  /// Creates the history of a store that is created with it.
  package init(retention: Retention = Retention()) throws(Errno) {
    let revisions = MemoryRevisions<Root>(retention)
    self.revisions = revisions
    thread = try HistoryThread(revisions, retention, whileIdle: { revisions.recordIfCalm() })
  }

  package var now: Int64 { Clock.wallMilliseconds }

  package func wake() { thread.wake() }

  /// Starts the thread of the history, before the first commit.
  package func start(_ store: Store<Root>) throws(Errno) {
    revisions.setStore(store)
    try thread.start()
  }

  /// Answers all requests so far and stops the thread.
  package func stop() {
    thread.stop()
    revisions.setStore(nil)
  }

  package func revisions(
    after revision: Int?, limit: Int, _ completion: @escaping @Sendable (Result<HistoryPage, JournalFailure>) -> Void
  ) {
    thread.read(after: revision, limit: limit, completion)
  }
}
