extension JSONWriter {
  /// Writes a string, escaping only what RFC 8259 §7 requires.
  package mutating func string(_ value: String) {
    let utf8 = value.utf8.span
    if utf8.count <= Self.shortString || utf8.needsEscapes { return string(utf8: utf8) }
    separate()
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: value.utf8)
    bytes.append(UInt8(ascii: "\""))
  }

  /// The length in bytes up to which a loop copies a string faster than `Array.append(contentsOf:)`.
  private static var shortString: Int { 32 }

  /// Writes a string given as valid UTF-8, escaping only what RFC 8259 §7 requires.
  package mutating func string(utf8: Span<UInt8>) {
    guard utf8.needsEscapes else {
      return string(plainLength: utf8.count) { output in
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
}

extension Span<UInt8> {
  /// Indicates whether any byte must be escaped.
  fileprivate var needsEscapes: Bool {
    // No early exit, so that the compiler can vectorize the loop.
    var found = false
    for index in indices where self[index].needsEscape { found = true }
    return found
  }
}

extension UInt8 {
  /// Indicates whether the byte must be escaped in a string: a control, a quote or a backslash (RFC 8259 §7).
  fileprivate var needsEscape: Bool {
    // Flipping bit 1 maps the quote, 0x22, to 0x20 and permutes the controls, so one comparison covers them all.
    self ^ 0x02 <= 0x20 || self == UInt8(ascii: "\\")
  }
}

extension JSONWriter {
  /// Returns a string in canonical JSON, with its quotes.
  @usableFromInline
  package static func quoted(_ text: String) -> [UInt8] {
    var writer = JSONWriter()
    writer.string(text)
    return writer.bytes
  }
}
