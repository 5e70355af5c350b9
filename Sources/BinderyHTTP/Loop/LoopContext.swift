import Synchronization

/// What a responder may ask of the event loop it was made for; confined to that loop, but for `handle`.
package final class LoopContext {
  /// The number of the loop, from 0.
  package let index: Int
  /// Wakes this loop from any thread.
  package let handle: LoopHandle
  // Atomic although one thread uses them: the loop looks at both in each turn, and a look at a plain property of a
  // class costs a check of exclusive access that is as long as half of the turn's other work.
  private let now: Atomic<Int64>
  private let turn: Atomic<Int64>
  private let latest: Atomic<Int64>
  private let clock: (@Sendable () -> Int64)?
  private let attention = Atomic<Int64>(.max)
  private var ready = ReadyList()
  private var streamsReady = ReadyList()
  private var timers = TimerHeap()
  /// By slot; empty while nobody wants to know.
  private var peers: [String] = []

  /// Whether somebody wants to know who the peers are.
  package var wantsPeers = false

  /// A context whose clock stands at `nowMilliseconds`.
  ///
  /// - Parameter clock: the same clock in nanoseconds, for those who measure; without one it stands still in a turn.
  package init(index: Int, handle: LoopHandle, nowMilliseconds: Int64, clock: (@Sendable () -> Int64)? = nil) {
    self.index = index
    self.handle = handle
    self.clock = clock
    now = Atomic(nowMilliseconds)
    turn = Atomic(nowMilliseconds * 1_000_000)
    latest = Atomic(nowMilliseconds * 1_000_000)
  }

  /// The monotonic clock at the beginning of this turn of the loop, which sets it.
  package var nowMilliseconds: Int64 {
    get { now.load(ordering: .relaxed) }
    set {
      now.store(newValue, ordering: .relaxed)
      turn.store(newValue * 1_000_000, ordering: .relaxed)
    }
  }

  /// The clock at the beginning of this turn in nanoseconds, which the loop sets after the milliseconds.
  package var turnNanoseconds: Int64 {
    get { turn.load(ordering: .relaxed) }
    set {
      turn.store(newValue, ordering: .relaxed)
      latest.store(newValue, ordering: .relaxed)
    }
  }

  /// The clock just now.
  @discardableResult
  package func readNanoseconds() -> Int64 {
    let now = clock?() ?? turnNanoseconds
    latest.store(now, ordering: .relaxed)
    return now
  }

  /// The clock when it was last read, by whomever.
  package var latestNanoseconds: Int64 { latest.load(ordering: .relaxed) }

  /// Who is at the other end of a connection; empty where that is not known.
  package func peer(at slot: UInt32) -> String { Int(slot) < peers.count ? peers[Int(slot)] : "" }

  /// Notes who is at the other end.
  package func setPeer(_ peer: String, at slot: Int) {
    while peers.count <= slot { peers.append("") }
    peers[slot] = peer
  }

  /// When the loop must look for timers that are due: at once while exchanges are ready, never if there are neither.
  package var attentionMilliseconds: Int64 { attention.load(ordering: .relaxed) }

  /// Has `produce` called for an open exchange in this turn, or when its peer takes bytes again.
  package func markReady(_ exchange: ExchangeID) {
    ready.append(exchange)
    attention.store(.min, ordering: .relaxed)
  }

  /// The same for streams: after all answers, and when there are many, some in each turn, so that others are served in
  /// between.
  package func markStreamsReady(_ exchanges: [ExchangeID]) {
    if exchanges.isEmpty { return }
    streamsReady.append(exchanges)
    attention.store(.min, ordering: .relaxed)
  }

  /// Has `elapsed` called with the token, once, not before the time has passed.
  ///
  /// - Complexity: O(log of the number of timers).
  package func schedule(after milliseconds: Int64, token: UInt64) {
    timers.insert(at: nowMilliseconds + milliseconds, token: token)
    renewAttention()
  }

  /// Takes all exchanges that were marked ready, and some of the streams, in order.
  package func takeReady(into taken: inout [ExchangeID]) {
    taken.removeAll(keepingCapacity: true)
    ready.take(.max, into: &taken)
    streamsReady.take(Self.streamsPerTurn, into: &taken)
    renewAttention()
  }

  /// An event costs some microseconds, most of them the kernel's, and a turn is not to take more than half a
  /// millisecond.
  private static var streamsPerTurn: Int { 64 }

  /// Takes the token of one timer that is due.
  ///
  /// - Complexity: O(log of the number of timers).
  package func takeDueTimer() -> UInt64? {
    let token = timers.removeDue(at: nowMilliseconds)
    renewAttention()
    return token
  }

  private func renewAttention() {
    let isReady = !ready.isEmpty || !streamsReady.isEmpty
    attention.store(isReady ? .min : timers.next ?? .max, ordering: .relaxed)
  }
}
