import BinderyCore
import BinderySystem
import Synchronization

/// A thread that reads pages of the history, one after the other.
final class HistoryThread: Sendable {
  typealias Completion = @Sendable (Result<HistoryPage, JournalFailure>) -> Void

  private struct Inbox {
    var requests: [(query: HistoryQuery, completion: Completion)] = []
    var isStopping = false
  }

  /// Guards the inbox; held only to add or remove an entry.
  private let inbox = Mutex(Inbox())
  private let wakeup: Wakeup
  /// Used only by the thread.
  private let poll: Mutex<Poll>
  private let thread = Mutex<Thread?>(nil)
  private let reader: any RevisionReader
  private let retention: Retention
  private let work: @Sendable () -> Int

  /// Creates a thread, which does not run yet.
  ///
  /// - Parameters:
  ///   - wakeup: Wakes the thread.
  ///   - work: Called on the thread whenever there is no request. Returns the milliseconds after which it is called
  ///     again; -1 to wait for `wakeup` or a request.
  init(
    _ reader: any RevisionReader, _ retention: Retention, _ wakeup: Wakeup,
    whileIdle work: @escaping @Sendable () -> Int = { -1 }
  ) throws(Errno) {
    self.work = work
    self.wakeup = wakeup
    let poll = try Poll(capacity: 1)
    try poll.add(wakeup, token: 0)
    self.poll = Mutex(poll)
    self.reader = reader
    self.retention = retention
  }

  func start() throws(Errno) {
    let started = try Thread { [self] in run() }
    thread.withLock { $0 = started }
  }

  /// Reads a page and passes it to a completion callback on this thread.
  func read(_ query: HistoryQuery, _ completion: @escaping Completion) {
    inbox.withLock { $0.requests.append((query, completion)) }
    wakeup.signal()
  }

  /// Answers all requests so far and ends the thread. Later requests are never answered.
  func stop() {
    inbox.withLock { $0.isStopping = true }
    wakeup.signal()
    thread.withLock { $0.take() }?.join()
  }

  private func run() {
    while true {
      let (request, isStopping) = inbox.withLock { inbox in
        (inbox.requests.isEmpty ? nil : inbox.requests.removeFirst(), inbox.isStopping)
      }
      if let request {
        let page = Result { () throws(StorageFailure) in try reader.revisions(request.query, retention) }
        request.completion(page.mapError(\.failure))
      } else if isStopping {
        return
      } else {
        let milliseconds = work()
        _ = poll.withLock { $0.wait(milliseconds: milliseconds) }
      }
    }
  }
}
