import BinderyText

/// Integer keys in canonical decimal notation: `-0`, `+1` and `01` are ill-formed.
extension Int: PathKey {
  /// The canonical decimal notation.
  public var keyText: String { String(self) }

  /// Creates an integer from its canonical decimal notation; nil for any other text.
  public static func key(from text: String) -> Int? { Int(_keyText: text.utf8Span.span) }

  public static var _textIsAlwaysUsable: Bool { true }

  public static func _areSame(_ a: Int, _ b: Int) -> Bool { a == b }

  public func _hashBytes(into hasher: inout Hasher) { hasher.combine(self) }

  public init?(_keyText: Span<UInt8>) { self.init(decimal: _keyText) }

  public func _write(keyTextInto bytes: inout [UInt8]) {
    if self < 0 { bytes.append(UInt8(ascii: "-")) }
    bytes.append(decimal: UInt64(magnitude))
  }
}

extension FixedWidthInteger where Self: SignedInteger {
  fileprivate init?(decimal text: Span<UInt8>) {
    let isNegative = text.count > 0 && text[0] == UInt8(ascii: "-")
    let first = isNegative ? 1 : 0
    guard text.count > first else { return nil }
    if text[first] == UInt8(ascii: "0"), text.count > 1 { return nil }
    // Accumulate negative values, because `min` has no positive counterpart.
    var value: Self = 0
    for i in first..<text.count {
      guard case UInt8(ascii: "0")...UInt8(ascii: "9") = text[i] else { return nil }
      let digit = Self(truncatingIfNeeded: text[i] &- UInt8(ascii: "0"))
      let (tens, overflowed) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflowedToo) = tens.subtractingReportingOverflow(digit)
      guard !overflowed, !overflowedToo else { return nil }
      value = sum
    }
    guard isNegative || value != .min else { return nil }
    self = isNegative ? value : -value
  }
}
