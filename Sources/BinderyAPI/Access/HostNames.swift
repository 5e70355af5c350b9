import BinderyHTTP
import BinderyText

/// The host names that a server accepts in requests, as a defense against DNS rebinding.
///
/// An attacker's page can make its own host name resolve to the address of this server. The browser then treats the
/// server as the page's own origin. The page cannot change the `Host` header, so checking it stops the attack. An IP
/// address is always accepted: it is not resolved, so no page of another site can have it as its origin.
package struct HostNames: Sendable {
  private let names: [String]

  /// Creates a list of host names. IP addresses and `localhost` are always included.
  ///
  /// - Parameter names: Host names without ports.
  package init(_ names: [String]) {
    self.names = ["localhost"] + names.map { Self.withoutTrailingDot($0.lowercased()) }
  }

  /// Returns whether a host is an IP address or one of the names. A port is ignored.
  func contains(_ authority: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
    var host = Self.host(of: authority, bytes)
    // A fully qualified name may end with a dot (RFC 1034 §3.1).
    if let last = host.last, bytes[last] == UInt8(ascii: ".") { host = host.lowerBound..<last }
    return names.contains { bytes.matches(host, ignoringCase: $0) } || IPLiteral.isAddress(host, in: bytes)
  }

  /// Returns the host without its port.
  static func host(of authority: Range<Int>, _ bytes: Span<UInt8>) -> Range<Int> {
    var end = authority.upperBound
    while end > authority.lowerBound, bytes[end - 1].isDigit { end -= 1 }
    // Digits are a port only after a colon. An IPv6 address without a port ends with “]”, so its colons do not count.
    guard end > authority.lowerBound, bytes[end - 1] == UInt8(ascii: ":") else { return authority }
    return authority.lowerBound..<end - 1
  }

  /// Returns whether a text is a valid host name or address without a port.
  package static func isName(_ text: String) -> Bool {
    if text.hasPrefix("[") {
      let bytes = Array(text.utf8)
      return IPLiteral.isAddress(bytes.indices, in: bytes.span)
    }
    return !withoutTrailingDot(text).isEmpty && text.utf8.count <= 253
      && text.utf8.allSatisfy { $0.isLetter || $0.isDigit || $0.isOne(of: "-._") }
  }

  private static func withoutTrailingDot(_ name: String) -> String {
    name.hasSuffix(".") ? String(name.dropLast()) : name
  }
}
