/// Base64 with padding (RFC 4648 §4), as HTML and Content-Security-Policy use it.
package enum Base64 {
  package static func encoded(_ bytes: [UInt8]) -> String {
    let text = Base64URL.encoded(bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
    return String(text) + String(repeating: "=", count: (3 - bytes.count % 3) % 3)
  }
}

/// Base64url without padding (RFC 4648 §5), as digests, cursors and cookies use it.
package enum Base64URL {
  /// The length of the text of 128 bits in bytes.
  package static let length128 = 22

  package static func encoded(_ bytes: [UInt8]) -> String { String(decoding: ascii(bytes), as: UTF8.self) }

  package static func ascii(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count * 4 + 2) / 3)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let count = min(3, bytes.count - start)
      var group: UInt64 = 0
      for offset in 0..<3 { group = group << 8 | (offset < count ? UInt64(bytes[start + offset]) : 0) }
      for place in 0...count { text.append(character(group >> UInt64(18 - 6 * place))) }
    }
    return text
  }

  /// Returns the decoded bytes, or nil if the text is not spelled exactly as ``encoded(_:)`` spells it.
  ///
  /// Only one spelling is accepted, so that a cookie or a cursor cannot be altered in its unused bits.
  package static func decoded(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer: UInt32 = 0
    var bits = 0
    for character in text.utf8 {
      guard let value = Self.bits(character) else { return nil }
      buffer = buffer << 6 | UInt32(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
      }
    }
    return encoded(bytes) == text ? bytes : nil
  }

  /// Overwrites 22 bytes of a buffer with the text of 128 bits.
  ///
  /// - Parameters:
  ///   - bytes: the buffer.
  ///   - start: the index of the first byte to overwrite.
  package static func write(high: UInt64, low: UInt64, over bytes: inout MutableSpan<UInt8>, at start: Int) {
    precondition(start >= 0 && start <= bytes.count - length128)
    for index in 0..<10 { bytes[start &+ index] = character(high >> (58 - 6 * UInt64(index))) }
    bytes[start &+ 10] = character(high << 2 | low >> 62)
    for index in 0..<10 { bytes[start &+ 11 &+ index] = character(low >> (56 - 6 * UInt64(index))) }
    // Two bits remain; the unused bits of the last character are zero (RFC 4648 §3.5).
    bytes[start &+ 21] = character(low << 4)
  }

  /// Returns the 128 bits that 22 bytes of text encode; nil unless the text is exactly what ``write`` writes.
  package static func bits128(_ text: Span<UInt8>) -> UInt128? {
    guard text.count == length128 else { return nil }
    var value: UInt128 = 0
    for index in 0..<length128 - 1 {
      guard let bits = Self.bits(text[index]) else { return nil }
      value = value << 6 | UInt128(bits)
    }
    guard let last = Self.bits(text[length128 - 1]), last & 0xF == 0 else { return nil }
    return value << 2 | UInt128(last >> 4)
  }

  /// Returns the character for the six least significant bits.
  ///
  /// Uses a table, because digests are random and branches on their bits would be mispredicted.
  @inline(__always)
  private static func character(_ bits: UInt64) -> UInt8 { alphabet[Int(truncatingIfNeeded: bits & 0x3F)] }

  /// Returns the six bits that a character encodes; nil if it is not in the alphabet.
  private static func bits(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }
}

/// The base64url alphabet (RFC 4648 §5).
private let alphabet: [64 of UInt8] = [
  0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4A, 0x4B, 0x4C, 0x4D, 0x4E, 0x4F, 0x50,
  0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5A, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66,
  0x67, 0x68, 0x69, 0x6A, 0x6B, 0x6C, 0x6D, 0x6E, 0x6F, 0x70, 0x71, 0x72, 0x73, 0x74, 0x75, 0x76,
  0x77, 0x78, 0x79, 0x7A, 0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x2D, 0x5F,
]
