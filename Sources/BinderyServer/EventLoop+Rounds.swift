import BinderyHTTP
import BinderySystem

/// Serving in rounds: the loop receives from several connections, responds to all of them, then sends all responses.
///
/// Switching less often between kernel and server keeps the code of each in the processor's caches. This saves a sixth
/// of the time of a small write.
extension EventLoop {
  /// The bytes received from one connection, saved in the request buffer.
  struct Received {
    let slot: Int
    let bytes: Range<Int>
  }

  /// A pending send: the bytes of `output` from the end of the previous entry up to `end`.
  struct PendingSend {
    let slot: Int
    let end: Int
    let next: NextStep
  }

  /// The next step for a connection after its responses have been sent.
  enum NextStep: Equatable {
    /// Wait for bytes from the peer.
    case read
    /// Wait for the responder.
    case wait
    /// Serve it again, after other connections.
    case again
    /// Close it. The peer may still be sending if `lingering` is true.
    case close(lingering: Bool)
  }

  /// The size of `output` above which it is sent.
  private static var outputBytesPerRound: Int { 64 * 1024 }
  /// The minimum free capacity of the request buffer for receiving from another connection.
  private static var minimumFreeCapacity: Int { 8 * 1024 }

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

  /// Ends a round: responds to all received requests and sends the responses. Request buffer and output are empty
  /// afterwards.
  mutating func serveReceived() {
    for index in received.indices {
      let slot = received[index].slot
      buffer.restore(received[index].bytes)
      if index > 0, isPhaseOver {
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

  /// Assigns the output written since the last call to a connection, and queues it for `flushSends`.
  mutating func queueSend(_ next: NextStep, at slot: Int) {
    pendingSends.append(PendingSend(slot: slot, end: output.bytes.count, next: next))
    if pendingSends.isFull || output.bytes.count >= Self.outputBytesPerRound { flushSends() }
  }

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
    if !connections[slot].isBlocked, pendingSends.count == 1 {
      // The whole output belongs to this connection, so its storage is moved instead of copied.
      connections[slot].unsent = output.takeBytes()
      connections[slot].sent = range.lowerBound
    } else {
      connections[slot].unsent.append(contentsOf: output.bytes[range])
    }
    updateBufferedBytes(slot)
    if bufferedBytes > 2 * limits.bufferedBytes { return drop(slot) }
    connections[slot].machine.writeBlocked(now: context.nowMilliseconds, limits: limits)
    registerDeadline(slot)
  }
}

/// A fixed-capacity list of the connections of one round, stored inline.
struct Round<Entry> {
  /// A larger capacity saves almost nothing, and the first connection would wait longer for the last.
  private var entries: InlineArray<16, Entry>
  private(set) var count = 0

  /// Creates an empty round.
  ///
  /// - Parameter filler: The value of unused elements.
  init(filler: Entry) { entries = InlineArray(repeating: filler) }

  var isEmpty: Bool { count == 0 }
  var isFull: Bool { count == entries.count }
  var indices: Range<Int> { 0..<count }
  subscript(index: Int) -> Entry { entries[index] }

  mutating func append(_ entry: Entry) {
    entries[count] = entry
    count += 1
  }

  mutating func removeAll() { count = 0 }
}
