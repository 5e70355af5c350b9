import BinderySystem

/// An event stream over a socket, read only when its test asks: who does not ask is a slow reader.
package final class SocketEventStream {
  package enum Failure: Error {
    case noSuchAddress(String)
    case refused(Reply)
  }

  package private(set) var reader: EventStreamReader
  private let address: SocketAddress
  private let target: String
  private let more: [(name: String, value: String)]
  private var socket: ClientSocket?
  private var budget = Int.max

  /// Connects and asks; nothing is read yet.
  ///
  /// - Parameter address: as the service tells it.
  package init(
    _ address: String, _ target: String, lastEventID: String = "", _ more: KeyValuePairs<String, String> = [:]
  ) throws {
    guard let parsed = SocketAddress(address) else { throw Failure.noSuchAddress(address) }
    self.address = parsed
    self.target = target
    self.more = more.map { (name: $0.key, value: $0.value) }
    reader = EventStreamReader(lastEventID: lastEventID)
    try connect()
  }

  private func connect() throws {
    let socket = try ClientSocket(to: address)
    let lastEventID = reader.parser.lastEventID
    var fields = [(name: "Accept", value: "text/event-stream")] + more
    if !lastEventID.isEmpty { fields.append((name: "Last-Event-ID", value: lastEventID)) }
    try socket.send(Request("GET", target, fields: fields).bytes(host: "\(address)"))
    self.socket = consume socket
  }

  /// The next event; nil where the server has ended the stream or the bytes allowed have come. Waits for it.
  package func next() throws -> ServerSentEvent? {
    while reader.parser.events.isEmpty {
      guard budget > 0, try receive() else { return nil }
    }
    return reader.parser.events.removeFirst()
  }

  /// Waits for more bytes; false where there are none any more.
  @discardableResult
  package func receive() throws -> Bool {
    guard let bytes = try socket?.receive(atMost: min(65_536, budget)), !bytes.isEmpty else { return false }
    budget -= bytes.count
    try reader.append(bytes)
    if let head = reader.head, head.status != 200 { throw Failure.refused(head) }
    return true
  }

  /// Allows so many more bytes to be read.
  package func allow(bytes: Int) { budget = bytes }

  /// Goes away, whatever is still under way, and comes back with what was read last, as a browser does.
  package func reconnect() throws {
    socket = nil
    budget = .max
    reader = EventStreamReader(lastEventID: reader.parser.lastEventID)
    try connect()
  }

  package func cut() { socket = nil }
}
