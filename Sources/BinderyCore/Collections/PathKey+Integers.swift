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

  public init?(_keyText: Span<UInt8>) {
    guard let text = String(_keyText: _keyText), let number = Int(text), number.keyText == text else { return nil }
    self = number
  }

  public func _write(keyTextInto bytes: inout [UInt8]) {
    if self < 0 { bytes.append(UInt8(ascii: "-")) }
    bytes.append(decimal: UInt64(magnitude))
  }
}
