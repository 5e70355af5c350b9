import BinderyText

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

  /// Returns a range as text in lower case, with a question mark for each byte that is not ASCII. To be compared with
  /// keywords: comparing other texts can take long.
  ///
  /// - Complexity: O(length of the range).
  package func lowercaseASCII(_ range: Range<Int>) -> String {
    let bytes = range.map { index in
      let byte = self[index]
      return byte >= 0x80 ? UInt8(ascii: "?") : byte | (65...90 ~= byte ? 0x20 : 0)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns a range without the whitespace at its ends.
  func trimmed(_ range: Range<Int>) -> Range<Int> {
    var start = range.lowerBound
    var end = range.upperBound
    while start < end, self[start].isBlank { start += 1 }
    while start < end, self[end - 1].isBlank { end -= 1 }
    return start..<end
  }
}

extension UInt8 {
  static var lineFeed: UInt8 { 0x0A }
  static var carriageReturn: UInt8 { 0x0D }
  static var space: UInt8 { 0x20 }
  static var tab: UInt8 { 0x09 }
}

/// Returns an ASCII uppercase letter as lowercase, and any other byte unchanged.
@inline(__always)
func lowercase(_ byte: UInt8) -> UInt8 {
  byte &- 0x41 < 26 ? byte | 0x20 : byte
}

extension Span<UInt8> {
  /// Returns the first `length` bytes, at least one and at most eight, as a little-endian number.
  @inline(__always)
  func word(ofFirst length: Int) -> UInt64 {
    if count >= 8 { return word(at: 0) & UInt64.max >> UInt64(64 - 8 * length) }
    var word: UInt64 = 0
    for index in 0..<length { word |= UInt64(self[index]) << UInt64(8 * index) }
    return word
  }
}
