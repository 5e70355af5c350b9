import CBinderyLinux

/// A blocking client connection, for command-line tools and tests, not for event loops.
package struct ClientSocket: ~Copyable {
  private let descriptor: Descriptor

  /// Connects to a server.
  ///
  /// - Parameters:
  ///   - address: The address of the server.
  ///   - timeoutMilliseconds: The timeout of each later call, which then throws `.again`.
  ///   - receiveBufferBytes: The size of the receive buffer (SO_RCVBUF), which limits how much the server can send
  ///     while nothing is received. By default, the kernel chooses it.
  /// - Throws: The error of socket(2) or connect(2); `.invalidArgument` if the host is not an IP address.
  package init(
    to address: SocketAddress, timeoutMilliseconds: Int = 60_000, receiveBufferBytes: Int32? = nil
  ) throws(Errno) {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = Descriptor(owning: try Errno.check { socket(address.family, type, 0) })
    let number = descriptor.number
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      var time = timeval(tv_sec: timeoutMilliseconds / 1000, tv_usec: timeoutMilliseconds % 1000 * 1000)
      _ = unsafe setsockopt(number, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
    }
    if var size = receiveBufferBytes {
      _ = unsafe setsockopt(number, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }
    try unsafe address.pass { unsafe connect(number, $0, $1) }
    self.descriptor = descriptor
  }

  /// Sends all bytes.
  package borrowing func send(_ bytes: [UInt8]) throws(Errno) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.count - sent
      sent += try Errno.check {
        unsafe bytes.withUnsafeBytes {
          unsafe CBinderyLinux.send(descriptor.number, $0.baseAddress! + sent, count, Int32(MSG_NOSIGNAL))
        }
      }
    }
  }

  /// Waits for the first byte and returns the bytes received so far; empty at the end of the stream.
  package borrowing func receive(atMost limit: Int = 65_536) throws(Errno) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = try Errno.check {
      unsafe bytes.withUnsafeMutableBytes { unsafe recv(descriptor.number, $0.baseAddress!, limit, 0) }
    }
    bytes.removeLast(limit - count)
    return bytes
  }

  /// Returns whether the server has closed the connection, and everything that it sent was received.
  package borrowing func isClosed() -> Bool {
    var byte: UInt8 = 0
    return unsafe recv(descriptor.number, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 0
  }

  /// Closes the sending side of the connection. Receiving is still possible.
  package borrowing func endWriting() {
    _ = shutdown(descriptor.number, Int32(SHUT_WR))
  }
}
