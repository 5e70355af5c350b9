import BinderyCore
import BinderySystem
import Synchronization

/// A thread that reads pages of the history, one after the other, except for clients that have disconnected.
final class HistoryThread: Sendable {
  typealias Completion = @Sendable (Result<HistoryPage, JournalFailure>) -> Void

  private struct Inbox {
    typealias Request = (query: HistoryQuery, completion: Completion)

    /// The requests for all revisions of a page, and those for selected ones, which can take long.
    private var queues: ([Request], [Request]) = ([], [])
    private var prefersSelections = false
    var isStopping = false

    mutating func add(_ request: Request) {
      if request.query.includes == nil { queues.0.append(request) } else { queues.1.append(request) }
    }

    /// Takes requests of both kinds in turn, so that one of the first kind waits for at most one of the second.
    mutating func next() -> Request? {
      let takesSelection = !queues.1.isEmpty && (prefersSelections || queues.0.isEmpty)
      guard takesSelection || !queues.0.isEmpty else { return nil }
      prefersSelections = !takesSelection
      return takesSelection ? queues.1.removeFirst() : queues.0.removeFirst()
    }

    mutating func takeAll() -> [Request] {
      defer { queues = ([], []) }
      return queues.0 + queues.1
    }
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
    inbox.withLock { $0.add((query, completion)) }
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
      let (request, isStopping) = inbox.withLock { ($0.next(), $0.isStopping) }
      if let request {
        guard !request.query.isAbandoned() else {
          request.completion(.failure(.unavailable("The client has disconnected.")))
          continue
        }
        let page = Result { () throws(StorageFailure) in try reader.revisions(request.query, retention) }
        request.completion(page.mapError(\.failure))
        // Those that came meanwhile would each wait as long for a storage that cannot be reached.
        if case .failure(.refused(let failure)) = page {
          for waiting in inbox.withLock({ $0.takeAll() }) { waiting.completion(.failure(failure)) }
        }
      } else if isStopping {
        return
      } else {
        let milliseconds = work()
        _ = poll.withLock { $0.wait(milliseconds: milliseconds) }
      }
    }
  }
}
