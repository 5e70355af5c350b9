import BinderyHTTP
import BinderySystem
import BinderyTelemetry

extension EventLoop {
  /// Calls `produce` for ready exchanges: at least one, and more until the phase is over.
  mutating func produceReady() {
    if context.nextWorkMilliseconds == .min {
      for exchange in context.takeAborted() where isOpen(exchange) {
        dropStalled(Int(exchange.slot))
      }
      if ready.isEmpty { context.takeReady(into: &ready) }
    }
    if ready.isEmpty { return }
    var count = 0
    while count < ready.count, count == 0 || !isPhaseOver {
      let exchange = ready[count]
      count += 1
      if isOpen(exchange) { produce(Int(exchange.slot)) }
    }
    ready.removeFirst(count)
    flushSends()
  }

  private func isOpen(_ exchange: ExchangeID) -> Bool {
    let slot = Int(exchange.slot)
    return slot < connections.count && connections[slot].socket != nil && connections[slot].machine.hasOpenExchange
      && connections[slot].machine.generation == exchange.generation
  }

  /// Continues sending unsent bytes; returns false if some remain or the connection was dropped.
  mutating func sendUnsent(_ slot: Int) -> Bool {
    let unsent = connections[slot].unsent
    do throws(Errno) {
      let sent = try connections[slot].socket!.write(unsent.span, from: connections[slot].sent)
      if case .bytes(let count) = sent {
        connections[slot].sent += count
        connections[slot].written += count
        if connections[slot].isBlocked { startWriteTimeout(slot) }
      }
    } catch {
      drop(slot)
      return false
    }
    guard !connections[slot].isBlocked else { return false }
    connections[slot].unsent = []
    connections[slot].sent = 0
    connections[slot].blockedSince = .max
    connections[slot].isUnsentShared = false
    updateBufferedBytes(slot)
    connections[slot].machine.writeCompleted()
    return true
  }

  /// The output size above which a call of `produce` may have taken long, so that the clock must be read.
  private static var longOutputBytes: Int { 4 * 1024 }

  /// Calls `Responder.produce` for an open exchange and queues its output. Postponed while the peer accepts no bytes.
  mutating func produce(_ slot: Int) {
    if connections[slot].isBlocked {
      connections[slot].wantsProduce = true
      return
    }
    connections[slot].wantsProduce = false
    if connections[slot].machine.isStreaming, hasVanished(slot) { return dropStalled(slot) }
    output.context = connections[slot].machine.context
    if drainDeadline != nil, !connections[slot].machine.isStreaming { output.context.keepAlive = false }
    let exchange = ExchangeID(slot: UInt32(slot), generation: connections[slot].machine.generation)
    let start = output.byteCount
    let result = responder.produce(exchange, into: &output)
    if output.byteCount - start >= Self.longOutputBytes { context.readNanoseconds() }
    var keepAlive = output.context.keepAlive && drainDeadline == nil
    switch result {
    case .idle:
      return queueSend(.wait, at: slot)
    case .more:
      connections[slot].machine.responseBegan()
      connections[slot].wantsProduce = true
      let shared = output.takeShared()
      queueSend(.again, at: slot)
      if let shared { send(sharing: shared, to: slot) }
      return
    case .finished: break
    case .close: keepAlive = false
    }
    if connections[slot].machine.isStreaming { output.endStream() }
    // While the server stops, always linger: the last bytes of a stream must arrive even if the peer sends more.
    let hasUnreadBytes = hasUnreadInput(slot) || drainDeadline != nil
    connections[slot].machine.exchangeFinished(keepAlive: keepAlive, hasUnreadBytes: hasUnreadBytes)
    // Further pipelined requests are served with the other connections.
    queueSend(.again, at: slot)
  }

  /// Closes a connection whose last response is sent, immediately or after lingering.
  ///
  /// Closing a socket with unread bytes resets the connection, and the peer may lose the response (RFC 9112 §9.6).
  mutating func close(_ slot: Int, lingering: Bool) {
    guard lingering || mustDeliver(slot) else { return drop(slot) }
    connections[slot].socket!.endWriting()
    connections[slot].machine.startLingering(now: context.nowMilliseconds, limits: limits)
    if mustDeliver(slot) { extendDeadline(slot) }
    if drainDeadline != nil { connections[slot].machine.serverWillStop(now: context.nowMilliseconds, limits: limits) }
    connections[slot].canRead = true
    registerDeadline(slot)
    enqueue(slot)
  }

  /// Reads and discards the bytes that a peer sends after its last response.
  mutating func discardInput(_ slot: Int) {
    if connections[slot].parked != nil {
      connections[slot].parked = nil
      updateBufferedBytes(slot)
    }
    guard read(slot) else { return }
    // Nothing was read at the end of the stream.
    let hasEnded = buffer.isEmpty
    buffer.removeAll()
    if !connections[slot].machine.mayLinger(limits: limits) || hasEnded && !mustDeliver(slot) { return drop(slot) }
    if !hasEnded { enqueue(slot) }
  }

  /// Closes a connection if no request is in progress on it.
  mutating func closeIfIdle(_ slot: Int) {
    guard connections[slot].socket != nil, !connections[slot].isBlocked, !connections[slot].canRead else { return }
    if connections[slot].machine.isIdle, connections[slot].parked?.buffer.isBlank ?? true { drop(slot) }
  }

  /// Closes a connection immediately and frees its slot.
  mutating func drop(_ slot: Int) {
    guard let socket = connections[slot].socket else { return }
    socket.close()
    let exchange = ExchangeID(slot: UInt32(slot), generation: connections[slot].machine.generation)
    let isResponderInvolved = connections[slot].machine.hasOpenExchange || connections[slot].machine.isBodyAwaited
    bufferedBytes.replace(connections[slot].bufferedBytes, by: BufferedBytes.Amount())
    connections[slot] = Connection(generation: connections[slot].generation, machine: connections[slot].machine)
    openCount -= 1
    metrics.closed.add()
    slotsFreedThisTurn.append(UInt32(slot))
    if isResponderInvolved { responder.peerDisconnected(exchange) }
  }
}
