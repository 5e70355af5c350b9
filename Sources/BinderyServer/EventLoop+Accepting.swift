import BinderyHTTP
import BinderySystem
import BinderyTelemetry

extension EventLoop {
  /// The maximum number of connections accepted before existing ones are served.
  private static var acceptsPerTurn: Int { 64 }
  /// The pause in accepting when the process has no file descriptors left.
  private static var acceptPauseMilliseconds: Int64 { 200 }

  /// - Parameter limit: The maximum number of connections to accept.
  mutating func accept(from listener: Listener, limit: Int = Self.acceptsPerTurn) {
    for _ in 0..<limit {
      guard openCount < limits.connectionsPerLoop else { return pauseAccepting() }
      do throws(Errno) {
        guard let socket = try listener.accept() else { return }
        open(socket)
      } catch {
        // The listener stays readable when accept fails for lack of descriptors. Without a pause the loop would spin.
        if error.isExhaustion {
          exhaustionReport.report(error, now: context.nowMilliseconds)
          return pauseAccepting()
        }
        // Other errors concern only the connection that was to be accepted (accept(2)).
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
      slotsFreedThisTurn.append(UInt32(slot))
      return
    }
    socket.setNoDelay()
    if context.recordsPeerAddresses { context.setPeerAddress(socket.peerAddress, at: slot) }
    metrics.accepted.add()
    connections[slot].socket = socket
    connections[slot].generation = generation
    connections[slot].machine = ConnectionMachine(
      now: context.nowMilliseconds, limits: limits, generation: connections[slot].machine.generation)
    openCount += 1
    registerDeadline(slot)
  }

  private mutating func pauseAccepting() {
    guard acceptResumeTime == nil else { return }
    metrics.pauses.add()
    for listener in listeners { poll.remove(listener) }
    acceptResumeTime = context.nowMilliseconds + Self.acceptPauseMilliseconds
  }

  mutating func resumeAccepting() {
    acceptResumeTime = nil
    for index in listeners.indices {
      do throws(Errno) {
        try poll.add(listeners[index], token: Token.listener - UInt64(index))
      } catch {
        return pauseAccepting()
      }
    }
  }

  /// Starts a graceful stop: closes listeners and idle connections, and lets open exchanges finish.
  mutating func startDraining() {
    drainDeadline = context.nowMilliseconds + Int64(limits.drainMilliseconds)
    // Closing a listener resets the connections in its backlog. They are accepted and served instead.
    for listener in listeners { accept(from: listener, limit: limits.connectionsPerLoop) }
    for listener in listeners where acceptResumeTime == nil { poll.remove(listener) }
    listeners = []
    acceptResumeTime = nil
    responder.willStop()
    for slot in connections.indices where connections[slot].socket != nil {
      // A request may have arrived whose event is not reported yet; it still counts as in flight.
      connections[slot].canRead = true
      serveConnection(slot)
      flushSends()
      guard connections[slot].socket != nil else { continue }
      connections[slot].machine.serverWillStop(now: context.nowMilliseconds, limits: limits)
      registerDeadline(slot)
    }
  }
}
