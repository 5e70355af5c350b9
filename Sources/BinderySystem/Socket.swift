import CBinderyLinux

/// A connected stream socket that does not block: a name only, which its one owner closes.
package struct Socket: Hashable, Sendable {
  let number: Int32

  /// What a call that does not block has come to.
  package enum Transfer: Sendable, Equatable {
    case bytes(Int)
    /// The peer has ended its side.
    case end
    /// Nothing can be moved now.
    case blocked
  }

  /// Reads into an array, at and behind an index.
  package func read(into bytes: inout [UInt8], from start: Int) throws(Errno) -> Transfer {
    let room = bytes.count - start
    precondition(start >= 0 && room > 0)
    do throws(Errno) {
      let count = try Errno.check {
        unsafe bytes.withUnsafeMutableBytes { unsafe bindery_recv(number, $0.baseAddress! + start, room) }
      }
      return count == 0 ? .end : .bytes(count)
    } catch .again {
      return .blocked
    }
  }

  /// Writes bytes at and behind an index, as many as the kernel takes.
  package func write(_ bytes: borrowing Span<UInt8>, from start: Int) throws(Errno) -> Transfer {
    precondition(start >= 0 && start < bytes.count)
    let count = bytes.count - start
    do throws(Errno) {
      // Without a signal: a peer that has gone is an error of this call, not of the process.
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

  /// Ends this side: the peer reads an end after what was written.
  package func endWriting() {
    _ = shutdown(number, Int32(SHUT_WR))
  }

  /// Closes the socket; its number may name another one at once.
  package func close() {
    _ = CBinderyLinux.close(number)
  }

  /// Caps the bytes that the kernel holds for a peer that does not read. The kernel doubles the number for its own use.
  package func limitSendBuffer(bytes: Int) {
    setOption(SOL_SOCKET, SO_SNDBUF, Int32(clamping: bytes))
  }

  /// Has the connection end when its peer takes nothing that was sent for so long (TCP_USER_TIMEOUT): who has vanished
  /// from the network says nothing, and the kernel's own patience is a quarter of an hour. Without effect on Unix
  /// sockets.
  package func giveUp(afterMilliseconds milliseconds: Int) {
    setOption(Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, Int32(clamping: milliseconds))
  }

  /// Sends each write at once, however small (TCP_NODELAY); without effect on Unix sockets.
  package func sendAtOnce() {
    setOption(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
  }

  /// Who is at the other end, as text; empty for a Unix socket, and where the peer has gone already.
  package var peer: String {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = unsafe withUnsafeMutablePointer(to: &storage) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getpeername(number, $0, &length) }
    }
    guard result == 0 else { return "" }
    return SocketAddress(storage)?.description ?? ""
  }

  /// An option that cannot be set is a loss of speed or of a cap, not of the connection.
  private func setOption(_ level: Int32, _ name: Int32, _ value: Int32) {
    var value = value
    _ = unsafe setsockopt(number, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
  }
}
