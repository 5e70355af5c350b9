extension Span<UInt8> {
  /// Returns eight bytes as a little-endian number.
  @inlinable @inline(__always)
  package func word(at index: Int) -> UInt64 {
    let bytes = extracting(index..<index + 8)
    let low = UInt64(bytes[0]) | UInt64(bytes[1]) << 8 | UInt64(bytes[2]) << 16 | UInt64(bytes[3]) << 24
    let high = UInt64(bytes[4]) | UInt64(bytes[5]) << 8 | UInt64(bytes[6]) << 16 | UInt64(bytes[7]) << 24
    return low | high << 32
  }

  /// Returns whether another span has the same bytes.
  @inlinable
  package func hasSameBytes(as other: borrowing Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    // Eight bytes at a time; reading from zero in the rest lets the compiler remove the bounds checks.
    var rest = extracting(...)
    var otherRest = other.extracting(...)
    while rest.count >= 8, otherRest.count >= 8 {
      if rest.word(at: 0) != otherRest.word(at: 0) { return false }
      rest = rest.extracting(droppingFirst: 8)
      otherRest = otherRest.extracting(droppingFirst: 8)
    }
    for index in rest.indices where rest[index] != otherRest[index] { return false }
    return true
  }

  /// The first eight bytes as a number whose order is that of the bytes; missing ones are zero.
  package var beginningAsNumber: UInt64 {
    if count >= 8 { return word(at: 0).byteSwapped }
    var number: UInt64 = 0
    for index in 0..<8 { number = number << 8 | (index < count ? UInt64(self[index]) : 0) }
    return number
  }

  /// Returns whether the bytes are before others in lexicographical order.
  package func precedes(_ other: borrowing Span<UInt8>) -> Bool {
    let common = Swift.min(count, other.count)
    var index = 0
    while index + 8 <= common, word(at: index) == other.word(at: index) { index += 8 }
    while index < common {
      if self[index] != other[index] { return self[index] < other[index] }
      index += 1
    }
    return count < other.count
  }
}

extension MutableSpan<UInt8> {
  /// Overwrites bytes with those of a number, the least significant first.
  ///
  /// - Precondition: All of its bytes are in the span.
  @inlinable @inline(__always)
  package mutating func store<Number: FixedWidthInteger>(_ number: Number, at index: Int) {
    let count = Number.bitWidth / 8
    var bytes = _mutatingExtracting(index..<index + count)
    // With this count and order, the compiler combines the stores of hexadecimal digits, which are byte-swapped, into
    // one.
    let swapped = number.byteSwapped
    for offset in 0..<count {
      bytes[offset] = UInt8(truncatingIfNeeded: swapped >> Number(8 * (count - 1 - offset)))
    }
  }
}
