/// What one connection does next: a value without sockets and clocks, told what happened and asked what to do.
///
/// All times are milliseconds of one monotonic clock.
package struct ConnectionMachine: Sendable {
  /// What the loop has to do.
  package enum Action: Sendable, Equatable {
    /// Wait for bytes of the peer.
    case read
    /// Ask the responder, and tell `answered`.
    case respond(RequestBody)
    /// Send `100 Continue`, and ask again.
    case sendContinue
    /// Answer with a problem, and tell `refused`.
    case refuse(Rejection)
    /// Let others have their turn.
    case yield
    /// Wait for the responder.
    case wait
    /// Close once everything is sent; read on for a while first if the peer may still be sending.
    case close(lingering: Bool)
  }

  /// What the loop has to do about a deadline that has passed.
  package enum Expiry: Sendable, Equatable {
    /// It was put off meanwhile.
    case none
    case refuse(Rejection)
    /// Close without a word.
    case drop
  }

  private enum Phase: Sendable {
    case serving
    case exchange(isStream: Bool)
    case closing(lingering: Bool)
  }

  private enum Waiting: Sendable {
    case nothing, idle, head, body, write, linger
  }

  /// When `expire` is to be called, unless this has changed by then; `Int64.max` for never.
  package private(set) var deadline: Int64
  /// What the answer to the request under way has to know of it.
  package private(set) var context = ResponseWriter.Context()
  private var phase = Phase.serving
  private var waiting = Waiting.idle
  /// Whether the peer is to be asked for its body.
  private var mustContinue = false
  /// Whether the peer has ended its side.
  private var peerHasEnded = false
  /// The number of the request under way.
  package private(set) var generation: UInt32
  private var answeredOfBatch = 0
  /// What came since the pace of the body was last judged, or what was read away after the last answer.
  private var bytesCounted = 0

  /// A connection that has just been accepted. Until it has said something it may rest no longer than a head may take.
  ///
  /// - Parameter generation: that of the last connection in the same slot.
  package init(now: Int64, limits: Limits, generation: UInt32) {
    deadline = now + Int64(limits.headerReadMilliseconds)
    self.generation = generation
  }

  /// Whether nothing is under way, so that a close harms nobody.
  package var isIdle: Bool {
    if case .serving = phase { return waiting == .idle || waiting == .nothing }
    return false
  }

  /// Whether a part of a request has come, and the rest is waited for.
  package var isReading: Bool { waiting == .head || waiting == .body }

  /// Whether a request waits for the responder, or is being streamed.
  package var hasOpenExchange: Bool {
    if case .exchange = phase { return true }
    return false
  }

  /// Whether a stream is open.
  package var isStreaming: Bool {
    if case .exchange(isStream: true) = phase { return true }
    return false
  }

  /// Whether the last answer was sent, and bytes are only read away.
  package var isLingering: Bool { waiting == .linger }

  /// Begins a batch of pipelined requests.
  package mutating func startBatch() { answeredOfBatch = 0 }

  /// What to do now.
  package mutating func next(_ buffer: inout RequestBuffer, now: Int64, limits: Limits) -> Action {
    switch phase {
    case .exchange: return .wait
    case .closing(let lingering): return .close(lingering: lingering)
    case .serving: break
    }
    if mustContinue {
      mustContinue = false
      buffer.startBody()
      return .sendContinue
    }
    if answeredOfBatch >= limits.pipelinedRequests { return .yield }
    switch buffer.next(limits: limits) {
    case .refused(let rejection):
      setContext(buffer.head, keepAlive: false)
      return .refuse(rejection)
    case .request(let body):
      answeredOfBatch += 1
      generation &+= 1
      // Where the body is not read, nothing that follows can be.
      let isWhole = body != .pending && body != .tooLarge
      setContext(buffer.head, keepAlive: isWhole && buffer.head.keepAlive)
      return .respond(body)
    case .needsMore:
      if buffer.isBlank {
        if peerHasEnded { return .close(lingering: false) }
        startWaiting(for: .idle, now: now, limits: limits)
      } else {
        // What is known of the request already is known to the refusal that may come of it.
        setContext(buffer.head, keepAlive: false)
        if peerHasEnded { return .refuse(.truncated) }
        startWaiting(for: buffer.isInBody ? .body : .head, now: now, limits: limits)
      }
      return .read
    }
  }

  private mutating func setContext(_ head: borrowing RequestHead, keepAlive: Bool) {
    context = .init(isHead: head.method == .head, isHTTP11: head.isHTTP11, keepAlive: keepAlive)
  }

  /// A deadline runs from the moment its cause began, so it is set once for each.
  private mutating func startWaiting(for cause: Waiting, now: Int64, limits: Limits) {
    guard waiting != cause else { return }
    waiting = cause
    bytesCounted = 0
    switch cause {
    case .nothing: deadline = .max
    case .idle: deadline = now + Int64(limits.idleMilliseconds)
    case .head: deadline = now + Int64(limits.headerReadMilliseconds)
    case .body: deadline = now + Int64(limits.bodyPaceMilliseconds)
    case .write: deadline = now + Int64(limits.writeStallMilliseconds)
    case .linger: deadline = now + Int64(limits.lingerMilliseconds)
    }
  }

  /// Bytes of the peer have come.
  package mutating func received(_ count: Int) { bytesCounted += count }

  /// Whether the peer has sent no more after its last answer than is read away.
  package func mayLinger(limits: Limits) -> Bool { bytesCounted <= limits.lingerBytes }

  /// The peer has ended its side. What it asked before is still answered.
  package mutating func receivedEnd() { peerHasEnded = true }

  /// The responder has answered.
  ///
  /// - Parameter keepAlive: whether the response that is written lets the connection go on.
  package mutating func answered(
    _ answer: Disposition, body: RequestBody, keepAlive: Bool, _ buffer: inout RequestBuffer
  ) {
    waiting = .nothing
    deadline = .max
    if case .needsBody = answer {
      mustContinue = true
      return
    }
    context.keepAlive = keepAlive
    let isWhole = body != .pending && body != .tooLarge
    if isWhole { buffer.consume() }
    switch answer {
    case .complete, .needsBody:
      if !keepAlive { phase = .closing(lingering: !isWhole || !buffer.isEmpty) }
    case .later: phase = .exchange(isStream: false)
    case .stream: phase = .exchange(isStream: true)
    }
  }

  /// The refusal is written.
  package mutating func refused() {
    waiting = .nothing
    deadline = .max
    phase = .closing(lingering: true)
  }

  /// The responder has ended the response of the open exchange.
  package mutating func finished(keepAlive: Bool, _ hasUnreadBytes: Bool) {
    phase = keepAlive ? .serving : .closing(lingering: hasUnreadBytes)
  }

  /// Bytes wait for the peer to take them; told again whenever it has taken some.
  package mutating func blocked(now: Int64, limits: Limits) {
    waiting = .nothing
    startWaiting(for: .write, now: now, limits: limits)
  }

  /// The peer has taken all bytes.
  package mutating func drained() {
    guard waiting == .write else { return }
    waiting = .nothing
    deadline = .max
  }

  /// The last answer is sent, and the server's side is ended.
  package mutating func startLingering(now: Int64, limits: Limits) {
    startWaiting(for: .linger, now: now, limits: limits)
  }

  /// The server stops: a peer of whom nothing more is wanted has little time left to take what it was sent.
  package mutating func hurry(now: Int64, limits: Limits) {
    guard waiting == .linger || waiting == .write && (isStreaming || isClosing) else { return }
    deadline = min(deadline, now + Int64(limits.hurriedMilliseconds))
  }

  private var isClosing: Bool {
    if case .closing = phase { return true }
    return false
  }

  /// Judges a deadline that may have passed.
  package mutating func expire(now: Int64, limits: Limits) -> Expiry {
    guard now >= deadline else { return .none }
    switch waiting {
    case .nothing: return .none
    case .idle, .write, .linger: return .drop
    case .head: return .refuse(.headTooSlow)
    case .body:
      guard bytesCounted >= limits.bodyPaceMilliseconds * limits.bodyPaceBytesPerSecond / 1000 else {
        return .refuse(.bodyTooSlow)
      }
      bytesCounted = 0
      deadline = now + Int64(limits.bodyPaceMilliseconds)
      return .none
    }
  }
}
