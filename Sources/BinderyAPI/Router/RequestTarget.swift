import BinderyCore

/// A request's path and query, taken apart: percent-decoded once, and checked.
package struct RequestTarget: Sendable {
  /// The segments of the path, decoded and unescaped.
  package let segments: [String]
  package let query: Query

  /// - Throws: `malformed-path` for a bad escape, bad UTF-8, NUL, `.` and `..`; `unknown-path` for an empty segment.
  package init(path: ArraySlice<UInt8>, query: ArraySlice<UInt8>?) throws(Problem) {
    self.query = try Query(query ?? [])
    var segments: [String] = []
    for raw in path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      segments.append(try Self.segment(raw))
    }
    if segments.count > Self.maximumSegments {
      throw Problem(.unknownPath, "A path has at most \(Self.maximumSegments) segments.")
    }
    // `/` alone is the root page; anywhere else an empty segment names nothing.
    if segments.count > 1, segments.contains("") { throw Problem(.unknownPath, "A segment of the path is empty.") }
    self.segments = segments == [""] ? [] : segments
  }

  /// The most segments a path may have.
  package static let maximumSegments = 64

  /// Whether the segments of a path certainly mean what they are: nothing is to be decoded, and none is `.` or `..`.
  static func isPlain(_ path: Span<UInt8>) -> Bool {
    // Without a way out in the middle, many bytes are looked at together.
    var special: UInt8 = 0
    for index in path.indices {
      let byte = path[index]
      special |= byte == UInt8(ascii: "%") || byte == UInt8(ascii: "~") || byte == UInt8(ascii: ".") ? 1 : 0
    }
    return special == 0
  }

  private static func segment(_ raw: ArraySlice<UInt8>) throws(Problem) -> String {
    guard let bytes = PercentCoding.decoded(raw) else {
      throw Problem(.malformedPath, "“%” is not followed by two hexadecimal digits.")
    }
    if bytes.contains(0) { throw Problem(.malformedPath, "A path cannot hold NUL.") }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Problem(.malformedPath, "The path is not UTF-8.")
    }
    if bytes.elementsEqual(".".utf8) || bytes.elementsEqual("..".utf8) {
      throw Problem(.malformedPath, "“.” and “..” are no segments of a path here.")
    }
    guard bytes.contains(UInt8(ascii: "~")) else { return text }
    guard let segment = Pointer.unescaped(bytes) else {
      throw Problem(.malformedPath, "“~” stands only in “~0” and “~1”.")
    }
    return segment
  }

  /// The path as it would be written.
  package static func path(_ segments: some Sequence<String>) -> String {
    segments.map { "/" + PercentCoding.encoded(Pointer.escaped($0)) }.joined()
  }
}

/// Percent-encoding (RFC 3986 §2.1).
enum PercentCoding {
  /// nil for a bad escape.
  static func decoded(_ raw: ArraySlice<UInt8>, plusIsSpace: Bool = false) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(raw.count)
    var iterator = raw.makeIterator()
    while let byte = iterator.next() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = iterator.next().flatMap(hexDigit), let low = iterator.next().flatMap(hexDigit) else {
          return nil
        }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
      default: bytes.append(byte)
      }
    }
    return bytes
  }

  /// Everything but unreserved characters is escaped.
  static func encoded(_ text: String) -> String {
    var encoded = ""
    for byte in text.utf8 {
      let scalar = Unicode.Scalar(byte)
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~": encoded.unicodeScalars.append(scalar)
      default: encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return encoded
  }

  private static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}
