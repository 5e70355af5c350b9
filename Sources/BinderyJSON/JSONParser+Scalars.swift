import BinderyText

extension JSONParser {
  /// Validates a number (RFC 8259 §6). The value is computed on access.
  mutating func readNumber(_ bytes: Span<UInt8>) throws(JSONSyntaxError) {
    if bytes[offset] == UInt8(ascii: "-") { offset += 1 }
    if offset < bytes.count, bytes[offset] == UInt8(ascii: "0") {
      offset += 1
    } else {
      try readDigits(bytes)
    }
    if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
      offset += 1
      try readDigits(bytes)
    }
    if offset < bytes.count, bytes[offset] | 0x20 == UInt8(ascii: "e") {
      offset += 1
      if offset < bytes.count, bytes[offset] == UInt8(ascii: "+") || bytes[offset] == UInt8(ascii: "-") {
        offset += 1
      }
      try readDigits(bytes)
    }
    // Another digit is only possible after a leading zero, which RFC 8259 §6 forbids.
    if offset < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[offset]) {
      throw error(.invalidNumber)
    }
  }

  private mutating func readDigits(_ bytes: Span<UInt8>) throws(JSONSyntaxError) {
    let start = offset
    while offset < bytes.count, bytes[offset] &- UInt8(ascii: "0") <= 9 { offset &+= 1 }
    guard offset > start else { throw error(offset == bytes.count ? .unexpectedEnd : .invalidNumber) }
  }

  /// Validates a string (RFC 8259 §7), including UTF-8 and escapes, so that decoding it later cannot fail.
  ///
  /// - Returns: `string`, or `escapedString` if it has escapes.
  @inline(__always)
  mutating func readString(_ bytes: Span<UInt8>) throws(JSONSyntaxError) -> TapeEntry.Kind {
    let start = offset &+ 1
    offset = bytes.endOfPlainText(from: start)
    guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") else {
      return try readUnusualString(bytes)
    }
    offset &+= 1
    return .string
  }

  /// Validates the rest of a string, from its first byte that is not plain.
  private mutating func readUnusualString(_ bytes: Span<UInt8>) throws(JSONSyntaxError) -> TapeEntry.Kind {
    var kind = TapeEntry.Kind.string
    while true {
      switch try byte(bytes) {
      case UInt8(ascii: "\""):
        offset += 1
        return kind
      case UInt8(ascii: "\\"):
        kind = .escapedString
        try readEscape(bytes)
      case 0x00..<0x20:
        throw error(.controlCharacter)
      default:
        try readMultibyteScalar(bytes)
      }
      offset = bytes.endOfPlainText(from: offset)
    }
  }

  private mutating func readEscape(_ bytes: Span<UInt8>) throws(JSONSyntaxError) {
    let start = offset
    offset += 1
    switch try byte(bytes) {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      offset += 1
    case UInt8(ascii: "u"):
      offset += 1
      let unit = try readHexadecimal(bytes)
      guard 0xD800...0xDFFF ~= unit else { return }
      // RFC 8259 §8.2 leaves unpaired surrogates undefined. They have no UTF-8 encoding, so they are rejected.
      guard unit < 0xDC00, offset + 1 < bytes.count, bytes[offset] == UInt8(ascii: "\\"),
        bytes[offset + 1] == UInt8(ascii: "u")
      else { throw JSONSyntaxError(offset: start, reason: .loneSurrogate) }
      offset += 2
      guard 0xDC00...0xDFFF ~= (try readHexadecimal(bytes)) else {
        throw JSONSyntaxError(offset: start, reason: .loneSurrogate)
      }
    default:
      throw error(.invalidEscape)
    }
  }

  private mutating func readHexadecimal(_ bytes: Span<UInt8>) throws(JSONSyntaxError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = try byte(bytes).hexadecimalValue else { throw error(.invalidEscape) }
      value = value << 4 | UInt32(digit)
      offset += 1
    }
    return value
  }

  /// Validates one scalar of two to four bytes (Unicode Standard, table 3-7: well-formed UTF-8 byte sequences).
  private mutating func readMultibyteScalar(_ bytes: Span<UInt8>) throws(JSONSyntaxError) {
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch bytes[offset] {
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: length = 3
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: length = 4
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: throw error(.invalidUTF8)
    }
    guard bytes.count - offset >= length, second.contains(bytes[offset + 1]) else { throw error(.invalidUTF8) }
    for index in offset + 2..<offset + length where bytes[index] & 0xC0 != 0x80 { throw error(.invalidUTF8) }
    offset += length
  }
}

extension Span<UInt8> {
  /// Returns the offset of the first byte, from an offset on, that is not plain in a string; see
  /// ``UInt8/isPlainInString``.
  @inline(__always)
  fileprivate func endOfPlainText(from start: Int) -> Int {
    var offset = start
    while count &- offset >= 8 {
      let found = word(at: offset).unplainBytes
      if found != 0 { return offset &+ found.trailingZeroBitCount / 8 }
      offset &+= 8
    }
    while offset < count, self[offset].isPlainInString { offset &+= 1 }
    return offset
  }
}

extension UInt64 {
  /// The most significant bit of each byte that is not plain in a string. Only the least significant of them is exact:
  /// a borrow can reach bytes after it.
  fileprivate var unplainBytes: UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    // As in ``UInt8/isPlainInString``, one comparison covers the quote and the controls.
    let controls = (self ^ ones &* 0x02) &- ones &* 0x21
    let backslash = (self ^ ones &* UInt64(UInt8(ascii: "\\"))) &- ones
    return (controls | backslash | self) & (ones &* 0x80)
  }
}

extension UInt8 {
  /// Whether the byte may appear literally in a string: ASCII except controls, quote and backslash.
  var isPlainInString: Bool {
    // Flipping bit 1 maps the quote, 0x22, to 0x20 and permutes the controls. As signed numbers, bytes of multibyte
    // characters are negative, so one comparison covers all of them.
    Int8(bitPattern: self ^ 0x02) > 0x20 && self != UInt8(ascii: "\\")
  }
}
