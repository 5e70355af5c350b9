import Synchronization

/// The interface of an event loop to its responder: clock, timers and ready exchanges.
///
/// Confined to the thread of that loop, except `handle`.
package final class LoopContext {
  /// The number of the loop, from 0.
  package let index: Int
  /// Wakes this loop from any thread.
  package let handle: LoopHandle
  // Atomics although only one thread uses them: the loop reads both in every turn, and a plain stored property of a
  // class needs a dynamic exclusivity check that costs half as much as the rest of an idle turn.
  private let now: Atomic<Int64>
  private let turn: Atomic<Int64>
  private let lastRead: Atomic<Int64>
  private let clock: (@Sendable () -> Int64)?
  private let nextWork = Atomic<Int64>(.max)
  private var ready = ReadyList()
  private var streamsReady = ReadyList()
  private var aborted: [ExchangeID] = []
  private var timers = TimerHeap()
  /// The peer addresses by slot; empty unless `recordsPeerAddresses` is set.
  private var peers: [String] = []

  /// Whether the loop records the peer address of each accepted connection.
  package var recordsPeerAddresses = false

  /// Creates a context whose clock reads `nowMilliseconds`.
  ///
  /// - Parameter clock: Returns the same clock in nanoseconds. Without it, the clock does not advance within a turn.
  package init(index: Int, handle: LoopHandle, nowMilliseconds: Int64, clock: (@Sendable () -> Int64)? = nil) {
    self.index = index
    self.handle = handle
    self.clock = clock
    now = Atomic(nowMilliseconds)
    turn = Atomic(nowMilliseconds * 1_000_000)
    lastRead = Atomic(nowMilliseconds * 1_000_000)
  }

  /// The monotonic clock at the start of this turn. The loop sets it.
  package var nowMilliseconds: Int64 {
    get { now.load(ordering: .relaxed) }
    set {
      now.store(newValue, ordering: .relaxed)
      turn.store(newValue * 1_000_000, ordering: .relaxed)
    }
  }

  /// The clock at the start of this turn, in nanoseconds. The loop sets it after `nowMilliseconds`.
  package var turnNanoseconds: Int64 {
    get { turn.load(ordering: .relaxed) }
    set {
      turn.store(newValue, ordering: .relaxed)
      lastRead.store(newValue, ordering: .relaxed)
    }
  }

  /// Reads the clock, in nanoseconds.
  @discardableResult
  package func readNanoseconds() -> Int64 {
    let now = clock?() ?? turnNanoseconds
    lastRead.store(now, ordering: .relaxed)
    return now
  }

  /// The most recent reading of the clock, in nanoseconds.
  package var lastReadNanoseconds: Int64 { lastRead.load(ordering: .relaxed) }

  /// Returns the address of a connection's peer; empty if it is unknown.
  package func peerAddress(at slot: UInt32) -> String { Int(slot) < peers.count ? peers[Int(slot)] : "" }

  /// Records the address of a connection's peer.
  package func setPeerAddress(_ address: String, at slot: Int) {
    while peers.count <= slot { peers.append("") }
    peers[slot] = address
  }

  /// The time at which the loop has work again: the next timer, `Int64.min` while exchanges are ready, or `Int64.max`.
  package var nextWorkMilliseconds: Int64 { nextWork.load(ordering: .relaxed) }

  /// Schedules a call of `produce` for an open exchange, in this turn or as soon as its peer accepts bytes.
  package func markReady(_ exchange: ExchangeID) {
    ready.append(exchange)
    nextWork.store(.min, ordering: .relaxed)
  }

  /// Closes the connection of an open exchange, in this turn or the next one, even while its peer accepts no bytes.
  ///
  /// Calls `Responder.peerDisconnected`.
  package func abort(_ exchange: ExchangeID) {
    aborted.append(exchange)
    nextWork.store(.min, ordering: .relaxed)
  }

  /// Removes and returns the exchanges whose connections must be closed.
  package func takeAborted() -> [ExchangeID] {
    if aborted.isEmpty { return [] }
    let exchanges = aborted
    aborted = []
    updateNextWork()
    return exchanges
  }

  /// Schedules calls of `produce` for streams, after other exchanges.
  ///
  /// A large number of streams is spread over several turns, so that requests are served in between.
  package func markStreamsReady(_ exchanges: [ExchangeID]) {
    if exchanges.isEmpty { return }
    streamsReady.append(exchanges)
    nextWork.store(.min, ordering: .relaxed)
  }

  /// Schedules one call of `Responder.timerFired` with the token after a delay.
  ///
  /// - Complexity: O(log *n*), where *n* is the number of timers.
  package func schedule(after milliseconds: Int64, token: UInt64) {
    timers.insert(at: nowMilliseconds + milliseconds, token: token)
    updateNextWork()
  }

  /// Removes all ready exchanges and up to `streamsPerTurn` ready streams, in order.
  ///
  /// - Parameter taken: Its contents are replaced; its capacity is kept.
  package func takeReady(into taken: inout [ExchangeID]) {
    taken.removeAll(keepingCapacity: true)
    ready.take(.max, into: &taken)
    streamsReady.take(Self.streamsPerTurn, into: &taken)
    updateNextWork()
  }

  /// The maximum number of streams that are served in one turn.
  ///
  /// Sending an event takes a few microseconds, most of them in the kernel. A turn should take at most 0.5 ms.
  private static var streamsPerTurn: Int { 64 }

  /// Removes the earliest timer that is due and returns its token; returns nil if none is due.
  ///
  /// - Complexity: O(log *n*), where *n* is the number of timers.
  package func takeDueTimer() -> UInt64? {
    let token = timers.removeDue(at: nowMilliseconds)
    updateNextWork()
    return token
  }

  private func updateNextWork() {
    let isReady = !ready.isEmpty || !streamsReady.isEmpty || !aborted.isEmpty
    nextWork.store(isReady ? .min : timers.next ?? .max, ordering: .relaxed)
  }
}
