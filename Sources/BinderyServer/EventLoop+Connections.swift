import BinderyHTTP
import BinderySystem
import BinderyTelemetry

extension EventLoop {
  /// The maximum number of reads from one connection before others are served.
  private static var readsPerTurn: Int { 4 }

  /// Handles an event of a connection.
  mutating func handle(_ event: Poll.Event, at slot: Int) {
    if event.isBroken, connections[slot].isBlocked || connections[slot].machine.hasOpenExchange { return drop(slot) }
    if event.isReadable { connections[slot].canRead = true }
    if event.peerHasEnded {
      connections[slot].canRead = true
      connections[slot].peerHasEnded = true
      // A client that closes its sending side during a stream has disconnected: it cannot send another request.
      if connections[slot].machine.isStreaming { return drop(slot) }
    }
    if connections[slot].isBlocked, !(event.isWritable && sendUnsent(slot)) { return }
    if isPhaseOver {
      enqueue(slot)
    } else if connections[slot].canRead, connections[slot].parked == nil, connections[slot].machine.isIdle {
      receive(at: slot)
    } else {
      serveReceived()
      serveConnection(slot)
    }
  }

  /// Performs the pending work of one connection, unless its peer accepts no bytes.
  mutating func serveConnection(_ slot: Int) {
    if connections[slot].isBlocked { return }
    if connections[slot].machine.isLingering { return discardInput(slot) }
    if connections[slot].machine.hasOpenExchange {
      if connections[slot].wantsProduce { produce(slot) }
      return
    }
    let parked = connections[slot].parked
    if let parked { buffer.swap(with: &parked.buffer) }
    var reads = 0
    while true {
      let next = serveRequests(slot)
      queueSend(next, at: slot)
      flushSends()
      guard next == .read, connections[slot].canRead, !connections[slot].isBlocked else { break }
      if reads == Self.readsPerTurn {
        enqueue(slot)
        break
      }
      reads += 1
      guard read(slot) else { break }
    }
    returnBuffer(slot, lentBy: parked)
    rejectIfOverMemoryLimit(slot)
    flushSends()
    if drainDeadline != nil { closeIfIdle(slot) }
  }

  /// Empties the loop's buffer. An incomplete request is moved to its connection, if that is still open.
  ///
  /// - Parameter parked: The object whose buffer was swapped with the loop's buffer.
  mutating func returnBuffer(_ slot: Int, lentBy parked: Connection.Parked? = nil) {
    if let parked {
      buffer.swap(with: &parked.buffer)
      if parked.buffer.isEmpty { connections[slot].parked = nil }
    } else if connections[slot].socket == nil {
      buffer.removeAll()
    } else if !buffer.isEmpty {
      connections[slot].parked = Connection.Parked(buffer.park())
    } else {
      return
    }
    updateBufferedBytes(slot)
  }

  /// Rejects an incomplete request if the loop buffers too much, so that many large requests cannot exhaust memory.
  mutating func rejectIfOverMemoryLimit(_ slot: Int) {
    guard bufferedBytes > limits.bufferedBytes, let parked = connections[slot].parked else { return }
    guard parked.buffer.bytes.count > limits.smallRequestBytes || bufferedBytes > 2 * limits.bufferedBytes,
      connections[slot].machine.isReading || connections[slot].machine.isIdle
    else { return }
    reject(.overloaded, at: slot)
    connections[slot].parked = nil
    updateBufferedBytes(slot)
    queueSend(.close(lingering: true), at: slot)
  }

  /// Updates the loop's total of buffered bytes after a change to one connection.
  mutating func updateBufferedBytes(_ slot: Int) {
    let count = (connections[slot].parked?.buffer.bytes.count ?? 0) + connections[slot].unsent.count
    bufferedBytes += count - connections[slot].bufferedBytes
    connections[slot].bufferedBytes = count
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
        if connections[slot].machine.isStreaming {
          connections[slot].socket?.limitSendBuffer(bytes: limits.streamSendBufferBytes)
          connections[slot].socket?.setUnacknowledgedTimeout(milliseconds: limits.acknowledgementTimeoutMilliseconds)
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

  /// Returns whether the peer has sent, or may have sent, bytes that were not parsed.
  func hasUnreadInput(_ slot: Int) -> Bool { connections[slot].parked != nil || connections[slot].canRead }

  private mutating func reject(_ rejection: Rejection, at slot: Int) {
    output.context = connections[slot].machine.context
    output.context.keepAlive = false
    responder.reject(rejection, into: &output)
    connections[slot].machine.rejected()
  }

  /// Checks the deadline of a connection whose tick has come.
  mutating func checkDeadline(_ slot: Int) {
    connections[slot].registeredTick = .max
    guard connections[slot].socket != nil else { return }
    // A queued connection waits for the server, so it must not time out.
    if connections[slot].isQueued, !connections[slot].isBlocked, !connections[slot].machine.isLingering {
      return registerDeadline(slot)
    }
    switch connections[slot].machine.expire(now: context.nowMilliseconds, limits: limits) {
    case .none: registerDeadline(slot)
    case .drop:
      if connections[slot].isBlocked { metrics.stalled.add() }
      drop(slot)
    case .reject(let rejection):
      reject(rejection, at: slot)
      queueSend(.close(lingering: true), at: slot)
      flushSends()
    }
  }

  /// Registers the deadline of a connection, unless it is already registered for the same or an earlier tick.
  mutating func registerDeadline(_ slot: Int) {
    let deadline = connections[slot].machine.deadline
    guard deadline != .max, DeadlineWheel.tick(of: deadline) < connections[slot].registeredTick else { return }
    connections[slot].registeredTick = wheel.insert(UInt32(slot), due: deadline, now: context.nowMilliseconds)
  }

  /// Schedules a connection for the next turn.
  mutating func enqueue(_ slot: Int) {
    guard !connections[slot].isQueued else { return }
    connections[slot].isQueued = true
    queue.append(UInt32(slot))
  }
}
