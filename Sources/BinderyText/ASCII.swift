extension UInt8 {
  /// Whether the byte is an ASCII digit.
  @inlinable
  package var isDigit: Bool { self &- 0x30 < 10 }

  /// Whether the byte is an ASCII letter.
  @inlinable
  package var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }

  /// Whether the byte is a space or a tab.
  @inlinable
  package var isBlank: Bool { self == 0x20 || self == 0x09 }

  /// The value of an ASCII hexadecimal digit; nil for any other byte.
  @inlinable
  package var hexadecimalValue: UInt8? {
    let (digit, letter) = (self &- 0x30, (self | 0x20) &- 0x61)
    return digit < 10 ? digit : letter < 6 ? letter + 10 : nil
  }

  /// Whether the byte is an unreserved character of a URL (RFC 3986 §2.3).
  package var isUnreserved: Bool { isLetter || isDigit || isOne(of: "-._~") }

  /// Whether the byte is a sub-delimiter of a URL (RFC 3986 §2.2).
  package var isSubDelimiter: Bool { isOne(of: "!$&'()*+,;=") }

  /// Returns whether the byte is one of some ASCII characters.
  package func isOne(of characters: String) -> Bool { characters.utf8.contains(self) }
}
