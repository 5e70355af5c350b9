import BinderyHTTP
import BinderySystem
import BinderyTelemetry

extension EventLoop {
  /// Handles the timers of the responder, the pause in accepting, and the deadlines of connections.
  mutating func processTimers() {
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
  mutating func serveQueue() {
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

  /// Serves the first connection with a large request.
  ///
  /// Such a request can take milliseconds. One per turn, after all others: a small request waits for at most one.
  mutating func serveLargeQueue() {
    while !largeQueue.isEmpty {
      let slot = Int(largeQueue.removeFirst())
      guard connections[slot].isQueued else { continue }
      connections[slot].isQueued = false
      return serveConnection(slot)
    }
  }

  /// The maximum number of reads from one connection before others are served.
  private static var readsPerTurn: Int { 4 }

  /// Performs the pending work of one connection, unless its peer accepts no bytes.
  mutating func serveConnection(_ slot: Int) {
    if connections[slot].isBlocked { return }
    if connections[slot].machine.isLingering { return discardInput(slot) }
    if connections[slot].machine.hasOpenExchange {
      if isAbandoned(slot) { return drop(slot) }
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
    // An unfinished head counts differently from requests that wait for a later turn.
    buffer.readHead(limits: limits)
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

  /// Rejects an incomplete request if the server buffers too much, so that many large requests cannot exhaust memory.
  ///
  /// Heads arrive without permission, so they must not take the room of bodies. If there are too many of them, another
  /// one that is at least as long is rejected, because the rest of the newest one is likely to arrive at once.
  mutating func rejectIfOverMemoryLimit(_ slot: Int) {
    guard connections[slot].parked != nil else { return }
    let own = connections[slot].bufferedBytes
    let isOverLimit =
      if own.large > 0 {
        bufferedBytes.amount.large > limits.bufferedBytes
      } else if own.heads > 0 {
        bufferedBytes.amount.heads > limits.bufferedBytes / 2
      } else {
        bufferedBytes.amount.small > limits.bufferedBytes / 2
      }
    guard isOverLimit, mayReject(slot) else { return }
    rejectOverloaded(own.heads > 0 ? incompleteHead(insteadOf: slot) ?? slot : slot)
  }

  /// The number of connections among which one with an incomplete head is sought.
  private static var headSearchLength: Int { 256 }

  /// Returns another connection whose incomplete head takes as much memory; nil if none is found soon.
  private mutating func incompleteHead(insteadOf slot: Int) -> Int? {
    for _ in 0..<min(connections.count, Self.headSearchLength) {
      lastRejectedHead = lastRejectedHead + 1 < connections.count ? lastRejectedHead + 1 : 0
      let other = lastRejectedHead
      if other != slot, connections[other].bufferedBytes.heads >= connections[slot].bufferedBytes.heads,
        !connections[other].isQueued, !connections[other].isBlocked, mayReject(other)
      {
        return other
      }
    }
    return nil
  }

  private func mayReject(_ slot: Int) -> Bool {
    connections[slot].machine.isReading || connections[slot].machine.isIdle
  }

  private mutating func rejectOverloaded(_ slot: Int) {
    reject(.overloaded, at: slot)
    connections[slot].parked = nil
    updateBufferedBytes(slot)
    queueSend(.close(lingering: true), at: slot)
  }

  /// Updates the loop's total of buffered bytes after a change to one connection.
  mutating func updateBufferedBytes(_ slot: Int) {
    // Shared bytes are counted by the responder, once for all connections.
    var amount = BufferedBytes.Amount()
    amount.unsent = connections[slot].isUnsentShared ? 0 : connections[slot].unsent.capacity
    if let parked = connections[slot].parked {
      // The memory of a growing buffer can be twice what it holds.
      let bytes = parked.buffer.bytes.count
      if !parked.buffer.hasHead {
        amount.heads = bytes
      } else if parked.buffer.range.count > limits.smallRequestBytes {
        amount.large = bytes
      } else {
        amount.small = bytes
      }
    }
    if amount == connections[slot].bufferedBytes { return }
    bufferedBytes.replace(connections[slot].bufferedBytes, by: amount)
    connections[slot].bufferedBytes = amount
  }

  /// Returns whether the peer has sent, or may have sent, bytes that were not parsed.
  func hasUnreadInput(_ slot: Int) -> Bool { connections[slot].parked != nil || connections[slot].canRead }

  /// Returns whether the client of a stream, or of another abandonable exchange, has closed its sending side. It cannot
  /// send another request, and cannot be told from a client that has disconnected.
  func isAbandoned(_ slot: Int) -> Bool { connections[slot].peerHasEnded && connections[slot].machine.endsWithPeer }

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
    case .drop: deliveryTimedOut(slot)
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

  /// Schedules a connection for the next turn, or for a later one if its request is large.
  mutating func enqueue(_ slot: Int) {
    guard !connections[slot].isQueued else { return }
    connections[slot].isQueued = true
    if hasLargeRequest(slot) { largeQueue.append(UInt32(slot)) } else { queue.append(UInt32(slot)) }
  }

  /// Returns whether a connection has received a large request, or a part of one.
  func hasLargeRequest(_ slot: Int) -> Bool {
    guard let parked = connections[slot].parked else { return false }
    return parked.buffer.expectedBytes > limits.smallRequestBytes
  }
}
