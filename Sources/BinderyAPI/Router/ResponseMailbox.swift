import BinderyHTTP
import Synchronization

/// A queue of responses that other threads have completed for the exchanges of one event loop.
final class ResponseMailbox: Sendable {
  /// Guards the queue. Held only to append and to take all.
  private let responses = Mutex<[(ExchangeID, Result<Response, Problem>)]>([])

  func put(_ exchange: ExchangeID, _ result: Result<Response, Problem>) {
    responses.withLock { $0.append((exchange, result)) }
  }

  /// Removes and returns all responses, in the order in which they were put.
  func takeAll() -> [(ExchangeID, Result<Response, Problem>)] {
    responses.withLock { responses in
      defer { responses = [] }
      return responses
    }
  }
}
