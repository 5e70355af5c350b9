extension Digest {
  /// The length of a digest's text in bytes.
  package static let textLength = 22

  /// The digest as 22 characters of base64url without padding (RFC 4648 §5), most significant bits first.
  package var text: String {
    var bytes: [UInt8] = []
    write(into: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the 22 bytes of the digest's text to an array.
  package func write(into bytes: inout [UInt8]) {
    bytes.append(addingCapacity: Self.textLength) { write(into: &$0) }
  }

  /// Appends the 22 bytes of the digest's text to an output span, which must have sufficient free capacity.
  package func write(into output: inout OutputSpan<UInt8>) {
    let start = output.count
    output.append(repeating: 0, count: Self.textLength)
    var bytes = output.mutableSpan
    write(over: &bytes, at: start)
  }

  /// Overwrites 22 bytes of a buffer with the digest's text.
  ///
  /// - Parameters:
  ///   - bytes: the buffer.
  ///   - start: the index of the first byte to overwrite.
  package func write(over bytes: inout MutableSpan<UInt8>, at start: Int) {
    precondition(start >= 0 && start <= bytes.count - Self.textLength)
    for index in 0..<10 { bytes[start &+ index] = Self.character(high >> (58 - 6 * UInt64(index))) }
    bytes[start &+ 10] = Self.character(high << 2 | low >> 62)
    for index in 0..<10 { bytes[start &+ 11 &+ index] = Self.character(low >> (56 - 6 * UInt64(index))) }
    // Two bits remain; the unused bits of the last character are zero (RFC 4648 §3.5).
    bytes[start &+ 21] = Self.character(low << 4)
  }

  /// Creates a digest from its text; nil unless the text is exactly what `write(into:)` writes.
  package init?(text: Span<UInt8>) {
    guard text.count == Self.textLength else { return nil }
    var value: UInt128 = 0
    for index in 0..<Self.textLength - 1 {
      guard let bits = Self.bits(text[index]) else { return nil }
      value = value << 6 | UInt128(bits)
    }
    guard let last = Self.bits(text[Self.textLength - 1]), last & 0xF == 0 else { return nil }
    value = value << 2 | UInt128(last >> 4)
    self.init(high: UInt64(truncatingIfNeeded: value >> 64), low: UInt64(truncatingIfNeeded: value))
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

extension Digest: CustomStringConvertible {
  @usableFromInline package var description: String { text }
}
