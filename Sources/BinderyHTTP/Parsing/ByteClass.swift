import BinderyText

/// A set of bytes that the HTTP or URI grammar defines. One lookup table holds the membership of all sets.
struct ByteClass {
  fileprivate let bit: UInt8

  /// `tchar` of RFC 9110 §5.6.2.
  static let token = ByteClass(bit: 1)
  /// `pchar` and `/` of RFC 3986 §3.3, except the percent sign, whose two digits are checked separately.
  static let path = ByteClass(bit: 2)
  /// The bytes of a query (RFC 3986 §3.4), except the percent sign.
  static let query = ByteClass(bit: 4)
  /// `field-vchar`, space and tab of RFC 9110 §5.5.
  static let fieldValue = ByteClass(bit: 8)
  /// The bytes of a registered name (RFC 3986 §3.2.2), except the percent sign and the comma.
  ///
  /// With the comma, two Host fields that a proxy has joined into one would be accepted as one host.
  static let host = ByteClass(bit: 16)
  /// `HEXDIG`, upper or lower case.
  static let hexDigit = ByteClass(bit: 32)

  @inline(__always)
  func contains(_ byte: UInt8) -> Bool { classes[Int(byte)] & bit != 0 }
}

/// The classes of each byte, one bit per class.
private let classes: [256 of UInt8] = [
  0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
  0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
  0x08, 0x1f, 0x08, 0x09, 0x1f, 0x09, 0x1f, 0x1f, 0x1e, 0x1e, 0x1f, 0x1f, 0x0e, 0x1f, 0x1f, 0x0e,
  0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x0e, 0x1e, 0x08, 0x1e, 0x08, 0x0c,
  0x0e, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x1f, 0x1f, 0x1f, 0x1f, 0x1f, 0x1f, 0x1f, 0x1f, 0x1f,
  0x1f, 0x1f, 0x1f, 0x1f, 0x1f, 0x1f, 0x1f, 0x1f, 0x1f, 0x1f, 0x1f, 0x08, 0x08, 0x08, 0x09, 0x1f,
  0x09, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x1f, 0x1f, 0x1f, 0x1f, 0x1f, 0x1f, 0x1f, 0x1f, 0x1f,
  0x1f, 0x1f, 0x1f, 0x1f, 0x1f, 0x1f, 0x1f, 0x1f, 0x1f, 0x1f, 0x1f, 0x08, 0x09, 0x08, 0x1f, 0x00,
  0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08,
  0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08,
  0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08,
  0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08,
  0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08,
  0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08,
  0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08,
  0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08,
]

extension Span<UInt8> {
  /// Returns the first index at or after `start` whose byte cannot be part of a field value, or `count`.
  ///
  /// - Complexity: O(length of the run). Eight bytes are tested at a time, because field values are most of a request.
  @inline(__always)
  func endOfFieldValue(from start: Int) -> Int {
    // Reading from zero in the rest lets the compiler remove the bounds checks.
    var rest = extracting(Swift.min(start, count)...)
    while rest.count >= 8 {
      let word = rest.word(at: 0)
      // The highest bit of each byte: set for bytes less than 0x20, and for 0x7F. A borrow can set it for bytes above
      // such a byte too, but the lowest bit that is set is exact.
      let controls = (word &- 0x2020_2020_2020_2020) & ~word
      let inverse = word ^ 0x7F7F_7F7F_7F7F_7F7F
      let deletes = (inverse &- 0x0101_0101_0101_0101) & ~inverse
      let found = (controls | deletes) & 0x8080_8080_8080_8080
      if found == 0 {
        rest = rest.extracting(droppingFirst: 8)
        continue
      }
      rest = rest.extracting(droppingFirst: found.trailingZeroBitCount / 8)
      guard rest[0] == .tab else { return count &- rest.count }
      rest = rest.extracting(droppingFirst: 1)
    }
    return end(of: .fieldValue, from: count &- rest.count)
  }

  /// Returns an index up to which all bytes from `start` on are letters or hyphens. It is the first index of another
  /// byte, or less than eight bytes before the end.
  ///
  /// - Complexity: O(length of the run). Eight bytes are tested at a time, because nearly all names pass here.
  @inline(__always)
  func endOfLettersAndHyphens(from start: Int) -> Int {
    var rest = extracting(Swift.min(start, count)...)
    while rest.count >= 8 {
      let word = rest.word(at: 0)
      // Adding 0x80 - n to seven bits sets the highest bit of a byte if they are at least n, without a carry.
      let low = word & 0x7F7F_7F7F_7F7F_7F7F
      let lowercase = low | 0x2020_2020_2020_2020
      let letters = (lowercase &+ 0x1F1F_1F1F_1F1F_1F1F) & ~(lowercase &+ 0x0505_0505_0505_0505)
      let others = (low ^ 0x2D2D_2D2D_2D2D_2D2D) &+ 0x7F7F_7F7F_7F7F_7F7F
      let found = (word | ~letters & others) & 0x8080_8080_8080_8080
      if found != 0 { return count &- rest.count &+ found.trailingZeroBitCount / 8 }
      rest = rest.extracting(droppingFirst: 8)
    }
    return count &- rest.count
  }

  /// Returns the first index at or after `start` whose byte is not in a class, or `count`.
  ///
  /// - Complexity: O(length of the run). Four bytes are tested at a time, because most bytes of a request pass here.
  @inline(__always)
  func end(of byteClass: ByteClass, from start: Int) -> Int {
    // Indexing from zero into the tail span lets the compiler remove the bounds checks.
    var tail = extracting(Swift.min(start, count)...)
    while tail.count >= 4 {
      let common =
        classes[Int(tail[0])] & classes[Int(tail[1])] & classes[Int(tail[2])] & classes[Int(tail[3])]
      if common & byteClass.bit == 0 { break }
      tail = tail.extracting(droppingFirst: 4)
    }
    var index = count &- tail.count
    while index < count, byteClass.contains(self[index]) { index &+= 1 }
    return index
  }
}
