import BinderySystem
import FoundationEssentials
import Synchronization

/// A proxy in front of a PostgreSQL server that breaks a connection at one message of the protocol
/// (https://www.postgresql.org/docs/current/protocol-message-formats.html).
///
/// Clients must not ask for TLS or GSSAPI, because their first message is then not the start of the session.
final class MessageProxy: Sendable {
  /// A place in the exchange of a statement and its answer.
  struct Cut: Sendable, Hashable, CustomStringConvertible {
    enum Direction: String, Sendable, CaseIterable {
      /// From the client: Parse, Bind, Describe, Execute, Sync.
      case toServer
      /// From the server: the answers to these, the rows, and ReadyForQuery.
      case toClient
    }

    /// A part of the text of the statement; nil for any statement.
    let statement: String?
    /// The number of such statements that are sent before.
    var skipped = 0
    let direction: Direction
    /// The index of the message in its direction. If the answer has fewer messages, the last one is meant.
    let message: Int
    /// Whether a part of the message arrives.
    let isWithin: Bool

    var description: String {
      "\(statement ?? "statement \(skipped)"), \(direction.rawValue), \(isWithin ? "within" : "before") message \(message)"
    }

    /// Whether to break connections at each message: `BOUNDARIES=all`.
    private static let isComplete = ProcessInfo.processInfo.environment["BOUNDARIES"] == "all"

    /// The places at a statement: usually before it, within it, before its answer, and after the answer.
    static func places(at statement: String?, skipping skipped: Int = 0) -> [Cut] {
      let places: [(Direction, message: Int, isWithin: Bool)] =
        if isComplete {
          Direction.allCases.flatMap { direction in
            (0..<(direction == .toServer ? 5 : 7)).flatMap { message in
              [false, true].map { (direction, message, $0) }
            }
          }
        } else {
          [(.toServer, 0, false), (.toServer, 4, true), (.toClient, 0, false), (.toClient, 6, false)]
        }
      return places.map {
        Cut(statement: statement, skipped: skipped, direction: $0, message: $1, isWithin: $2)
      }
    }

    /// The places at one of many statements: usually one of those of ``places(at:skipping:)``, at some statements.
    ///
    /// - Parameter interval: The distance of these statements, an odd number, so that each kind of place is used.
    static func places(atStatement number: Int, every interval: Int = 3) -> [Cut] {
      let places = places(at: nil, skipping: number)
      return isComplete ? places : number % interval == 0 ? [places[number % places.count]] : []
    }
  }

  private struct State {
    /// The places at which to break connections, one after the other.
    var cuts: [Cut] = []
    /// The number of statements of the next place that were sent.
    var statements = 0
    var isStopped = false

    /// Returns whether the connection breaks at a statement, or at its answer.
    mutating func isCut(at statement: [UInt8]) -> Bool {
      guard let cut = cuts.first, cut.statement.map({ statement.contains(Array($0.utf8)) }) ?? true else {
        return false
      }
      statements += 1
      return statements > cut.skipped
    }

    /// Removes the next place, unless the test has replaced the places meanwhile.
    mutating func remove(_ cut: Cut?) {
      guard let cut, cuts.first == cut else { return }
      cuts.removeFirst()
      statements = 0
    }
  }

  private let state = Mutex(State())
  private let wakeup: Wakeup
  private let listener: Listener
  private let thread = Mutex<Thread?>(nil)

  /// The port on the loopback interface.
  var port: Int { Int(listener.address.description.split(separator: ":").last ?? "") ?? 0 }

  /// Starts a proxy on a free port of the loopback interface.
  ///
  /// - Parameter port: The port of the server, on the loopback interface.
  init(toPort port: Int) throws {
    guard let target = SocketAddress("127.0.0.1:\(port)") else { throw Errno.invalidArgument }
    listener = try Listener(address: target.with(port: 0))
    wakeup = try Wakeup()
    let started = try Thread { [self] in try? run(target) }
    thread.withLock { $0 = started }
  }

  /// Breaks the connections that next send these statements, one after the other.
  func cut(_ cuts: [Cut]) {
    state.withLock { state in
      (state.cuts, state.statements) = (cuts, 0)
    }
  }

  /// The number of connections that are still to be broken.
  var remaining: Int { state.withLock { $0.cuts.count } }

  /// Closes the listener and all connections.
  func stop() {
    state.withLock { $0.isStopped = true }
    wakeup.signal()
    let thread = thread.withLock { $0.take() }
    thread?.join()
  }

  private func run(_ target: SocketAddress) throws(Errno) {
    var poll = try Poll(capacity: 64)
    try poll.add(listener, token: 0)
    try poll.add(wakeup, token: 0)
    var links: [MessageLink] = []
    defer { for link in links { link.close() } }
    while true {
      _ = poll.wait(milliseconds: -1)
      if state.withLock({ $0.isStopped }) { return }
      while let client = try listener.accept() {
        guard let server = try? Socket(connectingTo: target) else {
          client.close()
          continue
        }
        try poll.add(client, token: 1)
        try poll.add(server, token: 1)
        links.append(MessageLink(client, server))
      }
      for link in links {
        let next = state.withLock { $0.cuts.first }
        link.transfer(next) { statement in
          state.withLock { $0.isCut(at: statement) }
        } onCut: {
          state.withLock { $0.remove(next) }
        }
      }
      links.removeAll(where: \.isClosed)
    }
  }
}

/// A connection of a client and the connection to the server that it is forwarded to. Confined to the proxy's thread.
private final class MessageLink {
  /// The messages that are on the way from one socket to the other.
  private struct Stream {
    let source: Socket
    let destination: Socket
    /// What was received and does not make a message yet.
    var received: [UInt8] = []
    /// What is to be sent.
    var output: [UInt8] = []
    /// Whether the first message, which has no type, has been received.
    var isStarted: Bool
    var hasEnded = false

    mutating func receive() throws(Errno) {
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while !hasEnded {
        switch try source.read(into: &buffer, from: 0) {
        case .bytes(let count): received += buffer[..<count]
        case .end: hasEnded = true
        case .blocked: return
        }
      }
    }

    /// Removes and returns the next message; nil if it is not complete.
    mutating func next() -> [UInt8]? {
      let type = isStarted ? 1 : 0
      guard received.count >= type + 4 else { return nil }
      let length = received[type..<type + 4].reduce(0) { $0 << 8 | Int($1) } + type
      guard received.count >= length else { return nil }
      defer { received.removeFirst(length) }
      isStarted = true
      return Array(received[..<length])
    }

    mutating func send() throws(Errno) {
      while !output.isEmpty {
        guard case .bytes(let count) = try destination.write(output.span, from: 0) else { return }
        output.removeFirst(count)
      }
    }
  }

  private var request: Stream
  private var response: Stream
  /// The number of messages in each direction since the statement to cut was sent; nil if it was not.
  private var counts: (toServer: Int, toClient: Int)?
  private(set) var isClosed = false

  init(_ client: Socket, _ server: Socket) {
    request = Stream(source: client, destination: server, isStarted: false)
    response = Stream(source: server, destination: client, isStarted: true)
  }

  /// Transfers what has arrived.
  ///
  /// - Parameters:
  ///   - isCut: Called with each statement. Returns whether the connection breaks at it.
  ///   - onCut: Called before the connection is broken.
  func transfer(_ cut: MessageProxy.Cut?, isCut: (_ statement: [UInt8]) -> Bool, onCut: () -> Void) {
    do throws(Errno) {
      try request.receive()
      try response.receive()
      while let message = request.next() {
        if message.first == UInt8(ascii: "P"), isCut(message) { counts = (0, 0) }
        if let cut, let counts, cut.direction == .toServer, counts.toServer == cut.message {
          if cut.isWithin { request.output += message.dropLast() }
          onCut()
          return breakConnection()
        }
        counts?.toServer += 1
        request.output += message
      }
      while let message = response.next() {
        let isLast = message.first == UInt8(ascii: "Z")
        if let cut, let counts, cut.direction == .toClient, counts.toClient == cut.message || isLast {
          // After the answer: all of it arrives.
          if counts.toClient < cut.message {
            response.output += message
          } else if cut.isWithin {
            response.output += message.dropLast()
          }
          onCut()
          return breakConnection()
        }
        counts?.toClient += 1
        response.output += message
        if isLast { counts = nil }
      }
      try request.send()
      try response.send()
      if request.hasEnded || response.hasEnded { close() }
    } catch { close() }
  }

  /// Closes the connection after all that is to be sent.
  private func breakConnection() {
    try? request.send()
    try? response.send()
    close()
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    request.source.close()
    response.source.close()
  }
}
