/// The state machine of one HTTP/1.1 connection.
///
/// It is a value type without sockets and clocks. The event loop reports events (`received`, `responded`,
/// `writeBlocked`, …) and performs the action that `next` returns. All times are milliseconds of one monotonic clock.
package struct ConnectionMachine: Sendable {
  /// The next step of the event loop for a connection.
  package enum Action: Sendable, Equatable {
    /// Wait for bytes from the peer.
    case read
    /// Pass the request to the responder, then call `responded`.
    case respond(RequestBody)
    /// Send `100 Continue`, then call `next` again.
    case sendContinue
    /// Send an error response, then call `rejected`.
    case reject(Rejection)
    /// Serve other connections first, then call `next` again.
    case yield
    /// Wait for the responder.
    case wait
    /// Close the connection when all responses are sent; linger if the peer may still be sending.
    case close(lingering: Bool)
  }

  /// The result of checking a deadline.
  package enum Expiry: Sendable, Equatable {
    /// The deadline has not passed, or was extended.
    case none
    /// Send an error response, then close.
    case reject(Rejection)
    /// Close without a response.
    case drop
  }

  private enum Phase: Sendable {
    case serving
    case exchange(Exchange)
    case closing(lingering: Bool)
  }

  /// The kind of the open exchange.
  private enum Exchange: Sendable {
    case response, abandonable, stream
  }

  /// The reason for the current deadline.
  private enum WaitReason: Sendable {
    case nothing, idle, head, body, write, linger
  }

  /// The time at which the event loop should call `expire`; `Int64.max` if no deadline is set.
  package private(set) var deadline: Int64
  /// The properties of the current request that its response depends on.
  package private(set) var context = ResponseWriter.Context()
  private var phase = Phase.serving
  private var waitReason = WaitReason.idle
  /// Whether `100 Continue` must be sent next.
  private var mustContinue = false
  /// Whether the responder has seen the head of the current request and waits for the body.
  package private(set) var isBodyAwaited = false
  /// The bytes of the last request's body that are discarded when they arrive, because the response did not need them.
  private var bytesToDiscard = 0
  /// Whether the response to the current request did not need its body.
  private var hasUnreadBody = false
  /// Whether the peer has closed its sending side.
  private var peerHasEnded = false
  /// The number of the current request.
  package private(set) var generation: UInt32
  private var requestsInTurn = 0
  /// The bytes received since the last check of the body's transfer rate, or discarded while lingering.
  private var countedBytes = 0

  /// Creates the state of a connection that was just accepted.
  ///
  /// Until the first byte arrives, the timeout of a header section applies, not the longer idle timeout.
  ///
  /// - Parameter generation: The generation of the previous connection in the same slot.
  package init(now: Int64, limits: Limits, generation: UInt32) {
    deadline = now + Int64(limits.headerTimeoutMilliseconds)
    self.generation = generation
  }

  /// Whether no request is in progress, so that the connection can be closed without data loss.
  package var isIdle: Bool {
    if case .serving = phase { return bytesToDiscard == 0 && (waitReason == .idle || waitReason == .nothing) }
    return false
  }

  /// Whether a request has been received in part.
  package var isReading: Bool { waitReason == .head || waitReason == .body }

  /// Whether the responder has not finished the response to the current request.
  package var hasOpenExchange: Bool { if case .exchange = phase { true } else { false } }

  /// Whether the open exchange is a stream.
  package var isStreaming: Bool { if case .exchange(.stream) = phase { true } else { false } }

  /// Whether a client that closes its sending side abandons the open exchange.
  package var endsWithPeer: Bool {
    switch phase {
    case .exchange(.abandonable), .exchange(.stream): true
    default: false
    }
  }

  /// Whether the last response was sent and received bytes are discarded.
  package var isLingering: Bool { waitReason == .linger }

  /// Starts the turn of this connection: restarts the count of pipelined requests that are served before other
  /// connections.
  package mutating func startTurn() { requestsInTurn = 0 }

  /// Parses the buffered bytes and returns the next action.
  package mutating func next(_ buffer: inout RequestBuffer, now: Int64, limits: Limits) -> Action {
    switch phase {
    case .exchange: return .wait
    case .closing(let lingering): return .close(lingering: lingering)
    case .serving: break
    }
    if mustContinue {
      mustContinue = false
      return .sendContinue
    }
    if bytesToDiscard > 0 {
      bytesToDiscard -= buffer.discard(bytesToDiscard)
      if bytesToDiscard > 0 {
        if peerHasEnded { return .close(lingering: false) }
        startWaiting(for: .body, now: now, limits: limits)
        return .read
      }
    }
    if requestsInTurn >= limits.pipelinedRequests { return .yield }
    switch buffer.next(limits: limits) {
    case .rejected(let rejection):
      setContext(buffer.head, keepAlive: false)
      return .reject(rejection)
    case .request(let body):
      requestsInTurn += 1
      if !isBodyAwaited { generation &+= 1 }
      isBodyAwaited = false
      setContext(buffer.head, keepAlive: buffer.head.keepAlive && isEndKnown(of: body, buffer))
      return .respond(body)
    case .needsMore:
      if buffer.isBlank {
        if peerHasEnded { return .close(lingering: false) }
        startWaiting(for: .idle, now: now, limits: limits)
      } else {
        // A timeout may reject this request; its response must already respect HEAD and HTTP/1.0.
        setContext(buffer.head, keepAlive: false)
        if peerHasEnded { return .reject(.truncated) }
        startWaiting(for: buffer.isInBody ? .body : .head, now: now, limits: limits)
      }
      return .read
    }
  }

  /// Returns whether the next request can be found even if the body of this one is not read.
  private func isEndKnown(of body: RequestBody, _ buffer: borrowing RequestBuffer) -> Bool {
    switch body {
    case .none, .complete: true
    case .pending: buffer.head.skippableBodyLength != nil
    case .tooLarge: false
    }
  }

  private mutating func setContext(_ head: borrowing RequestHead, keepAlive: Bool) {
    context = .init(isHead: head.method == .head, isHTTP11: head.isHTTP11, keepAlive: keepAlive)
  }

  /// Sets the deadline for a reason, unless it is already set: a timeout runs from the moment its reason began.
  private mutating func startWaiting(for reason: WaitReason, now: Int64, limits: Limits) {
    guard waitReason != reason else { return }
    waitReason = reason
    countedBytes = 0
    switch reason {
    case .nothing: deadline = .max
    case .idle: deadline = now + Int64(limits.idleTimeoutMilliseconds)
    case .head: deadline = now + Int64(limits.headerTimeoutMilliseconds)
    case .body: deadline = now + Int64(limits.bodyPaceMilliseconds)
    case .write: deadline = now + Int64(limits.writeTimeoutMilliseconds)
    case .linger: deadline = now + Int64(limits.lingerMilliseconds)
    }
  }

  /// Reports bytes from the peer.
  package mutating func received(_ count: Int) { countedBytes += count }

  /// Returns whether the number of bytes discarded since the last response is within the limit.
  package func mayLinger(limits: Limits) -> Bool { countedBytes <= limits.lingerBytes }

  /// Reports that the peer has closed its sending side. Requests received before still get a response, unless
  /// ``endsWithPeer``.
  package mutating func receivedEnd() { peerHasEnded = true }

  /// Reports the result of `Responder.respond`.
  ///
  /// - Parameter keepAlive: Whether the response leaves the connection open.
  package mutating func responded(
    _ disposition: Disposition, body: RequestBody, keepAlive: Bool, _ buffer: inout RequestBuffer
  ) {
    waitReason = .nothing
    deadline = .max
    if case .needsBody = disposition {
      isBodyAwaited = true
      mustContinue = buffer.startBody()
      return
    }
    context.keepAlive = keepAlive
    switch body {
    case .none, .complete:
      hasUnreadBody = false
      buffer.consume()
    case .pending, .tooLarge:
      hasUnreadBody = true
      if body == .pending { bytesToDiscard = buffer.head.skippableBodyLength ?? 0 }
      buffer.consumeHead()
    }
    switch disposition {
    case .complete, .needsBody:
      if !keepAlive { phase = .closing(lingering: hasUnreadBody || !buffer.isEmpty) }
    case .later: phase = .exchange(.response)
    case .abandonable: phase = .exchange(.abandonable)
    case .stream: phase = .exchange(.stream)
    }
  }

  /// Reports that the error response for a rejection was written.
  package mutating func rejected() {
    waitReason = .nothing
    deadline = .max
    phase = .closing(lingering: true)
  }

  /// Reports that the responder has written a part of the response of the open exchange.
  package mutating func responseBegan() {
    if case .exchange(.abandonable) = phase { phase = .exchange(.response) }
  }

  /// Reports that the responder has finished the response of the open exchange.
  package mutating func exchangeFinished(keepAlive: Bool, hasUnreadBytes: Bool) {
    phase = keepAlive ? .serving : .closing(lingering: hasUnreadBytes || hasUnreadBody)
  }

  /// Reports that unsent bytes wait for the peer. Each call restarts the write timeout; call it after partial writes.
  package mutating func writeBlocked(now: Int64, limits: Limits) {
    waitReason = .nothing
    startWaiting(for: .write, now: now, limits: limits)
  }

  /// Reports that all buffered bytes were sent.
  package mutating func writeCompleted() {
    guard waitReason == .write else { return }
    waitReason = .nothing
    deadline = .max
  }

  /// Gives a peer that is still receiving the last response more time.
  package mutating func extendDeadline(now: Int64, limits: Limits) {
    deadline = now + Int64(limits.writeTimeoutMilliseconds)
  }

  /// Reports that the last response was sent and the server's sending side is closed.
  package mutating func startLingering(now: Int64, limits: Limits) {
    startWaiting(for: .linger, now: now, limits: limits)
  }

  /// Shortens the deadline of a connection that only has to deliver its last bytes, because the server stops.
  package mutating func serverWillStop(now: Int64, limits: Limits) {
    guard waitReason == .linger || waitReason == .write && (isStreaming || isClosing) else { return }
    deadline = min(deadline, now + Int64(limits.stopFlushMilliseconds))
  }

  private var isClosing: Bool { if case .closing = phase { true } else { false } }

  /// Returns the consequence of the deadline if it has passed.
  package mutating func expire(now: Int64, limits: Limits) -> Expiry {
    guard now >= deadline else { return .none }
    switch waitReason {
    case .nothing: return .none
    case .idle, .write, .linger: return .drop
    case .head: return .reject(.headTooSlow)
    case .body:
      guard countedBytes >= limits.bodyPaceMilliseconds * limits.bodyPaceBytesPerSecond / 1000 else {
        // The request whose body is discarded has its response.
        return bytesToDiscard > 0 ? .drop : .reject(.bodyTooSlow)
      }
      countedBytes = 0
      deadline = now + Int64(limits.bodyPaceMilliseconds)
      return .none
    }
  }
}
