import CBinderyLinux

/// An address that a server listens on.
package enum SocketAddress: Hashable, Sendable, CustomStringConvertible {
  /// An IPv4 or IPv6 address in text form, and a port. Port 0 lets the kernel choose a port.
  case internet(host: String, port: UInt16)
  /// The path of a Unix socket.
  case unix(path: String)

  /// Parses `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`, `:8080` (all addresses) or `unix:/path`.
  package init?(_ text: String) {
    if text.hasPrefix("unix:") {
      let path = String(text.dropFirst(5))
      // The maximum is 108 bytes including the terminating zero (unix(7)).
      guard !path.isEmpty, path.utf8.count < 108 else { return nil }
      self = .unix(path: path)
      return
    }
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else { return nil }
    var host = String(text[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = String(host.dropFirst().dropLast())
    } else if host.contains(":") {
      return nil
    }
    if host.isEmpty { host = "::" }
    if host == "localhost" { host = "127.0.0.1" }
    self = .internet(host: host, port: port)
    guard unsafe withSocketAddress({ _, _ in true }) == true else { return nil }
  }

  package var description: String {
    switch self {
    case .internet(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .unix(let path): "unix:\(path)"
    }
  }

  /// Whether the address is reachable only from this machine.
  package var isLoopback: Bool {
    switch self {
    case .unix: true
    case .internet(let host, _): host.hasPrefix("127.") || host == "::1"
    }
  }

  /// Returns whether no two sockets can listen on both addresses at the same time.
  package func overlaps(_ other: SocketAddress) -> Bool {
    guard case (.internet(let host, let port), .internet(let otherHost, let otherPort)) = (self, other) else {
      return self == other
    }
    // Each socket with port 0 gets another port.
    guard port == otherPort, port != 0 else { return false }
    // `::` includes IPv4.
    let hasEvery = host == "::" || otherHost == "::"
    let hasEveryIPv4 = family == other.family && (host == "0.0.0.0" || otherHost == "0.0.0.0")
    return host == otherHost || hasEvery || hasEveryIPv4
  }

  /// Returns the same address with another port.
  package func with(port: UInt16) -> SocketAddress {
    switch self {
    case .internet(let host, _): .internet(host: host, port: port)
    case .unix: self
    }
  }

  /// The IPv4 equivalent of `::`, for kernels without IPv6; nil for any other address.
  var withoutIPv6: SocketAddress? {
    guard case .internet("::", let port) = self else { return nil }
    return .internet(host: "0.0.0.0", port: port)
  }

  var family: Int32 {
    switch self {
    case .internet(let host, _): host.contains(":") ? AF_INET6 : AF_INET
    case .unix: AF_UNIX
    }
  }

  /// Converts the kernel's form of an IP address; nil for other address families.
  init?(_ storage: sockaddr_storage) {
    let family = Int32(storage.ss_family)
    guard family == AF_INET || family == AF_INET6 else { return nil }
    // The port has the same offset in sockaddr_in and sockaddr_in6, the address does not.
    let start = family == AF_INET ? 4 : 8
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let port = unsafe withUnsafeBytes(of: storage) { bytes in
      _ = unsafe inet_ntop(family, bytes.baseAddress! + start, &text, socklen_t(text.count))
      return unsafe bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self).bigEndian
    }
    let host = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    self = .internet(host: host, port: port)
  }

  /// Performs a system call with the kernel's form of the address.
  ///
  /// - Parameter call: bind(2) or connect(2).
  /// - Throws: The error of the call; `.invalidArgument` if the host is not an IP address.
  func pass(to call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) throws(Errno) {
    let result = unsafe withSocketAddress { pointer, length in
      unsafe call(pointer, length) == 0 ? nil : Errno.current
    }
    guard let failure = result else { throw .invalidArgument }
    if let failure { throw failure }
  }

  /// Calls a closure with the kernel's form of the address; returns nil if the host is not an IP address.
  private func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result? {
    switch self {
    case .internet(let host, let port) where family == AF_INET:
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      guard unsafe inet_pton(AF_INET, host, &address.sin_addr) == 1 else { return nil }
      return unsafe withPointer(to: address, body)
    case .internet(let host, let port):
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      guard unsafe inet_pton(AF_INET6, host, &address.sin6_addr) == 1 else { return nil }
      return unsafe withPointer(to: address, body)
    case .unix(let path):
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      unsafe withUnsafeMutableBytes(of: &address.sun_path) { pathBytes in
        for (index, byte) in path.utf8.enumerated() where index < pathBytes.count - 1 {
          unsafe pathBytes[index] = byte
        }
      }
      return unsafe withPointer(to: address, body)
    }
  }

  private func withPointer<T, Result>(
    to address: T, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    unsafe withUnsafeBytes(of: address) {
      unsafe body($0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    }
  }
}
