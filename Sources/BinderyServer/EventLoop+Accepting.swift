import BinderyHTTP
import BinderySystem
import BinderyTelemetry

extension EventLoop {
  /// How many connections are accepted before those that are there have their turn.
  private static var acceptsPerTurn: Int { 64 }
  /// How long accepting rests when descriptors have run out.
  private static var acceptPauseMilliseconds: Int64 { 200 }

  mutating func accept(from listener: Listener) {
    for _ in 0..<Self.acceptsPerTurn {
      guard openCount < limits.connectionsPerLoop else { return pauseAccepting() }
      do throws(Errno) {
        guard let socket = try listener.accept() else { return }
        open(socket)
      } catch {
        // The listener stays readable while the kernel has nothing to give: without a pause the loop would spin.
        if error.isExhaustion { return pauseAccepting() }
        // Anything else is about the one connection that was to be accepted (accept(2)).
      }
    }
  }

  private mutating func open(_ socket: Socket) {
    let slot: Int
    if let free = freeSlots.popLast() {
      slot = Int(free)
    } else {
      slot = connections.count
      connections.append(
        Connection(machine: ConnectionMachine(now: context.nowMilliseconds, limits: limits, generation: 0)))
    }
    let generation = connections[slot].generation &+ 1
    do throws(Errno) {
      try poll.add(socket, token: UInt64(generation) << 32 | UInt64(slot))
    } catch {
      socket.close()
      freedSlots.append(UInt32(slot))
      return
    }
    socket.sendAtOnce()
    if context.wantsPeers { context.setPeer(socket.peer, at: slot) }
    metrics.accepted.add()
    connections[slot].socket = socket
    connections[slot].generation = generation
    connections[slot].machine = ConnectionMachine(
      now: context.nowMilliseconds, limits: limits, generation: connections[slot].machine.generation)
    openCount += 1
    watchDeadline(slot)
  }

  private mutating func pauseAccepting() {
    guard acceptingResumes == nil else { return }
    metrics.pauses.add()
    for listener in listeners { poll.remove(listener) }
    acceptingResumes = context.nowMilliseconds + Self.acceptPauseMilliseconds
  }

  mutating func resumeAccepting() {
    acceptingResumes = nil
    for index in listeners.indices {
      do throws(Errno) {
        try poll.add(listeners[index], token: Token.listener - UInt64(index))
      } catch {
        return pauseAccepting()
      }
    }
  }

  /// Begins a graceful stop: no new connections, no new requests on idle ones, and what is in flight ends.
  mutating func startDraining() {
    drainEnds = context.nowMilliseconds + Int64(limits.drainMilliseconds)
    // Whom the kernel has already welcomed is served, not reset.
    for listener in listeners { accept(from: listener) }
    for listener in listeners where acceptingResumes == nil { poll.remove(listener) }
    listeners = []
    acceptingResumes = nil
    responder.draining()
    for slot in connections.indices where connections[slot].socket != nil {
      // What has come without having been told yet is a request in flight.
      connections[slot].canRead = true
      goOn(with: slot)
      deliver()
      guard connections[slot].socket != nil else { continue }
      connections[slot].machine.hurry(now: context.nowMilliseconds, limits: limits)
      watchDeadline(slot)
    }
  }
}
