import BinderyHTTP
import BinderySystem

/// The turns of the loop.
extension EventLoop {
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
      if handle.takeWake() {
        responder.didReceiveWake()
        // Another loop may have reported the shortage.
        if isShortOfMemory { dropLongStalled() }
      }
      if control.isStopping, drainDeadline == nil { startDraining() }
      processTimers()
      beginPhase()
      serveQueue()
      serveLargeQueue()
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
    if !queue.isEmpty || !largeQueue.isEmpty || !ready.isEmpty { return 0 }
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

  private mutating func beginPhase() { phaseDeadline = context.lastReadNanoseconds + Self.phaseNanoseconds }

  /// The time budget of one phase of a turn: enough for hundreds of small responses or one slice of a long one.
  private static var phaseNanoseconds: Int64 { 1_000_000 }

  /// Whether the time budget of this phase is used up, so that its remaining work moves to the next turn.
  ///
  /// It uses the last reading of the clock, which is read for each response anyway, and after slow operations.
  var isPhaseOver: Bool { context.lastReadNanoseconds >= phaseDeadline }

  /// Handles one event of the kernel.
  private mutating func dispatch(_ event: Poll.Event) {
    if event.token == Token.wakeup { return }
    if event.token > Token.listener - UInt64(listeners.count) {
      return accept(from: listeners[Int(Token.listener - event.token)])
    }
    let slot = Int(event.token & 0xFFFF_FFFF)
    guard connections[slot].socket != nil, connections[slot].generation == UInt32(event.token >> 32) else { return }
    handle(event, at: slot)
  }
}

/// Serving in rounds: the loop receives from several connections, responds to all of them, then sends all responses.
///
/// Switching less often between kernel and server keeps the code of each in the processor's caches. This saves a sixth
/// of the time of a small write.
extension EventLoop {
  /// Handles an event of a connection.
  mutating func handle(_ event: Poll.Event, at slot: Int) {
    if event.isBroken, connections[slot].isBlocked || connections[slot].machine.hasOpenExchange { return drop(slot) }
    if event.hasFailed, connections[slot].machine.isLingering { return drop(slot) }
    if event.isReadable { connections[slot].canRead = true }
    if event.peerHasEnded {
      connections[slot].canRead = true
      connections[slot].peerHasEnded = true
      if isAbandoned(slot) { return drop(slot) }
    }
    if connections[slot].isBlocked, !(event.isWritable && sendUnsent(slot)) { return }
    if isPhaseOver || hasLargeRequest(slot) {
      enqueue(slot)
    } else if connections[slot].canRead, connections[slot].parked == nil, connections[slot].machine.isIdle {
      receive(at: slot)
    } else {
      serveReceived()
      serveConnection(slot)
    }
  }

  /// Receives from an idle connection and adds it to the current round.
  mutating func receive(at slot: Int) {
    guard read(slot) else {
      // The bytes of this event were read before. The connection now waits, so its deadline must be set.
      if connections[slot].socket != nil { queueSend(serveRequests(slot), at: slot) }
      return
    }
    received.append(Received(slot: slot, bytes: buffer.save()))
    if received.isFull || buffer.freeCapacity < Self.minimumFreeCapacity { serveReceived() }
  }

  /// Reads once; returns false if there was nothing to read or the connection was dropped.
  mutating func read(_ slot: Int) -> Bool {
    let socket = connections[slot].socket!
    var transfer = Socket.Transfer.blocked
    var capacity = 0
    do throws(Errno) {
      _ = try buffer.fill { bytes, start throws(Errno) in
        capacity = bytes.count - start
        transfer = try socket.read(into: &bytes, from: start)
        if case .bytes(let count) = transfer { return count }
        return 0
      }
    } catch {
      drop(slot)
      return false
    }
    switch transfer {
    case .bytes(let count):
      // A short read has emptied the socket, and the next byte causes a new event (epoll(7)). An end that arrived with
      // these bytes was already reported, so it must be read now.
      connections[slot].canRead = count == capacity || connections[slot].peerHasEnded
      connections[slot].machine.received(count)
    case .blocked:
      connections[slot].canRead = false
      return false
    case .end:
      connections[slot].canRead = false
      connections[slot].machine.receivedEnd()
    }
    return true
  }

  /// The minimum free capacity of the request buffer for receiving from another connection.
  private static var minimumFreeCapacity: Int { 8 * 1024 }

  /// Ends a round: responds to all received requests and sends the responses. Request buffer and output are empty
  /// afterwards.
  mutating func serveReceived() {
    for index in received.indices {
      let slot = received[index].slot
      buffer.restore(received[index].bytes)
      if index > 0 && isPhaseOver || buffer.range.count > limits.smallRequestBytes {
        returnBuffer(slot)
        enqueue(slot)
      } else {
        let next = serveRequests(slot)
        // A request without an immediate response may have taken long, so the clock must be read.
        if next == .wait { context.readNanoseconds() }
        returnBuffer(slot)
        queueSend(next, at: slot)
        if next == .read, connections[slot].canRead { enqueue(slot) }
      }
      rejectIfOverMemoryLimit(slot)
    }
    flushSends()
    if received.isEmpty { return }
    if drainDeadline != nil { for index in received.indices { closeIfIdle(received[index].slot) } }
    received.removeAll()
    buffer.removeAll()
  }

  /// Responds to the complete requests in the buffer, appends the responses to `output`, and returns the next step.
  mutating func serveRequests(_ slot: Int) -> NextStep {
    connections[slot].machine.startTurn()
    let start = output.bytes.count
    let now = context.nowMilliseconds
    let limits = limits
    while true {
      switch connections[slot].machine.next(&buffer, now: now, limits: limits) {
      case .respond(let body):
        respond(slot, body)
        // Continue after the last request too: `next` then returns .wait or .close, and a stream's socket options must
        // be set before its first bytes are sent.
        if !connections[slot].machine.isIdle || buffer.isEmpty { continue }
        if output.bytes.count - start >= limits.pipelinedResponseBytes || isPhaseOver { return .again }
      case .sendContinue:
        output.appendContinue()
      case .reject(let rejection):
        reject(rejection, at: slot)
      case .read:
        registerDeadline(slot)
        return .read
      case .yield:
        return .again
      case .wait:
        if isAbandoned(slot) { return .close(lingering: false) }
        if connections[slot].machine.isStreaming {
          connections[slot].socket?.limitUnsentBytes(limits.unsentStreamBytes)
          checkReceived(slot)
        } else {
          watchDelivery(slot)
        }
        return .wait
      case .close(let lingering):
        return .close(lingering: lingering)
      }
    }
  }

  private mutating func respond(_ slot: Int, _ body: RequestBody) {
    output.context = connections[slot].machine.context
    if drainDeadline != nil { output.context.keepAlive = false }
    let exchange = ExchangeID(slot: UInt32(slot), generation: connections[slot].machine.generation)
    let before = output.bytes.count
    let disposition = Self.callResponder(responder, buffer, body, exchange, &output)
    // Without a response, the client would wait forever, or take the response to its next request for this one.
    if case .complete = disposition, output.bytes.count == before { return reject(.noResponse, at: slot) }
    let keepAlive = output.context.keepAlive
    connections[slot].machine.responded(disposition, body: body, keepAlive: keepAlive, &buffer)
  }

  /// Calls the responder. Static, so that the accesses to `buffer` and `output` do not overlap as accesses to `self`.
  @inline(__always)
  private static func callResponder(
    _ responder: any Responder, _ buffer: borrowing RequestBuffer, _ body: RequestBody, _ exchange: ExchangeID,
    _ output: inout ResponseWriter
  ) -> Disposition {
    let bytes = buffer.bytes.span.extracting(buffer.range)
    return responder.respond(to: buffer.head, in: bytes, body: body, exchange: exchange, into: &output)
  }

  /// Writes the error response to a message that cannot be parsed.
  mutating func reject(_ rejection: Rejection, at slot: Int) {
    output.context = connections[slot].machine.context
    output.context.keepAlive = false
    responder.reject(rejection, at: UInt32(slot), into: &output)
    connections[slot].machine.rejected()
  }
}

// MARK: Sending

extension EventLoop {
  /// Assigns the output written since the last call to a connection, and queues it for `flushSends`.
  mutating func queueSend(_ next: NextStep, at slot: Int) {
    pendingSends.append(PendingSend(slot: slot, end: output.bytes.count, next: next))
    if pendingSends.isFull || output.bytes.count >= Self.outputBytesPerRound { flushSends() }
  }

  /// The size of `output` above which it is sent.
  private static var outputBytesPerRound: Int { 64 * 1024 }

  /// Performs all pending sends and empties the output.
  mutating func flushSends() {
    var start = 0
    for index in pendingSends.indices {
      let entry = pendingSends[index]
      let isSent = send(start..<entry.end, to: entry.slot)
      start = entry.end
      guard isSent else { continue }
      switch entry.next {
      case .read, .wait: break
      case .again: enqueue(entry.slot)
      case .close(let lingering): close(entry.slot, lingering: lingering)
      }
    }
    pendingSends.removeAll()
    output.removeAll()
  }

  /// Sends a range of the output; returns false if bytes remain unsent or the connection was dropped.
  private mutating func send(_ range: Range<Int>, to slot: Int) -> Bool {
    guard let socket = connections[slot].socket else { return false }
    if range.isEmpty { return !connections[slot].isBlocked }
    var range = range
    if !connections[slot].isBlocked {
      do throws(Errno) {
        let sent = try socket.write(output.bytes.span.extracting(range), from: 0)
        if case .bytes(let count) = sent {
          connections[slot].written += count
          if count == range.count { return true }
          range = range.lowerBound + count..<range.upperBound
        }
      } catch {
        drop(slot)
        return false
      }
    }
    storeUnsent(range, for: slot)
    return false
  }

  /// Stores a range of the output until the peer accepts it.
  private mutating func storeUnsent(_ range: Range<Int>, for slot: Int) {
    // A copy, because the storage of the output has grown to up to twice its size.
    connections[slot].unsent.append(contentsOf: output.bytes[range])
    connections[slot].isUnsentShared = false
    waitForPeer(slot)
  }

  mutating func waitForPeer(_ slot: Int) {
    makeRoom(for: slot)
    if connections[slot].socket == nil { return }
    startWriteTimeout(slot)
    registerDeadline(slot)
  }

  /// Starts the timeout of a blocked write, after the kernel has accepted some bytes or the peer has received some.
  mutating func startWriteTimeout(_ slot: Int) {
    checkReceived(slot)
    connections[slot].machine.writeBlocked(now: context.nowMilliseconds, limits: limits)
  }

  /// Sends the pending output, and after it bytes that other connections share, which are not copied.
  mutating func send(sharing bytes: [UInt8], to slot: Int) {
    flushSends()
    guard let socket = connections[slot].socket else { return }
    if connections[slot].isBlocked {
      connections[slot].unsent.append(contentsOf: bytes)
      connections[slot].isUnsentShared = false
      return waitForPeer(slot)
    }
    var count = 0
    do throws(Errno) {
      if case .bytes(let sent) = try socket.write(bytes.span, from: 0) { count = sent }
    } catch {
      return drop(slot)
    }
    connections[slot].written += count
    if count == bytes.count { return }
    connections[slot].unsent = bytes
    connections[slot].sent = count
    connections[slot].isUnsentShared = true
    waitForPeer(slot)
  }
}
