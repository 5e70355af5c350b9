import CBinderyLinux

/// Where a server listens.
package enum SocketAddress: Hashable, Sendable, CustomStringConvertible {
  /// An IPv4 or IPv6 address in its usual spelling, and a port; port 0 lets the kernel choose.
  case internet(host: String, port: UInt16)
  /// The path of a Unix socket.
  case unix(path: String)

  /// Reads `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`, `:8080` (all addresses) or `unix:/path`.
  package init?(_ text: String) {
    if text.hasPrefix("unix:") {
      let path = String(text.dropFirst(5))
      // 108 bytes with the final zero (unix(7)).
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

  /// Whether only this machine can reach it.
  package var isLoopback: Bool {
    switch self {
    case .unix: true
    case .internet(let host, _): host.hasPrefix("127.") || host == "::1"
    }
  }

  /// The same address with another port.
  package func with(port: UInt16) -> SocketAddress {
    switch self {
    case .internet(let host, _): .internet(host: host, port: port)
    case .unix: self
    }
  }

  /// What means the same as `::` to a kernel without IPv6; nil for any other address.
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

  /// Reads the kernel's form of an internet address; nil for any other.
  init?(_ storage: sockaddr_storage) {
    let family = Int32(storage.ss_family)
    guard family == AF_INET || family == AF_INET6 else { return nil }
    // The port stands at the same place in sockaddr_in and sockaddr_in6, the address does not.
    let start = family == AF_INET ? 4 : 8
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let port = unsafe withUnsafeBytes(of: storage) { bytes in
      _ = unsafe inet_ntop(family, bytes.baseAddress! + start, &text, socklen_t(text.count))
      return unsafe bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self).bigEndian
    }
    let host = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    self = .internet(host: host, port: port)
  }

  /// Lends the kernel's form of the address; nil if the host is not spelled like an address.
  func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result? {
    switch self {
    case .internet(let host, let port) where family == AF_INET:
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      guard unsafe inet_pton(AF_INET, host, &address.sin_addr) == 1 else { return nil }
      return unsafe lend(address, body)
    case .internet(let host, let port):
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      guard unsafe inet_pton(AF_INET6, host, &address.sin6_addr) == 1 else { return nil }
      return unsafe lend(address, body)
    case .unix(let path):
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      unsafe withUnsafeMutableBytes(of: &address.sun_path) { room in
        for (index, byte) in path.utf8.enumerated() where index < room.count - 1 { unsafe room[index] = byte }
      }
      return unsafe lend(address, body)
    }
  }

  private func lend<T, Result>(_ address: T, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    unsafe withUnsafeBytes(of: address) {
      unsafe body($0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    }
  }
}
