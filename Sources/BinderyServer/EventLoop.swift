import BinderyHTTP
import BinderySystem

/// One thread's share of the server: its listeners, its connections and its responder.
///
/// A turn takes what the kernel tells, then wake-ups, time, the connections that had more to do than one turn gives
/// them, and the exchanges that are ready; then the responder is told that it ends. Everything belongs to one thread;
/// others reach it by its handle.
struct EventLoop: ~Copyable {
  enum Token {
    static let wakeup = UInt64.max
    /// The first listener; the others count down from it.
    static let listener = UInt64.max - 1
  }

  let limits: Limits
  let control: LoopControl
  let metrics: ServerMetrics.Loop
  let context: LoopContext
  let responder: any Responder
  var poll: Poll
  var listeners: [Listener]
  /// When listeners that were put aside for want of descriptors are tried again; nil while they are watched.
  var acceptingResumes: Int64?

  var connections: [Connection] = []
  var freeSlots: [UInt32] = []
  /// Slots that became free in this turn: their old events may still be told in it.
  var freedSlots: [UInt32] = []
  var openCount = 0
  /// What unfinished requests and untaken answers take, of all connections together.
  var heldBytes = 0
  var queue: [UInt32] = []
  var wheel: DeadlineWheel
  /// When the drain ends by force; nil while the server serves.
  var drainEnds: Int64?

  /// Lent to the connection that is at work; while others are received from, it keeps what has come.
  var buffer = RequestBuffer(capacity: requestBufferBytes, knownHeads: 128)
  var received = Round(filler: Received(slot: 0, bytes: 0..<0))
  var output = ResponseWriter()
  var posted = Round(filler: Posted(slot: 0, end: 0, next: .wait))
  /// When what the turn does now has had its time, in nanoseconds.
  private var phaseEnds = Int64.max
  private static var requestBufferBytes: Int { 64 * 1024 }
  private var dateRenewal: Int64 = 0
  private var spareSlots: [UInt32] = []
  /// Exchanges that are ready; those that are left of a turn are the first of the next.
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

  /// Serves until the server is stopped and everything in flight has ended.
  mutating func run() {
    // Held here: from the loop it would be retained for each call.
    let handle = context.handle
    while !isDone {
      let patience = handle.willSleep() ? timeToWait() : 0
      let events = poll.wait(milliseconds: patience)
      handle.didWake()
      renewClock()
      beginPhase()
      for index in 0..<events { take(poll[index]) }
      serveReceived()
      if handle.takeWake() { responder.woken() }
      if control.isStopping, drainEnds == nil { startDraining() }
      passTime()
      beginPhase()
      goOn()
      beginPhase()
      produceReady()
      responder.turnEnds()
      assert(buffer.isEmpty && buffer.room >= Self.requestBufferBytes, "the loop has not got its own intake back")
      while let slot = freedSlots.popLast() { freeSlots.append(slot) }
    }
    for slot in connections.indices where connections[slot].socket != nil { drop(slot) }
  }

  private var isDone: Bool {
    guard let drainEnds else { return false }
    return openCount == 0 || context.nowMilliseconds >= drainEnds
  }

  /// How long the kernel may let the loop wait. Mutating, because a getter would be given a copy of the whole loop.
  private mutating func timeToWait() -> Int {
    if !queue.isEmpty || !ready.isEmpty { return 0 }
    var due = min(wheel.nextDue ?? .max, context.attentionMilliseconds)
    due = min(due, min(acceptingResumes ?? .max, drainEnds ?? .max))
    if due == .max { return -1 }
    // The clock was read when the turn began; a turn's length is nothing to these deadlines, which are coarse.
    return Int(max(0, max(due, 0) - context.nowMilliseconds))
  }

  private mutating func renewClock() {
    let nanoseconds = Clock.monotonicNanoseconds
    let now = nanoseconds / 1_000_000
    context.nowMilliseconds = now
    context.turnNanoseconds = nanoseconds
    if now >= dateRenewal {
      let wall = Clock.wallMilliseconds
      output.setDate(seconds: wall / 1000)
      dateRenewal = now + 1000 - wall % 1000
    }
  }

  /// How long a turn does the same before others have their turn: in it hundreds of small requests are answered, and
  /// one slice of a long answer is made.
  private static var phaseNanoseconds: Int64 { 1_000_000 }

  private mutating func beginPhase() { phaseEnds = context.latestNanoseconds + Self.phaseNanoseconds }

  /// Whether what is left of this phase is for the next turn. The clock is read for each answer anyway, and after what
  /// may have taken long.
  var isOverdue: Bool { context.latestNanoseconds >= phaseEnds }

  private mutating func take(_ event: Poll.Event) {
    if event.token == Token.wakeup { return }
    if event.token > Token.listener - UInt64(listeners.count) {
      return accept(from: listeners[Int(Token.listener - event.token)])
    }
    let slot = Int(event.token & 0xFFFF_FFFF)
    guard connections[slot].socket != nil, connections[slot].generation == UInt32(event.token >> 32) else { return }
    notice(event, at: slot)
  }

  private mutating func passTime() {
    let now = context.nowMilliseconds
    if context.attentionMilliseconds <= now {
      while let token = context.takeDueTimer() { responder.elapsed(token) }
    }
    if let resumes = acceptingResumes, now >= resumes { resumeAccepting() }
    guard let due = wheel.nextDue, due <= now else { return }
    var slots: [UInt32] = []
    swap(&slots, &spareSlots)
    while let tick = wheel.takeDue(now: now, into: &slots) {
      for slot in slots where connections[Int(slot)].watchedTick == tick { checkDeadline(Int(slot)) }
    }
    swap(&slots, &spareSlots)
  }

  /// Goes on with the connections that had more to do than one turn gives: with the first, and others as time allows.
  private mutating func goOn() {
    guard !queue.isEmpty else { return }
    var slots: [UInt32] = []
    swap(&slots, &spareSlots)
    slots.removeAll(keepingCapacity: true)
    swap(&slots, &queue)
    var count = 0
    for slot in slots {
      if count > 0, isOverdue { break }
      count += 1
      guard connections[Int(slot)].isQueued else { continue }
      connections[Int(slot)].isQueued = false
      goOn(with: Int(slot))
    }
    deliver()
    // Those who have waited go before those who have just had their turn.
    if count < slots.count {
      slots.removeFirst(count)
      slots.append(contentsOf: queue)
      swap(&slots, &queue)
    }
    swap(&slots, &spareSlots)
  }

  private mutating func produceReady() {
    if ready.isEmpty {
      guard context.attentionMilliseconds == .min else { return }
      context.takeReady(into: &ready)
    }
    var count = 0
    while count < ready.count, count == 0 || !isOverdue {
      let exchange = ready[count]
      let slot = Int(exchange.slot)
      count += 1
      guard slot < connections.count, connections[slot].socket != nil, connections[slot].machine.hasOpenExchange,
        connections[slot].machine.generation == exchange.generation
      else { continue }
      produce(slot)
    }
    ready.removeFirst(count)
    deliver()
  }
}
