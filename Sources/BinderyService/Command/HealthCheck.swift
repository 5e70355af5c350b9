import BinderySystem
import FoundationEssentials

/// The client of the command `health`, which container health checks run.
enum HealthCheck {
  /// The members of a problem document (RFC 9457) that are printed.
  private struct Problem: Decodable {
    let detail: String
  }

  /// The maximum size of a response, in bytes.
  private static let maximumBytes = 64 * 1024

  /// Requests `/readyz` without a token, because another program may listen on the address while the server is down.
  ///
  /// - Returns: The status code, or 0 for a malformed response, and the reason why the server is not ready, which it
  ///   gives if it requires no token.
  static func readiness(of address: SocketAddress) -> Result<(status: Int, reason: String?), Errno> {
    Result { () throws(Errno) in
      let socket = try ClientSocket(to: reachable(address), timeoutMilliseconds: 3_000)
      try socket.send(Array("GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8))
      var response: [UInt8] = []
      while response.count < maximumBytes {
        let bytes = try socket.receive()
        if bytes.isEmpty { break }
        response += bytes
      }
      let text = String(decoding: response, as: UTF8.self)
      // The three digits after `HTTP/1.1 ` are the status code.
      let status = Int(text.dropFirst(9).prefix(3)) ?? 0
      let body = text.firstRange(of: "\r\n\r\n").map { Data(text[$0.upperBound...].utf8) }
      return (status, body.flatMap { try? JSONDecoder().decode(Problem.self, from: $0) }?.detail)
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
