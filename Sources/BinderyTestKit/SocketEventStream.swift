import BinderySystem

/// An event stream over a socket. It reads only on request, so a test that does not read is a slow client.
package final class SocketEventStream {
  /// The reason why the stream failed.
  package enum Failure: Error {
    case invalidAddress(String)
    case rejected(Reply)
  }

  package private(set) var reader: EventStreamReader
  private let address: SocketAddress
  private let target: String
  private let fields: [(name: String, value: String)]
  private var socket: ClientSocket?
  /// The number of bytes that may still be read.
  private var byteAllowance = Int.max

  /// Connects and sends the request. Nothing is read yet.
  ///
  /// - Parameters:
  ///   - address: Host and port, as in `Service.addresses`.
  ///   - target: Path and query.
  ///   - lastEventID: The id of the event after which the stream resumes.
  ///   - fields: Additional header fields.
  package init(
    _ address: String, _ target: String, lastEventID: String = "", _ fields: KeyValuePairs<String, String> = [:]
  ) throws {
    guard let parsed = SocketAddress(address) else { throw Failure.invalidAddress(address) }
    self.address = parsed
    self.target = target
    self.fields = fields.map { (name: $0.key, value: $0.value) }
    reader = EventStreamReader(lastEventID: lastEventID)
    try connect()
  }

  private func connect() throws {
    let socket = try ClientSocket(to: address)
    let lastEventID = reader.parser.lastEventID
    var fields = [(name: "Accept", value: "text/event-stream")] + self.fields
    if !lastEventID.isEmpty { fields.append((name: "Last-Event-ID", value: lastEventID)) }
    try socket.send(Request("GET", target, fields: fields).bytes(host: "\(address)"))
    self.socket = consume socket
  }

  /// Waits for the next event and returns it; nil if the server ended the stream or the byte allowance is used up.
  package func next() throws -> ServerSentEvent? {
    while reader.parser.events.isEmpty {
      guard byteAllowance > 0, try receive() else { return nil }
    }
    return reader.parser.events.removeFirst()
  }

  /// Waits for more bytes and parses them.
  ///
  /// - Returns: False if the server closed the connection.
  @discardableResult
  package func receive() throws -> Bool {
    guard let bytes = try socket?.receive(atMost: min(65_536, byteAllowance)), !bytes.isEmpty else { return false }
    byteAllowance -= bytes.count
    try reader.append(bytes)
    if let head = reader.head, head.status != 200 { throw Failure.rejected(head) }
    return true
  }

  /// Limits the number of bytes that may be read from now on.
  package func allow(bytes: Int) { byteAllowance = bytes }

  /// Closes the connection and opens another one that resumes after the last received event, as a browser does.
  package func reconnect() throws {
    socket = nil
    byteAllowance = .max
    reader = EventStreamReader(lastEventID: reader.parser.lastEventID)
    try connect()
  }

  /// Closes the connection.
  package func disconnect() { socket = nil }
}
