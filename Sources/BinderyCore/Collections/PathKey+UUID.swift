import BinderyText
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

  public static var _textIsAlwaysUsable: Bool { true }

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
    guard let a = HexadecimalDigits.number(text.word(at: 0, 4)), let b = HexadecimalDigits.number(text.word(at: 9, 14)),
      let c = HexadecimalDigits.number(text.word(at: 19, 24)), let d = HexadecimalDigits.number(text.word(at: 28, 32))
    else { return nil }
    self.init(high: UInt64(a) << 32 | UInt64(b), low: UInt64(c) << 32 | UInt64(d))
  }

  public func _write(keyTextInto bytes: inout [UInt8]) {
    bytes.append(addingCapacity: Self.textLength) { $0.append(textOf: self) }
  }

  /// The length of a UUID's text in bytes.
  static var textLength: Int { 36 }

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

extension OutputSpan<UInt8> {
  /// Appends the text of a UUID in lower case.
  mutating func append(textOf id: UUID) {
    let (high, low) = id.halves
    let second = HexadecimalDigits.text(of: UInt32(truncatingIfNeeded: high))
    let third = HexadecimalDigits.text(of: UInt32(truncatingIfNeeded: low >> 32))
    let start = count
    append(repeating: dash, count: UUID.textLength)
    var text = mutableSpan
    text.store(HexadecimalDigits.text(of: UInt32(truncatingIfNeeded: high >> 32)), at: start)
    text.store(UInt32(truncatingIfNeeded: second), at: start + 9)
    text.store(UInt32(truncatingIfNeeded: second >> 32), at: start + 14)
    text.store(UInt32(truncatingIfNeeded: third), at: start + 19)
    text.store(UInt32(truncatingIfNeeded: third >> 32), at: start + 24)
    text.store(HexadecimalDigits.text(of: UInt32(truncatingIfNeeded: low)), at: start + 28)
  }
}

extension Span<UInt8> {
  /// Returns twice four bytes as one little-endian word.
  @inline(__always)
  fileprivate func word(at first: Int, _ second: Int) -> UInt64 {
    BinderyCore.word(
      self[second + 3], self[second + 2], self[second + 1], self[second], self[first + 3], self[first + 2],
      self[first + 1], self[first])
  }
}
