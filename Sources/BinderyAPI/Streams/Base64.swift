/// Base64 with padding (RFC 4648 §4), as HTML and Content-Security-Policy use it.
enum Base64 {
  static func encoded(_ bytes: [UInt8]) -> String {
    let text = Base64URL.encoded(bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
    return String(text) + String(repeating: "=", count: (3 - bytes.count % 3) % 3)
  }
}

/// Base64url without padding (RFC 4648 §5), as cursors and cookies use it.
enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  static func encoded(_ bytes: [UInt8]) -> String { String(decoding: ascii(bytes), as: UTF8.self) }

  static func ascii(_ bytes: [UInt8]) -> [UInt8] {
    // One access to the lazily initialized static instead of one for each character.
    let alphabet = alphabet
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count * 4 + 2) / 3)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let count = min(3, bytes.count - start)
      var group: UInt32 = 0
      for offset in 0..<3 { group = group << 8 | (offset < count ? UInt32(bytes[start + offset]) : 0) }
      for place in 0...count { text.append(alphabet[Int(group >> UInt32(18 - 6 * place) & 63)]) }
    }
    return text
  }

  /// Returns the decoded bytes, or nil if the text is not spelled exactly as ``encoded(_:)`` spells it.
  ///
  /// Only one spelling is accepted, so that a cookie or a cursor cannot be altered in its unused bits.
  static func decoded(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer: UInt32 = 0
    var bits = 0
    for character in text.utf8 {
      guard let value = alphabet.firstIndex(of: character) else { return nil }
      buffer = buffer << 6 | UInt32(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
      }
    }
    return encoded(bytes) == text ? bytes : nil
  }
}
