import BinderyHTTP
import BinderySystem
import BinderyTelemetry

extension EventLoop {
  /// How often one connection is read before others have their turn.
  private static var readsPerTurn: Int { 4 }

  /// Takes in what the kernel tells of a connection, and goes on with it.
  mutating func notice(_ event: Poll.Event, at slot: Int) {
    if event.isBroken, connections[slot].isBlocked || connections[slot].machine.hasOpenExchange { return drop(slot) }
    if event.isReadable { connections[slot].canRead = true }
    if event.peerHasEnded {
      connections[slot].canRead = true
      connections[slot].peerHasEnded = true
      // Who ends its side of a stream has gone: there is nothing left that it could ask.
      if connections[slot].machine.isStreaming { return drop(slot) }
    }
    if connections[slot].isBlocked, !(event.isWritable && sendUnsent(slot)) { return }
    if isOverdue {
      enqueue(slot)
    } else if connections[slot].canRead, connections[slot].parked == nil, connections[slot].machine.isIdle {
      receive(at: slot)
    } else {
      serveReceived()
      goOn(with: slot)
    }
  }

  /// Does what there is to do for a connection whose peer takes bytes.
  mutating func goOn(with slot: Int) {
    if connections[slot].isBlocked { return }
    if connections[slot].machine.isLingering { return readAway(slot) }
    if connections[slot].machine.hasOpenExchange {
      if connections[slot].wantsProduce { produce(slot) }
      return
    }
    let parked = connections[slot].parked
    if let parked { buffer.swap(with: &parked.buffer) }
    var reads = 0
    while true {
      let next = serve(slot)
      post(next, at: slot)
      deliver()
      guard next == .read, connections[slot].canRead, !connections[slot].isBlocked else { break }
      if reads == Self.readsPerTurn {
        enqueue(slot)
        break
      }
      reads += 1
      guard read(slot) else { break }
    }
    returnBuffer(slot, lentBy: parked)
    refuseIfTooMuchIsHeld(slot)
    deliver()
    if drainEnds != nil { closeIfIdle(slot) }
  }

  /// Leaves the loop's own intake, and that empty: what waits in it stays with its connection, if that is still there.
  ///
  /// - Parameter parked: what took the place of the loop's intake, and has it now.
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
    account(slot)
  }

  /// What waits of a large request must find room, so that many of them together cannot take all memory.
  mutating func refuseIfTooMuchIsHeld(_ slot: Int) {
    guard heldBytes > limits.heldBytes, let parked = connections[slot].parked else { return }
    guard parked.buffer.bytes.count > limits.smallRequestBytes || heldBytes > 2 * limits.heldBytes,
      connections[slot].machine.isReading || connections[slot].machine.isIdle
    else { return }
    refuse(.overloaded, at: slot)
    connections[slot].parked = nil
    account(slot)
    post(.close(lingering: true), at: slot)
  }

  /// Takes into account what a connection holds now.
  mutating func account(_ slot: Int) {
    let held = (connections[slot].parked?.buffer.bytes.count ?? 0) + connections[slot].unsent.count
    heldBytes += held - connections[slot].heldBytes
    connections[slot].heldBytes = held
  }

  /// Reads once; false when there was nothing to read or the connection is gone.
  mutating func read(_ slot: Int) -> Bool {
    let socket = connections[slot].socket!
    var transfer = Socket.Transfer.blocked
    var room = 0
    do throws(Errno) {
      _ = try buffer.fill { bytes, start throws(Errno) in
        room = bytes.count - start
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
      // A short read has emptied the socket: the next byte is an event of its own (epoll(7)). But an end that came
      // with these bytes was told with them, and is to be read.
      connections[slot].canRead = count == room || connections[slot].peerHasEnded
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

  /// Answers what can be answered, behind what was written for others, and tells how the connection goes on.
  mutating func serve(_ slot: Int) -> Next {
    connections[slot].machine.startBatch()
    let start = output.bytes.count
    let now = context.nowMilliseconds
    let limits = limits
    while true {
      switch connections[slot].machine.next(&buffer, now: now, limits: limits) {
      case .respond(let body):
        respond(slot, body)
        // What is open, or closes, is the last of the batch, and its socket is made ready for it before it is sent to.
        if !connections[slot].machine.isIdle || buffer.isEmpty { continue }
        if output.bytes.count - start >= limits.batchBytes || isOverdue { return .again }
      case .sendContinue:
        output.appendContinue()
      case .refuse(let rejection):
        refuse(rejection, at: slot)
      case .read:
        watchDeadline(slot)
        return .read
      case .yield:
        return .again
      case .wait:
        if connections[slot].machine.isStreaming {
          connections[slot].socket?.limitSendBuffer(bytes: limits.streamSendBufferBytes)
          connections[slot].socket?.giveUp(afterMilliseconds: limits.vanishedMilliseconds)
        }
        return .wait
      case .close(let lingering):
        return .close(lingering: lingering)
      }
    }
  }

  private mutating func respond(_ slot: Int, _ body: RequestBody) {
    output.context = connections[slot].machine.context
    if drainEnds != nil { output.context.keepAlive = false }
    let exchange = ExchangeID(slot: UInt32(slot), generation: connections[slot].machine.generation)
    let before = output.bytes.count
    let answer = Self.ask(responder, buffer, body, exchange, &output)
    // No answer at all would leave the peer waiting for ever, and the next answer would be taken for this one's.
    if case .complete = answer, output.bytes.count == before { return refuse(.noAnswer, at: slot) }
    let keepAlive = output.context.keepAlive
    connections[slot].machine.answered(answer, body: body, keepAlive: keepAlive, &buffer)
  }

  /// Apart from `self`, so that intake and output are seen to be different things.
  @inline(__always)
  private static func ask(
    _ responder: any Responder, _ buffer: borrowing RequestBuffer, _ body: RequestBody, _ exchange: ExchangeID,
    _ output: inout ResponseWriter
  ) -> Disposition {
    let bytes = buffer.bytes.span.extracting(buffer.range)
    return responder.respond(to: buffer.head, in: bytes, body: body, exchange: exchange, into: &output)
  }

  /// Whether the peer has sent something, or may have, that nobody has looked at.
  func isUnread(_ slot: Int) -> Bool { connections[slot].parked != nil || connections[slot].canRead }

  private mutating func refuse(_ rejection: Rejection, at slot: Int) {
    output.context = connections[slot].machine.context
    output.context.keepAlive = false
    responder.refuse(rejection, into: &output)
    connections[slot].machine.refused()
  }

  /// Looks at a deadline whose tick has come.
  mutating func checkDeadline(_ slot: Int) {
    connections[slot].watchedTick = .max
    guard connections[slot].socket != nil else { return }
    // Who waits for the server to go on is not late.
    if connections[slot].isQueued, !connections[slot].isBlocked, !connections[slot].machine.isLingering {
      return watchDeadline(slot)
    }
    switch connections[slot].machine.expire(now: context.nowMilliseconds, limits: limits) {
    case .none: watchDeadline(slot)
    case .drop:
      if connections[slot].isBlocked { metrics.stalled.add() }
      drop(slot)
    case .refuse(let rejection):
      refuse(rejection, at: slot)
      post(.close(lingering: true), at: slot)
      deliver()
    }
  }

  /// Has the connection looked at when its deadline comes; it may already be, and earlier.
  mutating func watchDeadline(_ slot: Int) {
    let deadline = connections[slot].machine.deadline
    guard deadline != .max, DeadlineWheel.tick(of: deadline) < connections[slot].watchedTick else { return }
    connections[slot].watchedTick = wheel.insert(UInt32(slot), due: deadline, now: context.nowMilliseconds)
  }

  mutating func enqueue(_ slot: Int) {
    guard !connections[slot].isQueued else { return }
    connections[slot].isQueued = true
    queue.append(UInt32(slot))
  }
}
