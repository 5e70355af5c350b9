import BinderyHTTP
import Synchronization

/// A queue of results that other threads have completed for the exchanges of one event loop.
final class ExchangeMailbox<Result: Sendable>: Sendable {
  /// Guards the queue. Held only to append and to take all.
  private let results = Mutex<[(ExchangeID, Result)]>([])

  func put(_ exchange: ExchangeID, _ result: Result) {
    results.withLock { $0.append((exchange, result)) }
  }

  /// Removes and returns all results, in the order in which they were put.
  func takeAll() -> [(ExchangeID, Result)] {
    results.withLock { results in
      defer { results = [] }
      return results
    }
  }
}
