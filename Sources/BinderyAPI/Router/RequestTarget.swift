import BinderyCore
import BinderyHTTP
import BinderyText

/// The path of a request target, percent-decoded once and checked.
package struct RequestTarget: Sendable {
  /// The segments of the path, after percent-decoding and, in a pointer, after unescaping `~0` and `~1`.
  package let segments: [String]
  /// Whether the path ends in a slash, as those of folders do. The path of a place never does.
  package let isFolder: Bool

  /// - Parameter isPointer: Whether `~` begins an escape, as in the paths of the state (RFC 6901 §3).
  /// - Throws: `malformed-path` for an invalid escape, invalid UTF-8, NUL, `.` or `..`; `unknown-path` for an empty
  ///   segment, except at the end, or too many segments.
  package init(path: ArraySlice<UInt8>, isPointer: Bool = true) throws(Problem) {
    var segments: [String] = []
    for raw in path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      segments.append(try Self.segment(raw, isPointer))
    }
    if segments.count > Self.maximumSegments {
      throw Problem(.unknownPath, "Expected at most \(Self.maximumSegments) path segments, got \(segments.count).")
    }
    // `/` alone is the root document.
    isFolder = segments.count > 1 && segments.last == ""
    if segments.last == "" { segments.removeLast() }
    if segments.contains("") { throw .emptySegment }
    self.segments = segments
  }

  /// The path of a document in its canonical spelling.
  package var documentPath: String {
    segments.isEmpty ? "/" : segments.map { "/" + PercentCoding.encoded($0) }.joined() + (isFolder ? "/" : "")
  }

  /// The maximum number of segments in a path.
  package static let maximumSegments = 64

  /// Returns the segments of a JSON Pointer in a request; nil if it is none. A pointer may have a million segments, but
  /// one more than a path may have are sufficient to refuse it.
  static func segments(of pointer: String) -> [String]? {
    pointer.hasTooManyMarks ? nil : Pointer.segments(of: pointer, atMost: maximumSegments + 1)
  }

  /// Returns the length of the segment that bytes begin with: up to the first slash, or to the end. Returns nil if the
  /// segment may have something to decode, or may be `.` or `..`.
  package static func plainSegmentLength(_ path: Span<UInt8>) -> Int? {
    // Eight bytes at a time, because each path that is not cached is read so.
    var length = 0
    var rest = path.extracting(...)
    while rest.count >= 8 {
      let special = specialBytes(of: rest.word(at: 0))
      if special != 0 {
        length += special.trailingZeroBitCount / 8
        return path[length] == UInt8(ascii: "/") ? length : nil
      }
      length += 8
      rest = rest.extracting(droppingFirst: 8)
    }
    for index in rest.indices where specialBytes(of: UInt64(rest[index])) != 0 {
      return rest[index] == UInt8(ascii: "/") ? length + index : nil
    }
    return path.count
  }

  /// Returns the highest bit of each byte of a word that is `/`, `%`, `~` or `.`.
  @inline(__always)
  private static func specialBytes(of word: UInt64) -> UInt64 {
    // The highest bit of a byte is set if the byte equals that of the pattern; a borrow can set it above such a byte.
    func matches(_ pattern: UInt64) -> UInt64 { ((word ^ pattern) &- 0x0101_0101_0101_0101) & ~(word ^ pattern) }
    let found =
      matches(0x2F2F_2F2F_2F2F_2F2F) | matches(0x2525_2525_2525_2525) | matches(0x7E7E_7E7E_7E7E_7E7E)
      | matches(0x2E2E_2E2E_2E2E_2E2E)
    return found & 0x8080_8080_8080_8080
  }

  /// Decodes and checks one segment.
  private static func segment(_ raw: ArraySlice<UInt8>, _ isPointer: Bool) throws(Problem) -> String {
    guard let bytes = PercentCoding.decoded(raw) else {
      throw Problem(.malformedPath, "Expected two hexadecimal digits after each “%” in the path.")
    }
    if bytes.contains(0) { throw Problem(.malformedPath, "The path contains NUL (%00), which is not allowed.") }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Problem(.malformedPath, "The path is not valid UTF-8 after percent-decoding.")
    }
    if text.hasTooManyMarks {
      throw Problem(.malformedPath, "A path segment has more than 30 combining marks in a row.")
    }
    if bytes.elementsEqual(".".utf8) || bytes.elementsEqual("..".utf8) {
      throw Problem(.malformedPath, "The path segments “.” and “..” are not allowed. Send the resolved path.")
    }
    guard isPointer, bytes.contains(UInt8(ascii: "~")) else { return text }
    guard let segment = Pointer.unescaped(bytes) else {
      throw Problem(.malformedPath, "Expected 0 or 1 after each “~” in the path: “~0” means “~”, and “~1” means “/”.")
    }
    return segment
  }

  /// Returns the percent-encoded path with the given segments.
  package static func path(_ segments: some Sequence<String>) -> String {
    segments.map { "/" + PercentCoding.encoded(Pointer.escaped($0)) }.joined()
  }
}

extension Problem {
  /// The problem of a path with an empty segment.
  static var emptySegment: Problem {
    Problem(.unknownPath, "The path has an empty segment. Remove the doubled or trailing slash.")
  }
}

/// Percent-encoding (RFC 3986 §2.1).
enum PercentCoding {
  /// Returns the decoded bytes, or nil if an escape is invalid.
  static func decoded(_ raw: ArraySlice<UInt8>, plusIsSpace: Bool = false) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(raw.count)
    var iterator = raw.makeIterator()
    while let byte = iterator.next() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = iterator.next().flatMap(\.hexadecimalValue),
          let low = iterator.next().flatMap(\.hexadecimalValue)
        else {
          return nil
        }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
      default: bytes.append(byte)
      }
    }
    return bytes
  }

  /// Returns the text with every byte escaped that is not an unreserved character.
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
}

/// Paths with their own authentication rules, as bytes, so that they can be compared before the path is decoded.
enum FixedPath {
  static let session = Array("/session".utf8)
  static let events = Array("/events".utf8)
  static let livez = Array("/livez".utf8)
  static let readyz = Array("/readyz".utf8)

  /// Returns whether a request is `POST /events`, which has a body only because its list of places can be long.
  static func isPostedRead(_ head: borrowing RequestHead, _ path: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
    if case .post = head.method { bytes.holds(events, at: path) } else { false }
  }

  /// Returns whether a path is that of a health check.
  static func isProbe(_ path: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
    bytes.holds(livez, at: path) || bytes.holds(readyz, at: path)
  }
}
