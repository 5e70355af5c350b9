import BinderyText

extension Digest {
  /// The length of a digest's text in bytes.
  package static let textLength = Base64URL.length128

  /// The digest as 22 characters of base64url without padding (RFC 4648 §5), most significant bits first.
  package var text: String {
    var bytes: [UInt8] = []
    write(into: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the 22 bytes of the digest's text to an array.
  package func write(into bytes: inout [UInt8]) {
    bytes.append(addingCapacity: Self.textLength) { write(into: &$0) }
  }

  /// Appends the 22 bytes of the digest's text to an output span, which must have sufficient free capacity.
  package func write(into output: inout OutputSpan<UInt8>) {
    let start = output.count
    output.append(repeating: 0, count: Self.textLength)
    var bytes = output.mutableSpan
    write(over: &bytes, at: start)
  }

  /// Overwrites 22 bytes of a buffer with the digest's text.
  ///
  /// - Parameters:
  ///   - bytes: the buffer.
  ///   - start: the index of the first byte to overwrite.
  package func write(over bytes: inout MutableSpan<UInt8>, at start: Int) {
    Base64URL.write(high: high, low: low, over: &bytes, at: start)
  }

  /// Creates a digest from its text; nil unless the text is exactly what `write(into:)` writes.
  package init?(text: Span<UInt8>) {
    guard let value = Base64URL.bits128(text) else { return nil }
    self.init(high: UInt64(truncatingIfNeeded: value >> 64), low: UInt64(truncatingIfNeeded: value))
  }
}

extension Digest: CustomStringConvertible {
  @usableFromInline package var description: String { text }
}
