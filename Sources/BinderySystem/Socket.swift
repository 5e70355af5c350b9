import CBinderyLinux

/// A nonblocking connected stream socket.
///
/// It does not own its descriptor: the connection table that contains it closes it exactly once.
package struct Socket: Hashable, Sendable {
  let number: Int32

  /// The result of a nonblocking read or write.
  package enum Transfer: Sendable, Equatable {
    case bytes(Int)
    /// The peer has closed its sending side.
    case end
    /// No bytes can be transferred now.
    case blocked
  }

  init(number: Int32) { self.number = number }

  /// Begins to connect to a server. The socket accepts bytes when the connection is established.
  ///
  /// - Throws: The error of socket(2) or connect(2); `.invalidArgument` if the host is not an IP address.
  package init(connectingTo address: SocketAddress) throws(Errno) {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let number = try Errno.check { socket(address.family, type, 0) }
    self.number = number
    do throws(Errno) { try unsafe address.pass { unsafe connect(number, $0, $1) } } catch {
      if error == .inProgress { return }
      close()
      throw error
    }
  }

  /// Reads into an array, starting at an index.
  package func read(into bytes: inout [UInt8], from start: Int) throws(Errno) -> Transfer {
    let capacity = bytes.count - start
    precondition(start >= 0 && capacity > 0)
    do throws(Errno) {
      let count = try Errno.check {
        unsafe bytes.withUnsafeMutableBytes { unsafe bindery_recv(number, $0.baseAddress! + start, capacity) }
      }
      return count == 0 ? .end : .bytes(count)
    } catch .again {
      return .blocked
    }
  }

  /// Writes the bytes from an index on, as many as the kernel accepts.
  package func write(_ bytes: borrowing Span<UInt8>, from start: Int) throws(Errno) -> Transfer {
    precondition(start >= 0 && start < bytes.count)
    let count = bytes.count - start
    do throws(Errno) {
      // MSG_NOSIGNAL: a disconnected peer causes an error of this call instead of a SIGPIPE.
      let sent = try Errno.check {
        unsafe bytes.withUnsafeBytes {
          unsafe bindery_send(number, $0.baseAddress! + start, count)
        }
      }
      return .bytes(sent)
    } catch .again {
      return .blocked
    }
  }

  /// The number of written bytes that the peer has not received yet (SIOCOUTQ); nil if it is unknown.
  package var unreceivedBytes: Int? {
    let count = bindery_send_queue(number)
    return count < 0 ? nil : Int(count)
  }

  /// Closes the sending side. The peer reads an end of stream after the bytes already written.
  package func endWriting() {
    _ = shutdown(number, Int32(SHUT_WR))
  }

  /// Closes the socket. The kernel may reuse its descriptor number immediately.
  package func close() {
    _ = CBinderyLinux.close(number)
  }

  /// Limits the bytes that wait in the kernel to be sent, so that a stream does not fill up with values that are old
  /// when they are received.
  ///
  /// For TCP, these are the bytes beyond what the peer accepts (TCP_NOTSENT_LOWAT). A limit of the whole send buffer
  /// (SO_SNDBUF) would also limit those in flight, and thereby the speed: on loopback, one segment of 64 KiB would have
  /// to wait for the delayed acknowledgement of the one before. Unix sockets have only this limit, which the kernel
  /// doubles to allow for its own overhead.
  package func limitUnsentBytes(_ bytes: Int) {
    let count = Int32(clamping: bytes)
    if !setOption(Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, count) { setOption(SOL_SOCKET, SO_SNDBUF, count) }
  }

  /// Lets ``close()`` discard the bytes that the peer has not received, and reset the connection (SO_LINGER).
  package func discardUnreceivedBytes() {
    var option = linger(l_onoff: 1, l_linger: 0)
    _ = unsafe setsockopt(number, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  /// Sends small writes without delay (TCP_NODELAY). It has no effect on Unix sockets.
  package func setNoDelay() {
    setOption(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
  }

  /// The address of the peer as text; empty for a Unix socket, and if the peer has already disconnected.
  package var peerAddress: String {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = unsafe withUnsafeMutablePointer(to: &storage) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getpeername(number, $0, &length) }
    }
    guard result == 0 else { return "" }
    return SocketAddress(storage)?.description ?? ""
  }

  /// Sets a socket option. Errors need no attention: the connection works without the option.
  ///
  /// - Returns: Whether the option applies to the socket.
  @discardableResult
  private func setOption(_ level: Int32, _ name: Int32, _ value: Int32) -> Bool {
    var value = value
    return unsafe setsockopt(number, level, name, &value, socklen_t(MemoryLayout<Int32>.size)) == 0
  }
}
