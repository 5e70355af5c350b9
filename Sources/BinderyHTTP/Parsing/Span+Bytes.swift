extension Span<UInt8> {
  /// Whether the bytes of a range are a text in lower case, letters of either case taken for the same.
  ///
  /// - Complexity: O(length of the text).
  package func matches(_ range: Range<Int>, ignoringCase lowercaseText: String) -> Bool {
    let text = lowercaseText.utf8.span
    guard text.count == range.count else { return false }
    let bytes = extracting(range)
    // Without a way out in the middle, many bytes are compared at a time.
    var difference: UInt8 = 0
    for index in text.indices { difference |= lowercase(bytes[index]) ^ text[index] }
    return difference == 0
  }

  /// The bytes of a range as text, ill-formed UTF-8 replaced: for messages and tests, not for the way of a request.
  ///
  /// - Complexity: O(length of the range).
  package func text(_ range: Range<Int>) -> String {
    String(decoding: range.map { self[$0] }, as: UTF8.self)
  }
}

/// An ASCII capital as its small letter, any other byte as it is.
@inline(__always)
func lowercase(_ byte: UInt8) -> UInt8 {
  byte &- 0x41 < 26 ? byte | 0x20 : byte
}
