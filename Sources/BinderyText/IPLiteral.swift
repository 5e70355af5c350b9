/// Validation of IP addresses in a host (RFC 3986 §3.2.2).
package enum IPLiteral {
  /// Returns whether a host without port is an IPv4 address, or an IPv6 address in brackets.
  ///
  /// - Complexity: O(length of the host).
  package static func isAddress(_ host: Range<Int>, in bytes: borrowing Span<UInt8>) -> Bool {
    guard host.count > 2, bytes[host.lowerBound] == UInt8(ascii: "[") else { return isIPv4(host, bytes) }
    return bytes[host.upperBound - 1] == UInt8(ascii: "]")
      && isIPv6(host.lowerBound + 1..<host.upperBound - 1, bytes)
  }

  /// Returns whether a range is an IPv6 address or an `IPvFuture` literal.
  ///
  /// - Complexity: O(length of the range).
  package static func isValid(_ range: Range<Int>, in bytes: borrowing Span<UInt8>) -> Bool {
    guard let first = range.first else { return false }
    return bytes[first].isOne(of: "vV") ? isFuture(range, bytes) : isIPv6(range, bytes)
  }

  /// Returns whether a range is `v`, hexadecimal digits, a period, and bytes of a registered name or colons.
  private static func isFuture(_ range: Range<Int>, _ bytes: borrowing Span<UInt8>) -> Bool {
    let end = range.upperBound
    let start = range.lowerBound + 1
    var index = start
    while index < end, bytes[index].hexadecimalValue != nil { index += 1 }
    guard index > start, index < end, bytes[index] == UInt8(ascii: ".") else { return false }
    return index + 1 < end
      && (index + 1..<end).allSatisfy { bytes[$0].isUnreserved || bytes[$0].isSubDelimiter || bytes[$0].isOne(of: ":") }
  }

  /// Returns whether a range is eight groups of one to four digits. One `::` may replace one or more groups, and the
  /// last two groups may be written as an IPv4 address.
  private static func isIPv6(_ range: Range<Int>, _ bytes: borrowing Span<UInt8>) -> Bool {
    let end = range.upperBound
    var index = range.lowerBound
    var groups = 0
    var hasGap = false
    if index + 1 < end, bytes[index] == UInt8(ascii: ":"), bytes[index + 1] == UInt8(ascii: ":") {
      hasGap = true
      index += 2
    }
    while index < end {
      let start = index
      while index < end, bytes[index].hexadecimalValue != nil { index += 1 }
      if index < end, bytes[index] == UInt8(ascii: ".") {
        return isIPv4(start..<end, bytes) && (hasGap ? groups <= 5 : groups == 6)
      }
      guard (1...4).contains(index - start) else { return false }
      groups += 1
      if index == end { break }
      guard bytes[index] == UInt8(ascii: ":") else { return false }
      index += 1
      guard index < end else { return false }
      if bytes[index] == UInt8(ascii: ":") {
        if hasGap { return false }
        hasGap = true
        index += 1
      }
    }
    return hasGap ? groups <= 7 : groups == 8
  }

  /// Returns whether a range is four numbers up to 255 without leading zeros.
  private static func isIPv4(_ range: Range<Int>, _ bytes: borrowing Span<UInt8>) -> Bool {
    var index = range.lowerBound
    for number in 1...4 {
      let start = index
      var value = 0
      while index < range.upperBound, bytes[index].isDigit, index - start < 3 {
        value = value * 10 + Int(bytes[index] - UInt8(ascii: "0"))
        index += 1
      }
      guard index > start, value <= 255, index - start == 1 || bytes[start] != UInt8(ascii: "0") else { return false }
      if number == 4 { break }
      guard index < range.upperBound, bytes[index] == UInt8(ascii: ".") else { return false }
      index += 1
    }
    return index == range.upperBound
  }
}
