extension JSONWriter {
  /// Writes a string, escaping only what RFC 8259 §7 requires.
  package mutating func string(_ value: String) {
    guard !value.utf8.span.needsEscapes else { return string(utf8: value.utf8.span) }
    separate()
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: value.utf8)
    bytes.append(UInt8(ascii: "\""))
  }

  /// Writes a string given as valid UTF-8, escaping only what RFC 8259 §7 requires.
  package mutating func string(utf8: Span<UInt8>) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    if utf8.needsEscapes {
      appendEscaped(utf8)
    } else {
      bytes.append(copying: utf8)
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Writes one string of several parts that are already escaped.
  package mutating func string(escaped parts: [[UInt8]]) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    for part in parts { bytes.append(contentsOf: part) }
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
}

extension Span<UInt8> {
  /// Indicates whether any byte must be escaped.
  fileprivate var needsEscapes: Bool {
    for index in indices where self[index].needsEscape { return true }
    return false
  }
}

extension UInt8 {
  /// Indicates whether the byte must be escaped in a string: a control, a quote or a backslash (RFC 8259 §7).
  fileprivate var needsEscape: Bool {
    // Flipping bit 1 maps the quote, 0x22, to 0x20 and permutes the controls, so one comparison covers them all.
    self ^ 0x02 <= 0x20 || self == UInt8(ascii: "\\")
  }
}
