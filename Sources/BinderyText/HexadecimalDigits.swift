/// Conversion of eight hexadecimal digits at once: each byte of a word contains one digit, the lowest byte the first.
@usableFromInline
package enum HexadecimalDigits {
  /// Returns the lower-case digits of a number in ASCII.
  @inlinable
  package static func text(of number: UInt32) -> UInt64 {
    var digits = UInt64(number)
    digits = (digits | digits << 16) & 0x0000_FFFF_0000_FFFF
    digits = (digits | digits << 8) & 0x00FF_00FF_00FF_00FF
    digits = (digits | digits << 4) & 0x0F0F_0F0F_0F0F_0F0F
    return text(ofDigits: digits).byteSwapped
  }

  /// Returns the number that digits in ASCII denote, in upper or lower case; nil if a byte is not a digit.
  @inlinable
  package static func number(_ text: UInt64) -> UInt32? {
    // Letters have bit 6 set: “a” is 0x61 and “A” is 0x41.
    let letters = text & 0x4040_4040_4040_4040
    var digits = (text & 0x0F0F_0F0F_0F0F_0F0F) + (letters >> 6) * 9
    // A byte is a digit exactly if its value is less than 16 and is written as that byte in lower case.
    guard digits & 0xF0F0_F0F0_F0F0_F0F0 == 0, self.text(ofDigits: digits) == text | letters >> 1 else { return nil }
    digits = digits.byteSwapped
    digits = (digits | digits >> 4) & 0x00FF_00FF_00FF_00FF
    digits = (digits | digits >> 8) & 0x0000_FFFF_0000_FFFF
    return UInt32(truncatingIfNeeded: digits | digits >> 16)
  }

  /// Returns digits in ASCII; each byte of the argument is less than 16.
  ///
  /// Branch-free, because digits are random and a branch would be mispredicted: adding 6 to a digit of 10 or more
  /// carries into bit 4.
  @inlinable
  static func text(ofDigits digits: UInt64) -> UInt64 {
    let letters = (digits + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    return digits + 0x3030_3030_3030_3030 + letters * UInt64(UInt8(ascii: "a") - UInt8(ascii: ":"))
  }
}
