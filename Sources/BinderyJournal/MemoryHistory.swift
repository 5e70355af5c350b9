package import BinderyCore
package import BinderySystem

/// The history of a store without a journal, in memory.
package final class MemoryHistory<Root: Sendable>: History {
  /// Records the versions of the store, which must be created with it.
  package let recorder: MemoryRevisions<Root>
  private let thread: HistoryThread

  /// Creates the history of a store of a model, and starts its thread.
  package init(of model: ModelDefinition<Root>, retention: Retention = Retention()) throws(Errno) {
    let wakeup = try Wakeup()
    let recorder = MemoryRevisions(of: model, retention, wake: { wakeup.signal() })
    self.recorder = recorder
    thread = try HistoryThread(recorder, retention, wakeup, whileIdle: { recorder.recordIfCalm() })
    try thread.start()
  }

  /// Answers all requests so far and stops the thread.
  package func stop() { thread.stop() }

  package func revisions(
    _ query: HistoryQuery, _ completion: @escaping @Sendable (Result<HistoryPage, JournalFailure>) -> Void
  ) {
    thread.read(query, completion)
  }
}
