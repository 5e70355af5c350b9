import BinderySystem

/// One connection to a server, used again for each request for as long as the server keeps it.
package final class SocketClient: Client {
  package enum Failure: Error {
    case noSuchAddress(String)
    case closed(String)
  }

  package let origin: String
  private let address: SocketAddress
  private var socket: ClientSocket?
  private var reader = ReplyReader()

  /// - Parameter address: as the service tells it.
  package init(_ address: String) throws(Failure) {
    guard let parsed = SocketAddress(address) else { throw .noSuchAddress(address) }
    self.address = parsed
    self.origin = "http://\(address)"
  }

  package func send(_ request: Request) throws -> Reply {
    if socket == nil { socket = try ClientSocket(to: address) }
    // A server that refuses early closes before all is sent; what it said is there to be read.
    try? socket!.send(request.bytes(host: "\(address)"))
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
