/// What a responder may ask of the event loop it was made for; confined to that loop, but for `handle`.
package final class LoopContext {
  /// The number of the loop, from 0.
  package let index: Int
  /// Wakes this loop from any thread.
  package let handle: LoopHandle
  /// The monotonic clock at the beginning of this turn of the loop.
  package var nowMilliseconds: Int64
  private var ready: [ExchangeID] = []
  private var timers = TimerHeap()

  /// A context whose clock stands at `nowMilliseconds`.
  package init(index: Int, handle: LoopHandle, nowMilliseconds: Int64) {
    self.index = index
    self.handle = handle
    self.nowMilliseconds = nowMilliseconds
  }

  /// Has `produce` called for an open exchange in this turn, or when its peer takes bytes again.
  package func markReady(_ exchange: ExchangeID) { ready.append(exchange) }

  /// Has `elapsed` called with the token, once, not before the time has passed.
  ///
  /// - Complexity: O(log of the number of timers).
  package func schedule(after milliseconds: Int64, token: UInt64) {
    timers.insert(at: nowMilliseconds + milliseconds, token: token)
  }

  /// Takes the exchanges that were marked ready, leaving an empty list with room for the next ones in `spare`.
  package func takeReady(into spare: inout [ExchangeID]) {
    spare.removeAll(keepingCapacity: true)
    swap(&spare, &ready)
  }

  /// Whether any exchange is marked ready.
  package var hasReady: Bool { !ready.isEmpty }

  /// When the next timer is due; nil when there is none.
  package var nextTimerMilliseconds: Int64? { timers.next }

  /// Takes the token of one timer that is due.
  ///
  /// - Complexity: O(log of the number of timers).
  package func takeDueTimer() -> UInt64? { timers.removeDue(at: nowMilliseconds) }
}
