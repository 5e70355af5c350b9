public import FoundationEssentials

/// UUID keys, written in lower case and read in either case (RFC 9562 §4).
extension UUID: PathKey {
  /// The UUID in lower case.
  public var keyText: String {
    var bytes: [UInt8] = []
    _write(keyTextInto: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Creates a UUID from its text in upper or lower case; nil for any other text.
  public static func key(from text: String) -> UUID? { UUID(_keyText: text.utf8Span.span) }

  public static var _couldBeIndex: Bool { false }

  @inlinable
  public static func _areSame(_ a: UUID, _ b: UUID) -> Bool {
    a.halves == b.halves
  }

  @inlinable
  public func _hashBytes(into hasher: inout Hasher) {
    let (high, low) = halves
    hasher.combine(high)
    hasher.combine(low)
  }

  public init?(_keyText: Span<UInt8>) {
    let text = _keyText
    guard text.count == 36, text[8] == dash, text[13] == dash, text[18] == dash, text[23] == dash else { return nil }
    var (high, low): (UInt64, UInt64) = (0, 0)
    // Valid digits are less than 16, so one check of the combined bits at the end detects any invalid digit.
    var combined: UInt8 = 0
    for i in 0..<18 where i != 8 && i != 13 {
      let digit = hexValue(text[i])
      combined |= digit
      high = high << 4 | UInt64(digit & 15)
    }
    for i in 19..<36 where i != 23 {
      let digit = hexValue(text[i])
      combined |= digit
      low = low << 4 | UInt64(digit & 15)
    }
    guard combined < 16 else { return nil }
    self.init(high: high, low: low)
  }

  public func _write(keyTextInto bytes: inout [UInt8]) {
    var position = bytes.count
    bytes += nilText
    var text = bytes.mutableSpan
    let (high, low) = halves
    for i in 0..<UInt64(32) {
      if i == 8 || i == 12 || i == 16 || i == 20 { position += 1 }
      let digit = UInt8(truncatingIfNeeded: (i < 16 ? high : low) >> (60 - 4 * (i % 16)) & 15)
      // Branch-free, because digits are random and a branch would be mispredicted: adding 6 to a digit of 10 or more
      // carries into bit 4.
      text[position] = digit &+ UInt8(ascii: "0") &+ ((digit &+ 6) >> 4) &* (UInt8(ascii: "a") &- UInt8(ascii: ":"))
      position += 1
    }
  }

  /// The sixteen bytes as two big-endian words.
  @inlinable var halves: (high: UInt64, low: UInt64) {
    let b = uuid
    return (word(b.0, b.1, b.2, b.3, b.4, b.5, b.6, b.7), word(b.8, b.9, b.10, b.11, b.12, b.13, b.14, b.15))
  }

  private init(high: UInt64, low: UInt64) {
    func byte(_ word: UInt64, _ i: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: word >> (56 - 8 * i)) }
    self.init(
      uuid: (
        byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3),
        byte(high, 4), byte(high, 5), byte(high, 6), byte(high, 7),
        byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3),
        byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
      ))
  }
}

/// Returns eight bytes as a big-endian word.
@inlinable
func word(
  _ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8, _ e: UInt8, _ f: UInt8, _ g: UInt8, _ h: UInt8
) -> UInt64 {
  let high = UInt64(a) << 56 | UInt64(b) << 48 | UInt64(c) << 40 | UInt64(d) << 32
  let low = UInt64(e) << 24 | UInt64(f) << 16 | UInt64(g) << 8 | UInt64(h)
  return high | low
}

private let dash = UInt8(ascii: "-")

/// The text of the nil UUID (RFC 9562 §5.9), used as a template with the dashes in place.
private let nilText = Array("00000000-0000-0000-0000-000000000000".utf8)

/// Returns the value of a hexadecimal digit; 255 for any other byte.
private func hexValue(_ byte: UInt8) -> UInt8 {
  let decimal = byte &- UInt8(ascii: "0")
  let letter = (byte | 0x20) &- UInt8(ascii: "a")
  return decimal < 10 ? decimal : letter < 6 ? letter + 10 : .max
}
