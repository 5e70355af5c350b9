import BinderySystem
import Synchronization

/// A TCP proxy that fails on demand: it forwards, delays, or withholds the bytes of all its connections, and cuts them.
package final class FaultyProxy: Sendable {
  /// What the proxy does with bytes that it has received.
  package enum Behavior: Sendable, Equatable {
    case forward
    /// Forwards each byte after a time.
    case delay(milliseconds: Int)
    /// Reads and forwards nothing, like a network that loses all packets. Connections are still accepted.
    case withhold
    /// Like `withhold`, but only on connections on which the client has sent a text, which is forwarded.
    case withholdAnswer(to: String)
    /// Closes connections as soon as they are accepted.
    case refuse
  }

  /// A text of clients that the server receives as another one of the same length.
  package struct Replacement: Sendable {
    fileprivate let (text, other): ([UInt8], [UInt8])

    package init(_ text: String, by other: String) {
      (self.text, self.other) = (Array(text.utf8), Array(other.utf8))
    }
  }

  private struct Orders {
    var behavior = Behavior.forward
    var mustCut = false
    var isStopped = false
  }

  /// Guards the orders to the thread; held only to read or change them.
  private let orders = Mutex(Orders())
  private let wakeup: Wakeup
  private let listener: Listener
  private let replacement: Replacement?
  private let thread = Mutex<Thread?>(nil)

  private let accepted = Atomic(0)

  /// The number of connections that clients have made.
  package var acceptedCount: Int { accepted.load(ordering: .relaxed) }

  /// The port on the loopback interface.
  package var port: Int { Int(listener.address.description.split(separator: ":").last ?? "") ?? 0 }

  /// Starts a proxy on a free port of the loopback interface.
  ///
  /// - Parameters:
  ///   - port: The port of the server to connect to, on the loopback interface.
  ///   - replacement: A text to replace in what clients send.
  package init(toPort port: Int, replacing replacement: Replacement? = nil) throws {
    self.replacement = replacement
    guard let target = SocketAddress("127.0.0.1:\(port)") else { throw Errno.invalidArgument }
    listener = try Listener(address: target.with(port: 0))
    wakeup = try Wakeup()
    let started = try Thread { [self] in try? run(target) }
    thread.withLock { $0 = started }
  }

  /// What the proxy does from now on. Withheld bytes are forwarded when it forwards again.
  package func set(_ behavior: Behavior) { order { $0.behavior = behavior } }

  /// Closes all connections.
  package func cut() { order { $0.mustCut = true } }

  /// Closes the listener and all connections.
  package func stop() {
    order { $0.isStopped = true }
    thread.withLock { $0.take() }?.join()
  }

  private func order(_ change: (inout Orders) -> Void) {
    orders.withLock { change(&$0) }
    wakeup.signal()
  }

  private func run(_ target: SocketAddress) throws(Errno) {
    var poll = try Poll(capacity: 64)
    try poll.add(listener, token: 0)
    try poll.add(wakeup, token: 0)
    var links: [Link] = []
    defer { for link in links { link.close() } }
    while true {
      // All connections are few, so each event examines all of them.
      let isDelayed = links.contains(where: \.hasDelayedBytes)
      _ = poll.wait(milliseconds: isDelayed ? 1 : -1)
      let orders = orders.withLock { orders in
        defer { orders.mustCut = false }
        return orders
      }
      if orders.isStopped { return }
      if orders.mustCut {
        for link in links { link.close() }
        links = []
      }
      while let client = try listener.accept() {
        accepted.add(1, ordering: .relaxed)
        guard orders.behavior != .refuse, let server = try? Socket(connectingTo: target) else {
          client.close()
          continue
        }
        try poll.add(client, token: 1)
        try poll.add(server, token: 1)
        links.append(Link(client, server, replacement))
      }
      for link in links { link.transfer(orders.behavior) }
      links.removeAll(where: \.isClosed)
    }
  }
}

/// A connection of a client and the connection to the server that it is forwarded to. Confined to the proxy's thread.
private final class Link {
  /// The bytes that are on the way from one socket to the other.
  private struct Direction {
    let source: Socket
    let destination: Socket
    var replacement: FaultyProxy.Replacement?
    var chunks: [(due: Int64, bytes: [UInt8])] = []
    var hasEnded = false
    /// Whether the source has sent the text whose answer is withheld.
    var hasSentText = false

    /// The number of chunks above which the source is not read, so that the memory is bounded.
    private static let maximumChunks = 64

    /// - Returns: False if the connection is over.
    mutating func transfer(_ behavior: FaultyProxy.Behavior) throws(Errno) -> Bool {
      var delay: Int64 = 0
      switch behavior {
      case .withhold: return true
      case .delay(let milliseconds): delay = Int64(milliseconds)
      case .forward, .refuse, .withholdAnswer: break
      }
      while true {
        var mayHaveMore = try receive(delay, behavior)
        if try send() { mayHaveMore = true }
        if !mayHaveMore { return !(hasEnded && chunks.isEmpty) }
      }
    }

    /// - Returns: Whether there may be more to receive once room is made.
    private mutating func receive(_ delay: Int64, _ behavior: FaultyProxy.Behavior) throws(Errno) -> Bool {
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while !hasEnded, chunks.count < Self.maximumChunks {
        switch try source.read(into: &buffer, from: 0) {
        case .bytes(let count):
          var bytes = Array(buffer[..<count])
          if let replacement { bytes.replace(replacement.text, with: replacement.other) }
          if case .withholdAnswer(let text) = behavior, bytes.contains(Array(text.utf8)) { hasSentText = true }
          chunks.append((Clock.monotonicMilliseconds + delay, bytes))
        case .end: hasEnded = true
        case .blocked: return false
        }
      }
      return false
    }

    /// - Returns: Whether room was made in a full buffer, so that the source must be read again.
    private mutating func send() throws(Errno) -> Bool {
      let wasFull = chunks.count >= Self.maximumChunks
      let now = Clock.monotonicMilliseconds
      while let first = chunks.first, first.due <= now {
        guard case .bytes(let count) = try destination.write(first.bytes.span, from: 0) else { return false }
        if count == first.bytes.count {
          chunks.removeFirst()
        } else {
          chunks[0].bytes.removeFirst(count)
        }
      }
      return wasFull && chunks.count < Self.maximumChunks
    }
  }

  private var request: Direction
  private var response: Direction
  private(set) var isClosed = false

  init(_ client: Socket, _ server: Socket, _ replacement: FaultyProxy.Replacement?) {
    request = Direction(source: client, destination: server, replacement: replacement)
    response = Direction(source: server, destination: client)
  }

  var hasDelayedBytes: Bool { !request.chunks.isEmpty || !response.chunks.isEmpty }

  func transfer(_ behavior: FaultyProxy.Behavior) {
    if case .withholdAnswer = behavior {} else { request.hasSentText = false }
    do throws(Errno) {
      guard try request.transfer(behavior) else { return close() }
      if !request.hasSentText, !(try response.transfer(behavior)) { close() }
    } catch { close() }
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    request.source.close()
    response.source.close()
  }
}
