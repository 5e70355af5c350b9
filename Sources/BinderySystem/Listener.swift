import CBinderyLinux

/// A listening socket. It is closed when this object is destroyed.
package final class Listener: Sendable {
  let descriptor: Descriptor
  /// The address of the socket. If port 0 was requested, it contains the port that the kernel chose.
  package let address: SocketAddress

  /// The file of a Unix socket.
  private let file: SocketFile?

  /// Creates a listening socket. If the kernel has no IPv6, `::` is replaced by `0.0.0.0`.
  ///
  /// A Unix socket whose server was killed is replaced.
  ///
  /// - Parameters:
  ///   - address: The address to bind.
  ///   - backlog: The maximum number of connections that wait in the kernel to be accepted.
  /// - Throws: The error of the system call: `.addressInUse` if another program listens on the address;
  ///   `.invalidArgument` if the host is not an IP address.
  package convenience init(address: SocketAddress, backlog: Int = 4096) throws(Errno) {
    try self.init(address, sharesPort: false, backlog)
  }

  /// Creates another listening socket for the same port. The kernel distributes connections between them.
  ///
  /// - Throws: The error of the system call.
  package func sibling(backlog: Int = 4096) throws(Errno) -> Listener {
    // SO_REUSEPORT admits every later socket of this user that has the option, also that of another process. The first
    // socket of a server is therefore bound and listens before it gets the option: it fails if the port is in use.
    try Self.set(SO_REUSEPORT, on: descriptor.number)
    return try Listener(address, sharesPort: true, backlog)
  }

  private init(_ address: SocketAddress, sharesPort: Bool, _ backlog: Int) throws(Errno) {
    var address = address
    let descriptor = Descriptor(owning: try Self.open(&address))
    let number = descriptor.number
    switch address {
    case .internet:
      try Self.set(SO_REUSEADDR, on: number)
      if sharesPort { try Self.set(SO_REUSEPORT, on: number) }
      // A `::` listener accepts IPv4 too, so that `:8080` means every address.
      if address.family == AF_INET6 { try Self.set(IPV6_V6ONLY, Int32(IPPROTO_IPV6), to: 0, on: number) }
      try Self.limitUnreceivedBytes(of: number)
      try unsafe address.pass { unsafe bind(number, $0, $1) }
      _ = try Errno.check { listen(number, Int32(clamping: backlog)) }
      file = nil
    case .unix(let path):
      file = try SocketFile.create(path) { () throws(Errno) in
        try unsafe address.pass { unsafe bind(number, $0, $1) }
      } listening: { () throws(Errno) in
        _ = try Errno.check { listen(number, Int32(clamping: backlog)) }
      }
    }
    self.address = address.with(port: try Self.port(of: number))
    self.descriptor = descriptor
  }

  deinit { file?.remove() }

  /// Accepts the next connection; returns nil if none is waiting.
  package func accept() throws(Errno) -> Socket? {
    do throws(Errno) {
      let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
      let number = try Errno.check { bindery_accept4(descriptor.number, nil, nil, flags) }
      return Socket(number: number)
    } catch .again {
      return nil
    }
  }

  /// Opens a socket for an address. If the kernel does not support IPv6, changes `::` to the IPv4 equivalent.
  private static func open(_ address: inout SocketAddress) throws(Errno) -> Int32 {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    do throws(Errno) {
      return try Errno.check { socket(address.family, type, 0) }
    } catch {
      guard error == .unsupportedAddressFamily, let fallback = address.withoutIPv6 else { throw error }
      address = fallback
      return try Errno.check { socket(address.family, type, 0) }
    }
  }

  private static func port(of number: Int32) throws(Errno) -> UInt16 {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = unsafe withUnsafeMutablePointer(to: &storage) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(number, $0, &length) }
    }
    guard result == 0 else { throw .current }
    // The port has the same offset in sockaddr_in and sockaddr_in6.
    return unsafe withUnsafeBytes(of: storage) { unsafe $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self).bigEndian }
  }

  /// Limits what a peer that does not read occupies in the kernel, also after its connection was closed. The options
  /// apply to the connections that are accepted.
  private static func limitUnreceivedBytes(of number: Int32) throws(Errno) {
    // SO_SNDBUF would end the automatic size of the send buffer, which a fast connection over a distance needs.
    try set(TCP_NOTSENT_LOWAT, Int32(IPPROTO_TCP), to: 64 * 1024, on: number)
  }

  private static func set(
    _ option: Int32, _ level: Int32 = SOL_SOCKET, to value: Int32 = 1, on number: Int32
  ) throws(Errno) {
    var value = value
    _ = try Errno.check { unsafe setsockopt(number, level, option, &value, socklen_t(MemoryLayout<Int32>.size)) }
  }
}
