import BinderyText

/// String keys, compared by their UTF-8 bytes. Unlike `==`, composed and decomposed forms are different keys.
extension String: PathKey {
  public static func _areSame(_ a: String, _ b: String) -> Bool {
    let (a, b) = (a.utf8Span.span, b.utf8Span.span)
    // Fast path: copies of a long string share their storage.
    return a.isIdentical(to: b) || a.hasSameBytes(as: b)
  }

  public func _hashBytes(into hasher: inout Hasher) {
    let bytes = utf8Span.span
    var word: UInt64 = 0
    for i in bytes.indices {
      word = word << 8 | UInt64(bytes[i])
      if i & 7 == 7 { hasher.combine(word) }
    }
    hasher.combine(word)
    hasher.combine(bytes.count)
  }

  /// The string itself.
  public var keyText: String { self }

  /// Returns the text, because any string is a key.
  public static func key(from text: String) -> String? { text }

  public init?(_keyText: Span<UInt8>) {
    guard let text = try? UTF8Span(validating: _keyText) else { return nil }
    self.init(copying: text)
  }

  public func _write(keyTextInto bytes: inout [UInt8]) {
    bytes.append(contentsOf: utf8)
  }
}
