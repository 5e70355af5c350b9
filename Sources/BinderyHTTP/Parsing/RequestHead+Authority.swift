extension RequestHead {
  /// Returns whether a range is a nonempty host with an optional port (RFC 9110 §4.2.1, §7.2; RFC 3986 §3.2.2).
  ///
  /// - Complexity: O(length of the range).
  func isAuthority(_ range: Range<Int>, in bytes: borrowing Span<UInt8>) -> Bool {
    let end = range.upperBound
    var index = range.lowerBound
    guard index < end else { return false }
    if bytes[index] == UInt8(ascii: "[") {
      let start = index + 1
      while index < end, bytes[index] != UInt8(ascii: "]") { index += 1 }
      guard index < end, IPLiteral.isValid(start..<index, in: bytes) else { return false }
      index += 1
    } else {
      let host = bytes.extracting(0..<end)
      index = host.end(of: .host, from: index)
      while index < end, host[index] == UInt8(ascii: "%") {
        guard index + 2 < end, ByteClass.hexDigit.contains(host[index + 1]),
          ByteClass.hexDigit.contains(host[index + 2])
        else { return false }
        index = host.end(of: .host, from: index + 3)
      }
      guard index > range.lowerBound else { return false }
    }
    return index == end || bytes[index] == UInt8(ascii: ":") && isPort(index + 1..<end, in: bytes)
  }

  /// Returns whether a range is a port number. RFC 3986 §3.2.3 allows an empty port.
  private func isPort(_ range: Range<Int>, in bytes: borrowing Span<UInt8>) -> Bool {
    let digits = bytes.extracting(range)
    var port: UInt32 = 0
    for index in digits.indices {
      let digit = digits[index] &- UInt8(ascii: "0")
      port = port &* 10 &+ UInt32(digit)
      guard digit < 10, port <= 65_535 else { return false }
    }
    return true
  }
}
