import BinderyText

extension JSONNode {
  /// The decoded string, without quotes and escapes; nil if the value is not a string.
  package var string: String? {
    let entry = entry
    switch entry.kind {
    case .string: return String(decoding: document.bytes[entry.content], as: UTF8.self)
    case .escapedString: return String(decoding: unescaped(entry), as: UTF8.self)
    default: return nil
    }
  }

  /// Calls a closure with the UTF-8 bytes of the decoded string.
  ///
  /// Only a string with escapes is copied.
  /// - Returns: The closure's result; nil, without calling the closure, if the value is not a string.
  package func withUTF8<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R? {
    let entry = entry
    switch entry.kind {
    case .string:
      let bytes = document.bytes
      return try body(bytes.span.extracting(entry.content))
    case .escapedString: return try body(unescaped(entry).span)
    default: return nil
    }
  }

  /// Returns whether the value is a string of exactly these Unicode scalars.
  ///
  /// Unlike `String ==`, precomposed and decomposed forms of `é` are different.
  package func isString(_ text: String) -> Bool { isString(text.utf8.span) }

  /// Returns whether the value is a string whose decoded UTF-8 equals the bytes.
  package func isString(_ bytes: [UInt8]) -> Bool { isString(bytes.span) }

  /// Returns whether the value is a string whose decoded UTF-8 equals the bytes.
  package func isString(_ bytes: Span<UInt8>) -> Bool {
    let entry = entry
    switch entry.kind {
    case .string:
      let text = document.bytes
      return text.span.extracting(entry.content).hasSameBytes(as: bytes)
    case .escapedString: return unescaped(entry).span.hasSameBytes(as: bytes)
    default: return false
    }
  }

  /// Returns the decoded bytes of a string. The parser has already validated the escapes.
  private func unescaped(_ entry: TapeEntry) -> [UInt8] {
    let bytes = document.bytes
    let end = entry.content.upperBound
    var index = entry.content.lowerBound
    var result: [UInt8] = []
    result.reserveCapacity(entry.content.count)
    while index < end {
      guard bytes[index] == UInt8(ascii: "\\") else {
        result.append(bytes[index])
        index += 1
        continue
      }
      let escape = bytes[index + 1]
      index += 2
      switch escape {
      case UInt8(ascii: "b"): result.append(0x08)
      case UInt8(ascii: "f"): result.append(0x0C)
      case UInt8(ascii: "n"): result.append(0x0A)
      case UInt8(ascii: "r"): result.append(0x0D)
      case UInt8(ascii: "t"): result.append(0x09)
      case UInt8(ascii: "u"):
        var scalar = codeUnit(at: index)
        index += 4
        if 0xD800...0xDBFF ~= scalar {
          scalar = 0x1_0000 + (scalar - 0xD800) << 10 + (codeUnit(at: index + 2) - 0xDC00)
          index += 6
        }
        if let scalar = Unicode.Scalar(scalar) { result.append(contentsOf: scalar.utf8) }
      default: result.append(escape)
      }
    }
    return result
  }

  /// Returns the UTF-16 code unit of the four hexadecimal digits at an index.
  private func codeUnit(at index: Int) -> UInt32 {
    document.bytes[index..<index + 4].reduce(0) { $0 << 4 | UInt32($1.hexadecimalValue ?? 0) }
  }
}

extension TapeEntry {
  /// The range of a string's content, between the quotes.
  var content: Range<Int> { Int(start) + 1..<Int(end) - 1 }
}
