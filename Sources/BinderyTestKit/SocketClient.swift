import BinderySystem

/// A client with one persistent connection over a raw socket. It reconnects if the server closes the connection.
package final class SocketClient: Client {
  /// The reason why a request failed.
  package enum Failure: Error {
    case invalidAddress(String)
    case closed(String)
  }

  package let origin: String
  private let address: SocketAddress
  private var socket: ClientSocket?
  private var reader = ReplyReader()

  /// Creates a client. It connects with the first request.
  ///
  /// - Parameter address: Host and port, as in `Service.addresses`.
  package init(_ address: String) throws(Failure) {
    guard let parsed = SocketAddress(address) else { throw .invalidAddress(address) }
    self.address = parsed
    self.origin = "http://\(address)"
  }

  package func send(_ request: Request) throws -> Reply {
    try begin(request)
    return try finish(request)
  }

  /// Sends a request without waiting for the response.
  package func begin(_ request: Request) throws {
    // A server closes a connection that was idle for long, as while other tests use all cores.
    if socket != nil, socket!.isClosed() { disconnect() }
    if socket == nil { socket = try ClientSocket(to: address) }
    // A server may reject a request and close the connection before all of it is sent. Its response can still be read.
    try? socket!.send(request.bytes(host: "\(address)"))
  }

  /// Waits for the response to the request that was sent last.
  package func finish(_ request: Request) throws -> Reply {
    while true {
      if let reply = try reader.next(isHead: request.method == "HEAD") {
        if reply["Connection"] == "close" { disconnect() }
        return reply
      }
      let bytes = try socket!.receive()
      guard !bytes.isEmpty else {
        disconnect()
        throw Failure.closed("\(request)")
      }
      reader.append(bytes)
    }
  }

  private func disconnect() {
    socket = nil
    reader = ReplyReader()
  }
}
