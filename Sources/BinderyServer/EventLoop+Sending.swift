import BinderyHTTP
import BinderySystem
import BinderyTelemetry

extension EventLoop {
  /// Sends on where the peer had stopped to take bytes; false if some still wait, or the connection is gone.
  mutating func sendUnsent(_ slot: Int) -> Bool {
    let unsent = connections[slot].unsent
    do throws(Errno) {
      let sent = try connections[slot].socket!.write(unsent.span, from: connections[slot].sent)
      if case .bytes(let count) = sent {
        connections[slot].sent += count
        connections[slot].machine.blocked(now: context.nowMilliseconds, limits: limits)
      }
    } catch {
      drop(slot)
      return false
    }
    guard !connections[slot].isBlocked else { return false }
    connections[slot].unsent = []
    connections[slot].sent = 0
    account(slot)
    connections[slot].machine.drained()
    return true
  }

  /// From how many bytes on a production may have taken long.
  private static var longProductionBytes: Int { 4 * 1024 }

  /// Asks the responder for more of an open exchange, and posts it.
  mutating func produce(_ slot: Int) {
    if connections[slot].isBlocked {
      connections[slot].wantsProduce = true
      return
    }
    connections[slot].wantsProduce = false
    output.context = connections[slot].machine.context
    if drainEnds != nil, !connections[slot].machine.isStreaming { output.context.keepAlive = false }
    let exchange = ExchangeID(slot: UInt32(slot), generation: connections[slot].machine.generation)
    let start = output.bytes.count
    let production = responder.produce(exchange, into: &output)
    if output.bytes.count - start >= Self.longProductionBytes { context.readNanoseconds() }
    var keepAlive = output.context.keepAlive && drainEnds == nil
    switch production {
    case .idle:
      return post(.wait, at: slot)
    case .more:
      connections[slot].wantsProduce = true
      return post(.again, at: slot)
    case .finished: break
    case .close: keepAlive = false
    }
    if connections[slot].machine.isStreaming { output.endStream() }
    // The last bytes of a stream that the server ends are to arrive whatever its peer still sends.
    connections[slot].machine.finished(keepAlive: keepAlive, isUnread(slot) || drainEnds != nil)
    // The rest of the pipeline has its turn with the others.
    post(.again, at: slot)
  }

  /// Closes a connection whose last answer is sent: at once, or after reading on for a while, because a close with
  /// unread bytes resets the connection, and the peer may lose the answer (RFC 9112 §9.6).
  mutating func end(_ slot: Int, lingering: Bool) {
    guard lingering else { return drop(slot) }
    connections[slot].socket!.endWriting()
    connections[slot].machine.startLingering(now: context.nowMilliseconds, limits: limits)
    if drainEnds != nil { connections[slot].machine.hurry(now: context.nowMilliseconds, limits: limits) }
    connections[slot].canRead = true
    watchDeadline(slot)
    enqueue(slot)
  }

  /// Reads and forgets what a peer still sends after its last answer.
  mutating func readAway(_ slot: Int) {
    if connections[slot].parked != nil {
      connections[slot].parked = nil
      account(slot)
    }
    let socket = connections[slot].socket!
    var transfer = Socket.Transfer.blocked
    do throws(Errno) {
      _ = try buffer.fill { bytes, start throws(Errno) in
        transfer = try socket.read(into: &bytes, from: start)
        return 0
      }
    } catch {
      return drop(slot)
    }
    switch transfer {
    case .end: drop(slot)
    case .blocked: connections[slot].canRead = false
    case .bytes(let count):
      connections[slot].machine.received(count)
      if connections[slot].machine.mayLinger(limits: limits) { enqueue(slot) } else { drop(slot) }
    }
  }

  /// Closes a connection on which nothing is under way.
  mutating func closeIfIdle(_ slot: Int) {
    guard connections[slot].socket != nil, !connections[slot].isBlocked, !connections[slot].canRead else { return }
    if connections[slot].machine.isIdle, connections[slot].parked?.buffer.isBlank ?? true { drop(slot) }
  }

  /// Closes a connection at once.
  mutating func drop(_ slot: Int) {
    guard let socket = connections[slot].socket else { return }
    socket.close()
    let exchange = ExchangeID(slot: UInt32(slot), generation: connections[slot].machine.generation)
    let wasOpen = connections[slot].machine.hasOpenExchange
    connections[slot].socket = nil
    connections[slot].parked = nil
    connections[slot].unsent = []
    connections[slot].sent = 0
    account(slot)
    connections[slot].canRead = false
    connections[slot].peerHasEnded = false
    connections[slot].wantsProduce = false
    connections[slot].isQueued = false
    connections[slot].watchedTick = .max
    openCount -= 1
    metrics.closed.add()
    freedSlots.append(UInt32(slot))
    if wasOpen { responder.ended(exchange) }
  }
}
