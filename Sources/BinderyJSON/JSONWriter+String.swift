import BinderyText

extension JSONWriter {
  /// Writes a string, escaping only what RFC 8259 §7 requires.
  package mutating func string(_ value: String) {
    string(utf8: value.utf8.span)
  }

  /// The length in bytes above which one copy is faster than a loop.
  private static var shortestCopied: Int { 12 }

  /// Writes a string given as valid UTF-8, escaping only what RFC 8259 §7 requires.
  package mutating func string(utf8: Span<UInt8>) {
    guard utf8.needsEscapes else {
      return string(plainLength: utf8.count) { output in
        if utf8.count > Self.shortestCopied { return output.append(copying: utf8) }
        for index in utf8.indices { output.append(utf8[index]) }
      }
    }
    separate()
    bytes.append(UInt8(ascii: "\""))
    appendEscaped(utf8)
    bytes.append(UInt8(ascii: "\""))
  }

  /// Writes a string whose bytes a closure appends. None of them needs escaping.
  ///
  /// - Parameter length: The number of bytes that the closure appends at most.
  @inlinable @inline(__always)
  package mutating func string(plainLength length: Int, _ write: (inout OutputSpan<UInt8>) -> Void) {
    separate()
    bytes.append(addingCapacity: length + 2) { output in
      output.append(UInt8(ascii: "\""))
      write(&output)
      output.append(UInt8(ascii: "\""))
    }
  }

  /// Writes a string that is already escaped.
  package mutating func string(escaped text: [UInt8]) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: text)
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func appendEscaped(_ utf8: Span<UInt8>) {
    for index in utf8.indices {
      let byte = utf8[index]
      if byte.needsEscape { bytes.append(UInt8(ascii: "\\")) }
      switch byte {
      case 0x08: bytes.append(UInt8(ascii: "b"))
      case 0x09: bytes.append(UInt8(ascii: "t"))
      case 0x0A: bytes.append(UInt8(ascii: "n"))
      case 0x0C: bytes.append(UInt8(ascii: "f"))
      case 0x0D: bytes.append(UInt8(ascii: "r"))
      case 0x00..<0x20:
        bytes.append(contentsOf: "u00".utf8)
        bytes.append(UInt8(ascii: "0") + byte >> 4)
        bytes.append(byte & 0xF < 10 ? UInt8(ascii: "0") + byte & 0xF : UInt8(ascii: "a") + byte & 0xF - 10)
      default: bytes.append(byte)
      }
    }
  }

  /// Returns a string in canonical JSON, with its quotes.
  @usableFromInline
  package static func quoted(_ text: String) -> [UInt8] {
    var writer = JSONWriter()
    writer.string(text)
    return writer.bytes
  }
}

extension Span<UInt8> {
  /// Whether any byte must be escaped.
  fileprivate var needsEscapes: Bool {
    var index = 0
    while count &- index >= 8 {
      if word(at: index).needsEscapes { return true }
      index &+= 8
    }
    while index < count {
      if self[index].needsEscape { return true }
      index &+= 1
    }
    return false
  }
}

extension UInt64 {
  /// Whether any of the eight bytes must be escaped; see ``UInt8/needsEscape``.
  fileprivate var needsEscapes: Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    // The lower seven bits of each byte, so that no sum carries into the next one. Its most significant bit is then set
    // if the byte is above 0x20, or is not zero. Bytes of multibyte characters have it set already.
    let low = self & (ones &* 0x7F)
    let aboveControls = (low ^ ones &* 0x02) &+ ones &* 0x5F
    let notBackslash = (low ^ ones &* UInt64(UInt8(ascii: "\\"))) &+ ones &* 0x7F
    return (aboveControls & notBackslash | self) & (ones &* 0x80) != ones &* 0x80
  }
}

extension UInt8 {
  /// Whether the byte must be escaped in a string: a control, a quote or a backslash (RFC 8259 §7).
  fileprivate var needsEscape: Bool {
    // Flipping bit 1 maps the quote, 0x22, to 0x20 and permutes the controls, so one comparison covers them all.
    self ^ 0x02 <= 0x20 || self == UInt8(ascii: "\\")
  }
}
