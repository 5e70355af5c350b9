import BinderySystem

/// The client of the command `health`, which container health checks run.
enum HealthCheck {
  /// Requests `/readyz` and returns the status code, or 0 for a malformed response.
  static func readiness(of address: SocketAddress) -> Result<Int, Errno> {
    Result { () throws(Errno) in
      let socket = try ClientSocket(to: reachable(address), timeoutMilliseconds: 3_000)
      try socket.send(Array("GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8))
      var response: [UInt8] = []
      while response.count < 12 {
        let bytes = try socket.receive()
        if bytes.isEmpty { break }
        response += bytes
      }
      // The three digits after `HTTP/1.1 ` are the status code.
      return Int(String(decoding: response.dropFirst(9).prefix(3), as: UTF8.self)) ?? 0
    }
  }

  /// Returns the loopback address for a server that listens on all interfaces.
  ///
  /// IPv4, because many containers have no IPv6.
  private static func reachable(_ address: SocketAddress) -> SocketAddress {
    guard case .internet(let host, let port) = address else { return address }
    switch host {
    case "0.0.0.0", "::": return .internet(host: "127.0.0.1", port: port)
    default: return address
    }
  }
}
