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
  /// The size of all incomplete requests and unsent responses.
  var bufferedBytes = 0
  /// The connections to serve in the next turn.
  var queue: [UInt32] = []
  var wheel: DeadlineWheel
  /// The time at which draining ends by force; nil until a stop begins.
  var drainDeadline: Int64?

  /// The shared request buffer. It holds the bytes of the connection being served, and of those received in a round.
  var buffer = RequestBuffer(capacity: requestBufferBytes, cachedHeads: 128)
  var received = Round(filler: Received(slot: 0, bytes: 0..<0))
  var output = ResponseWriter()
  var pendingSends = Round(filler: PendingSend(slot: 0, end: 0, next: .wait))
  /// The time at which the current phase should end, in nanoseconds.
  private var phaseDeadline = Int64.max
  private static var requestBufferBytes: Int { 64 * 1024 }
  private var nextDateUpdate: Int64 = 0
  /// Storage that is reused for lists of slots.
  private var spareSlots: [UInt32] = []
  /// The ready exchanges. Those not served in this turn are served first in the next.
  private var ready: [ExchangeID] = []

  init(
    control: LoopControl, listeners: [Listener], limits: Limits, metrics: ServerMetrics.Loop,
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
    self.control = control
    self.metrics = metrics
    self.listeners = listeners
    self.poll = poll
    self.context = context
    wheel = DeadlineWheel(now: now)
    responder = makeResponder(context)
  }

  /// Runs the loop until the server is stopped and all exchanges have ended or the drain deadline has passed.
  mutating func run() {
    // A local reference, because accessing it through the loop would retain and release it for each call.
    let handle = context.handle
    while !isDone {
      let timeout = handle.willSleep() ? waitTimeout() : 0
      let events = poll.wait(milliseconds: timeout)
      handle.didWake()
      updateClock()
      beginPhase()
      for index in 0..<events { dispatch(poll[index]) }
      serveReceived()
      if handle.takeWake() { responder.didReceiveWake() }
      if control.isStopping, drainDeadline == nil { startDraining() }
      processTimers()
      beginPhase()
      serveQueue()
      beginPhase()
      produceReady()
      responder.turnDidEnd()
      assert(
        buffer.isEmpty && buffer.freeCapacity >= Self.requestBufferBytes, "the loop's own buffer was not swapped back")
      while let slot = slotsFreedThisTurn.popLast() { freeSlots.append(slot) }
    }
    for slot in connections.indices where connections[slot].socket != nil { drop(slot) }
  }

  private var isDone: Bool {
    guard let drainDeadline else { return false }
    return openCount == 0 || context.nowMilliseconds >= drainDeadline
  }

  /// Returns the timeout of the next wait in milliseconds; -1 for none.
  ///
  /// Mutating, because a nonmutating method could be passed a copy of the whole loop.
  private mutating func waitTimeout() -> Int {
    if !queue.isEmpty || !ready.isEmpty { return 0 }
    var due = min(wheel.nextDue ?? .max, context.nextWorkMilliseconds)
    due = min(due, min(acceptResumeTime ?? .max, drainDeadline ?? .max))
    if due == .max { return -1 }
    // The clock was read at the start of the turn. A turn is short compared to the resolution of these deadlines.
    return Int(max(0, max(due, 0) - context.nowMilliseconds))
  }

  private mutating func updateClock() {
    let nanoseconds = Clock.monotonicNanoseconds
    let now = nanoseconds / 1_000_000
    context.nowMilliseconds = now
    context.turnNanoseconds = nanoseconds
    if now >= nextDateUpdate {
      let wall = Clock.wallMilliseconds
      output.setDate(seconds: wall / 1000)
      nextDateUpdate = now + 1000 - wall % 1000
    }
  }

  /// The time budget of one phase of a turn: enough for hundreds of small responses or one slice of a long one.
  private static var phaseNanoseconds: Int64 { 1_000_000 }

  private mutating func beginPhase() { phaseDeadline = context.lastReadNanoseconds + Self.phaseNanoseconds }

  /// Indicates whether the time budget of this phase is used up, so that its remaining work moves to the next turn.
  ///
  /// It uses the last reading of the clock, which is read for each response anyway, and after slow operations.
  var isPhaseOver: Bool { context.lastReadNanoseconds >= phaseDeadline }

  private mutating func dispatch(_ event: Poll.Event) {
    if event.token == Token.wakeup { return }
    if event.token > Token.listener - UInt64(listeners.count) {
      return accept(from: listeners[Int(Token.listener - event.token)])
    }
    let slot = Int(event.token & 0xFFFF_FFFF)
    guard connections[slot].socket != nil, connections[slot].generation == UInt32(event.token >> 32) else { return }
    handle(event, at: slot)
  }

  private mutating func processTimers() {
    let now = context.nowMilliseconds
    if context.nextWorkMilliseconds <= now {
      while let token = context.takeDueTimer() { responder.timerFired(token) }
    }
    if let time = acceptResumeTime, now >= time { resumeAccepting() }
    guard let due = wheel.nextDue, due <= now else { return }
    var slots: [UInt32] = []
    swap(&slots, &spareSlots)
    while let tick = wheel.takeDue(now: now, into: &slots) {
      for slot in slots where connections[Int(slot)].registeredTick == tick { checkDeadline(Int(slot)) }
    }
    swap(&slots, &spareSlots)
  }

  /// Serves queued connections: at least one, and more until the phase is over.
  private mutating func serveQueue() {
    guard !queue.isEmpty else { return }
    var slots: [UInt32] = []
    swap(&slots, &spareSlots)
    slots.removeAll(keepingCapacity: true)
    swap(&slots, &queue)
    var count = 0
    for slot in slots {
      if count > 0, isPhaseOver { break }
      count += 1
      guard connections[Int(slot)].isQueued else { continue }
      connections[Int(slot)].isQueued = false
      serveConnection(Int(slot))
    }
    flushSends()
    // Connections that were not served stay ahead of those that were queued again.
    if count < slots.count {
      slots.removeFirst(count)
      slots.append(contentsOf: queue)
      swap(&slots, &queue)
    }
    swap(&slots, &spareSlots)
  }

  private mutating func produceReady() {
    if ready.isEmpty {
      guard context.nextWorkMilliseconds == .min else { return }
      context.takeReady(into: &ready)
    }
    var count = 0
    while count < ready.count, count == 0 || !isPhaseOver {
      let exchange = ready[count]
      let slot = Int(exchange.slot)
      count += 1
      guard slot < connections.count, connections[slot].socket != nil, connections[slot].machine.hasOpenExchange,
        connections[slot].machine.generation == exchange.generation
      else { continue }
      produce(slot)
    }
    ready.removeFirst(count)
    flushSends()
  }
}
