import BinderyText

/// The value of a `Range` field, for a file of a known size (RFC 9110 §14).
enum ByteRange: Equatable {
  /// The field is malformed, has another unit, or names several ranges: the complete file is sent, as the RFC permits.
  case ignored
  case bytes(Range<Int>)
  /// The file has no byte of the range: 416.
  case unsatisfiable

  /// Parses `bytes=FIRST-LAST`, `bytes=FIRST-` and `bytes=-COUNT`.
  init(_ field: [UInt8], size: Int) {
    let isASCII = field.allSatisfy { $0 < 0x80 }
    self = isASCII ? Self.parse(String(decoding: field, as: UTF8.self), size: size) ?? .ignored : .ignored
  }

  private static func parse(_ field: String, size: Int) -> ByteRange? {
    guard let equals = field.firstIndex(of: "="), field[..<equals].lowercased() == "bytes" else { return nil }
    let spec = field[field.index(after: equals)...]
    guard let dash = spec.firstIndex(of: "-") else { return nil }
    let (first, last) = (spec[..<dash], spec[spec.index(after: dash)...])
    guard !first.isEmpty else {
      guard let count = position(last) else { return nil }
      if count == 0 { return .unsatisfiable }
      // `Content-Range` cannot describe the last bytes of an empty file.
      return size == 0 ? nil : .bytes(max(0, size - count)..<size)
    }
    guard let start = position(first), let end = last.isEmpty ? Int.max : position(last), start <= end else {
      return nil
    }
    return start < size ? .bytes(start..<min(end, size - 1) + 1) : .unsatisfiable
  }

  /// Returns a decimal number, at most `Int.max`; nil if the text is not one.
  private static func position(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else { return nil }
    return Int(text) ?? .max
  }
}
