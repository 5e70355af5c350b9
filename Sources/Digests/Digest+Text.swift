extension Digest {
  /// The length, in bytes, of a digest's text.
  public static let textLength = 22

  /// The digest as 22 characters of base64url without padding (RFC 4648 §5), the highest bits first.
  public var text: String {
    var bytes: [UInt8] = []
    write(into: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Adds the 22 bytes of the digest's text at the end of a buffer.
  public func write(into bytes: inout [UInt8]) {
    let value = UInt128(high) << 64 | UInt128(low)
    bytes.append(addingCapacity: Self.textLength) { output in
      var shift = 122
      while shift >= 0 {
        output.append(Self.character(UInt8(truncatingIfNeeded: value >> shift) & 0x3F))
        shift -= 6
      }
      // Two bits are left; RFC 4648 §3.5 fills the character up with zeros.
      output.append(Self.character(UInt8(truncatingIfNeeded: value & 0x3) << 4))
    }
  }

  /// Reads a digest from its text; nil unless it is exactly what `write(into:)` writes.
  public init?(text: Span<UInt8>) {
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

  /// The character for six bits.
  private static func character(_ bits: UInt8) -> UInt8 {
    switch bits {
    case 0..<26: UInt8(ascii: "A") + bits
    case 26..<52: UInt8(ascii: "a") + bits - 26
    case 52..<62: UInt8(ascii: "0") + bits - 52
    case 62: UInt8(ascii: "-")
    default: UInt8(ascii: "_")
    }
  }

  /// The six bits that a character stands for.
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

extension Digest: CustomStringConvertible {
  public var description: String { text }
}
