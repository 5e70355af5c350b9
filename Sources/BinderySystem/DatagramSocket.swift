import CBinderyLinux

/// A Unix datagram socket (unix(7)). A path that begins with `@` is in the abstract namespace: it is no file.
package struct DatagramSocket: ~Copyable, Sendable {
  private let descriptor: Descriptor

  /// Creates a socket that only sends.
  package init() throws(Errno) { descriptor = try Self.open() }

  /// Creates a socket that receives at a path.
  ///
  /// - Parameter timeoutSeconds: The timeout of each `receive`, which then throws `.again`.
  package init(receivingAt path: String, timeoutSeconds: Int = 60) throws(Errno) {
    let descriptor = try Self.open()
    let number = descriptor.number
    var time = timeval(tv_sec: timeoutSeconds, tv_usec: 0)
    _ = unsafe setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    _ = try Errno.check { unsafe Self.withAddress(of: path) { unsafe bind(number, $0, $1) } }
    self.descriptor = descriptor
  }

  private static func open() throws(Errno) -> Descriptor {
    let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
    return Descriptor(owning: try Errno.check { socket(AF_UNIX, type, 0) })
  }

  /// Sends one datagram. Does not wait until the receiver has space for it.
  ///
  /// - Throws: The error of sendto(2); `.invalidArgument` if the path is too long.
  package borrowing func send(_ text: String, to path: String) throws(Errno) {
    let (number, bytes) = (descriptor.number, Array(text.utf8))
    _ = try Errno.check {
      unsafe Self.withAddress(of: path) {
        unsafe sendto(number, bytes, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT), $0, $1)
      }
    }
  }

  /// Waits for a datagram and returns its text.
  package borrowing func receive() throws(Errno) -> String {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let number = descriptor.number
    let count = try Errno.check { unsafe recv(number, &bytes, bytes.count, 0) }
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  /// Performs a system call with the kernel's form of a path; fails with EINVAL if the path is too long.
  private static func withAddress<Result: SignedInteger>(
    of path: String, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(path.utf8)
    if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
      unsafe __errno_location().pointee = EINVAL
      return -1
    }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    // The name in the abstract namespace ends with the address, not with a zero.
    let length = socklen_t(MemoryLayout.size(ofValue: address.sun_family) + bytes.count)
    return unsafe withUnsafeBytes(of: address) {
      unsafe call($0.baseAddress!.assumingMemoryBound(to: sockaddr.self), length)
    }
  }
}
