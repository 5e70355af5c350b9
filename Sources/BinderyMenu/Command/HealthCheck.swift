import BinderySystem

/// Asks a server whether it is ready, as a container's health check does.
enum HealthCheck {
  /// The status of `/readyz`.
  static func ask(_ address: SocketAddress) -> Result<Int, Errno> {
    Result { () throws(Errno) in
      let socket = try ClientSocket(to: reachable(address), timeoutMilliseconds: 3_000)
      try socket.send(Array("GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8))
      var answer: [UInt8] = []
      while answer.count < 12 {
        let bytes = try socket.receive()
        if bytes.isEmpty { break }
        answer += bytes
      }
      // `HTTP/1.1 200 OK`
      return Int(String(decoding: answer.dropFirst(9).prefix(3), as: UTF8.self)) ?? 0
    }
  }

  /// A server that listens everywhere is asked here: over IPv4, which containers have where they have no IPv6.
  private static func reachable(_ address: SocketAddress) -> SocketAddress {
    guard case .internet(let host, let port) = address else { return address }
    switch host {
    case "0.0.0.0", "::": return .internet(host: "127.0.0.1", port: port)
    default: return address
    }
  }
}
