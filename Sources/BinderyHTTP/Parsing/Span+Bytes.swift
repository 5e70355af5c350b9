extension Span<UInt8> {
  /// Returns whether a range equals a lowercase ASCII text, ignoring case.
  ///
  /// - Complexity: O(length of the text).
  package func matches(_ range: Range<Int>, ignoringCase lowercaseText: String) -> Bool {
    let text = lowercaseText.utf8.span
    guard text.count == range.count else { return false }
    let bytes = extracting(range)
    // No early exit, so that the compiler can vectorize the loop.
    var difference: UInt8 = 0
    for index in text.indices { difference |= lowercase(bytes[index]) ^ text[index] }
    return difference == 0
  }

  /// Returns a range as text, with ill-formed UTF-8 repaired. It allocates: use it in messages and tests, not in the
  /// request path.
  ///
  /// - Complexity: O(length of the range).
  package func text(_ range: Range<Int>) -> String {
    String(decoding: range.map { self[$0] }, as: UTF8.self)
  }
}

/// Returns an ASCII uppercase letter as lowercase, and any other byte unchanged.
@inline(__always)
func lowercase(_ byte: UInt8) -> UInt8 {
  byte &- 0x41 < 26 ? byte | 0x20 : byte
}
