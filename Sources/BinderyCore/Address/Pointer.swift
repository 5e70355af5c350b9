import BinderyJSON
import BinderyText

/// Conversion between the text and the segments of JSON Pointers (RFC 6901 §3).
@usableFromInline
package enum Pointer {
  /// The maximum length of an id in a URL, percent-encoded. The rest of the request line is left to the other segments.
  static var maximumSegmentBytes: Int { 2_048 }

  /// Returns whether a text can be a segment of a URL that a client can request: its length is that of the URL, in
  /// which `~` is `~0`, `/` is `~1`, and any other byte that is not unreserved is percent-encoded.
  @usableFromInline
  static func isUsableSegment(_ bytes: [UInt8]) -> Bool {
    let isDots = bytes.count <= 2 && bytes.allSatisfy { $0 == UInt8(ascii: ".") }
    guard !isDots, bytes.count <= maximumSegmentBytes else { return false }
    var count = 0
    for byte in bytes {
      if byte == 0 { return false }
      count += byte.isOne(of: "~/") ? 2 : byte.isUnreserved ? 1 : 3
    }
    return count <= maximumSegmentBytes && !String(decoding: bytes, as: UTF8.self).hasTooManyMarks
  }

  /// Returns whether a text can be the name of a member or a case.
  package static func isMemberName(_ name: String) -> Bool { !name.isEmpty && isUsableSegment(Array(name.utf8)) }

  /// Returns the pointer that consists of the given unescaped segments.
  package static func text(_ segments: some Sequence<String>) -> String {
    var text = ""
    for segment in segments {
      text += "/"
      text += escaped(segment)
    }
    return text
  }

  /// Returns a segment with `~` written as `~0` and `/` as `~1`.
  package static func escaped(_ segment: String) -> String {
    guard segment.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else { return segment }
    var text = ""
    for scalar in segment.unicodeScalars {
      switch scalar {
      case "~": text += "~0"
      case "/": text += "~1"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// Returns a segment with its leading slash, escaped for a pointer inside a JSON string.
  @usableFromInline
  static func json(_ segment: String) -> [UInt8] {
    Array(JSONWriter.quoted("/" + escaped(segment)).dropFirst().dropLast())
  }

  /// Returns whether bytes need escaping in a pointer or in a JSON string.
  @usableFromInline
  static func needsEscaping(_ bytes: Span<UInt8>) -> Bool {
    // No early exit, so that the compiler can vectorize the loop.
    var found = false
    for index in bytes.indices {
      let byte = bytes[index]
      // Flipping bit 1 maps the quote, 0x22, to 0x20 and permutes the controls, so one comparison covers them all.
      let isEscapedInJSON = (byte ^ 0x02 <= 0x20) != (byte == UInt8(ascii: "\\"))
      let isEscapedInPointer = (byte == UInt8(ascii: "/")) != (byte == UInt8(ascii: "~"))
      if isEscapedInJSON != isEscapedInPointer { found = true }
    }
    return found
  }

  /// Returns the unescaped segments of a pointer; nil if it does not begin with a slash or contains an invalid escape.
  package static func segments(of text: String) -> [String]? { segments(of: text, atMost: .max) }

  /// Returns the first segments of a pointer, at most `maximum`.
  package static func segments(of text: String, atMost maximum: Int) -> [String]? {
    guard !text.isEmpty else { return [] }
    guard text.utf8.first == UInt8(ascii: "/") else { return nil }
    var segments: [String] = []
    let parts = text.utf8.dropFirst().split(
      separator: UInt8(ascii: "/"), maxSplits: maximum, omittingEmptySubsequences: false)
    for raw in parts.prefix(maximum) {
      guard let segment = unescaped(raw) else { return nil }
      segments.append(segment)
    }
    return segments
  }

  /// Returns a segment with `~0` and `~1` decoded; nil if a tilde is followed by anything else or the bytes are not
  /// UTF-8.
  ///
  /// In a URL, decode percent-encoding first. Call this only once per segment: `~01` means `~1`.
  package static func unescaped(_ raw: some Collection<UInt8>) -> String? {
    guard raw.contains(UInt8(ascii: "~")) else { return String(validating: raw, as: UTF8.self) }
    var bytes: [UInt8] = []
    var iterator = raw.makeIterator()
    while let byte = iterator.next() {
      guard byte == UInt8(ascii: "~") else {
        bytes.append(byte)
        continue
      }
      switch iterator.next() {
      case UInt8(ascii: "0"): bytes.append(UInt8(ascii: "~"))
      case UInt8(ascii: "1"): bytes.append(UInt8(ascii: "/"))
      default: return nil
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

extension PathKey {
  /// Appends the pointer segment of the element with this key, in the form of ``Pointer/json(_:)``.
  @inlinable
  func append(segmentTo pointer: inout [UInt8]) {
    pointer.append(UInt8(ascii: "/"))
    let start = pointer.count
    _write(keyTextInto: &pointer)
    guard Pointer.needsEscaping(pointer.span.extracting(start...)) else { return }
    pointer.replaceSubrange(start..., with: Pointer.json(keyText).dropFirst())
  }

  /// Returns whether the text of a key can be a segment of a URL, and stands for the key.
  @inlinable
  static func hasUsableText(_ key: Self) -> Bool {
    if _textIsAlwaysUsable { return true }
    var bytes: [UInt8] = []
    key._write(keyTextInto: &bytes)
    guard Pointer.isUsableSegment(bytes) else { return false }
    return Self.self == String.self || Self.key(from: key.keyText).map { _areSame($0, key) } ?? false
  }
}
