import BinderyHTTP
import BinderySystem

/// The event loop of one server thread: its listeners, connections and responder.
///
/// Each turn runs these phases: wait for kernel events; receive, respond and send; deliver wake requests and timers;
/// serve queued connections; let ready exchanges produce output. Then it calls `Responder.turnDidEnd`. All state is
/// confined to the loop's thread; other threads use `LoopControl`.
struct EventLoop: ~Copyable {
  /// The poll tokens that do not identify a connection.
  enum Token {
    static let wakeup = UInt64.max
    /// The token of the first listener. The tokens of the others count down from it.
    static let listener = UInt64.max - 1
  }

  let limits: Limits
  let control: LoopControl
  let metrics: ServerMetrics.Loop
  /// Reports that no connection can be accepted, for all event loops.
  let exhaustionReport: ExhaustionReport
  let context: LoopContext
  let responder: any Responder
  var poll: Poll
  var listeners: [Listener]
  /// The time at which accepting resumes after a pause; nil while the listeners are polled.
  var acceptResumeTime: Int64?

  var connections: [Connection] = []
  var freeSlots: [UInt32] = []
  /// Slots that became free in this turn. They are not reused until its end, because events for them may be pending.
  var slotsFreedThisTurn: [UInt32] = []
  var openCount = 0
  /// The size of all incomplete requests and unsent responses, of all event loops.
  let bufferedBytes: BufferedBytes
  /// The slot whose incomplete head was rejected last, because there were too many.
  var lastRejectedHead = 0
  /// The connections to serve in the next turn.
  var queue: [UInt32] = []
  /// The connections with a large request. Each turn serves one of them, after all others.
  var largeQueue: [UInt32] = []
  var wheel: DeadlineWheel
  /// The time at which draining ends by force; nil until a stop begins.
  var drainDeadline: Int64?

  /// The shared request buffer. It holds the bytes of the connection being served, and of those received in a round.
  var buffer = RequestBuffer(capacity: requestBufferBytes)
  var received = Round(filler: Received(slot: 0, bytes: 0..<0))
  var output = ResponseWriter()
  var pendingSends = Round(filler: PendingSend(slot: 0, end: 0, next: .wait))
  /// The time at which the current phase should end, in nanoseconds.
  var phaseDeadline = Int64.max
  static var requestBufferBytes: Int { 64 * 1024 }
  var nextDateUpdate: Int64 = 0
  /// Storage that is reused for lists of slots.
  var spareSlots: [UInt32] = []
  /// The ready exchanges. Those not served in this turn are served first in the next.
  var ready: [ExchangeID] = []

  init(
    control: LoopControl, listeners: [Listener], limits: Limits, bufferedBytes: BufferedBytes,
    metrics: ServerMetrics.Loop, exhaustionReport: ExhaustionReport,
    makeResponder: @Sendable (LoopContext) -> any Responder
  ) throws(Errno) {
    let poll = try Poll(capacity: 512)
    try poll.add(control.wakeup, token: Token.wakeup)
    for index in listeners.indices { try poll.add(listeners[index], token: Token.listener - UInt64(index)) }
    let now = Clock.monotonicMilliseconds
    let context = LoopContext(index: control.index, handle: control.handle, nowMilliseconds: now) {
      Clock.monotonicNanoseconds
    }
    self.limits = limits
    self.bufferedBytes = bufferedBytes
    self.control = control
    self.metrics = metrics
    self.exhaustionReport = exhaustionReport
    self.listeners = listeners
    self.poll = poll
    self.context = context
    wheel = DeadlineWheel(now: now)
    responder = makeResponder(context)
  }
}

extension EventLoop {
  /// The bytes received from one connection, saved in the request buffer.
  struct Received {
    let slot: Int
    let bytes: Range<Int>
  }

  /// A pending send: the bytes of `output` from the end of the previous entry up to `end`.
  struct PendingSend {
    let slot: Int
    let end: Int
    let next: NextStep
  }

  /// The next step for a connection after its responses have been sent.
  enum NextStep: Equatable {
    /// Wait for bytes from the peer.
    case read
    /// Wait for the responder.
    case wait
    /// Serve it again, after other connections.
    case again
    /// Close it. The peer may still be sending if `lingering` is true.
    case close(lingering: Bool)
  }
}

/// A fixed-capacity list of the connections of one round, stored inline.
struct Round<Entry> {
  /// A larger capacity saves almost nothing, and the first connection would wait longer for the last.
  private var entries: InlineArray<16, Entry>
  private(set) var count = 0

  /// Creates an empty round.
  ///
  /// - Parameter filler: The value of unused elements.
  init(filler: Entry) { entries = InlineArray(repeating: filler) }

  var isEmpty: Bool { count == 0 }
  var isFull: Bool { count == entries.count }
  var indices: Range<Int> { 0..<count }
  subscript(index: Int) -> Entry { entries[index] }

  mutating func append(_ entry: Entry) {
    entries[count] = entry
    count += 1
  }

  mutating func removeAll() { count = 0 }
}
