import BinderyHTTP

/// The names under which a server lets itself be called.
///
/// A page of another site can have its own name resolve to a loopback address, and is then of one origin with what
/// answers there. It cannot change the `Host` that its browser sends.
package struct HostNames: Sendable {
  private let names: [String]

  /// - Parameter names: without ports; an IPv6 address in brackets.
  package init(_ names: [String]) {
    self.names = Self.loopback + names.map { Self.withoutDot($0.lowercased()) }
  }

  /// What everybody may call this machine.
  private static let loopback = ["localhost", "127.0.0.1", "[::1]"]

  /// Whether a host, with a port or without, is one of the names.
  func contain(_ authority: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
    var end = authority.upperBound
    while end > authority.lowerBound, bytes[end - 1].isDigit { end -= 1 }
    // Digits alone are no port, and a colon within brackets begins none.
    if end > authority.lowerBound, bytes[end - 1] == UInt8(ascii: ":") { end -= 1 } else { end = authority.upperBound }
    // The root's dot may stand at the end of a name (RFC 1034 §3.1).
    if end > authority.lowerBound, bytes[end - 1] == UInt8(ascii: ".") { end -= 1 }
    return names.contains { bytes.matches(authority.lowerBound..<end, ignoringCase: $0) }
  }

  /// Whether a text is a host without a port.
  package static func isName(_ text: String) -> Bool {
    if text.hasPrefix("["), text.hasSuffix("]") {
      let address = text.utf8.dropFirst().dropLast()
      return address.count > 1 && address.allSatisfy { $0.isHexDigit || ":.".utf8.contains($0) }
    }
    return !withoutDot(text).isEmpty && text.utf8.count <= 253
      && text.utf8.allSatisfy { $0.isLetter || $0.isDigit || "-._".utf8.contains($0) }
  }

  private static func withoutDot(_ name: String) -> String { name.hasSuffix(".") ? String(name.dropLast()) : name }
}

extension UInt8 {
  var isDigit: Bool { self >= 0x30 && self <= 0x39 }
  fileprivate var isLetter: Bool { self | 0x20 >= 0x61 && self | 0x20 <= 0x7A }
  fileprivate var isHexDigit: Bool { isDigit || self | 0x20 >= 0x61 && self | 0x20 <= 0x66 }
}
