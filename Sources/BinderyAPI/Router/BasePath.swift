import BinderyCryptography
import BinderyText

/// The path of a service's root on its host, such as `/menu` behind a proxy that forwards only the requests below it.
///
/// The service receives the complete path and removes this prefix itself. Whether a proxy in front of it removed the
/// prefix could only be guessed from forwarded headers, which any client can send.
package struct BasePath: Sendable {
  /// The path without a final slash; empty for the root of the host.
  package let text: String
  private let bytes: [UInt8]

  /// The root of the host.
  package static let root = BasePath(validated: "")

  /// Creates a base path. A final slash is ignored.
  ///
  /// - Returns: nil unless the text is `/`, or segments of `[A-Za-z0-9._~-]` that each begin with a slash.
  package init?(_ text: String) {
    let path = text.hasSuffix("/") ? text.dropLast() : text[...]
    let segments = path.split(separator: "/", omittingEmptySubsequences: false)
    guard text.hasPrefix("/"), segments.dropFirst().allSatisfy({ Self.isSegment($0) }) else { return nil }
    self.init(validated: String(path))
  }

  private init(validated text: String) {
    self.text = text
    bytes = Array(text.utf8)
  }

  private static func isSegment(_ segment: Substring) -> Bool {
    !["", ".", ".."].contains(segment)
      && segment.utf8.allSatisfy { $0.isUnreserved }
  }

  /// Whether the service is at the root of its host.
  package var isRoot: Bool { bytes.isEmpty }

  /// Returns the part of a request's path that the service itself resolves, with its leading slash.
  ///
  /// - Parameter path: The range of the path as it was sent.
  /// - Returns: nil if the path is outside the base path. The range is empty if the path is the base path itself,
  ///   without a final slash.
  @inline(__always)
  func remainder(of path: Range<Int>, in request: Span<UInt8>) -> Range<Int>? {
    bytes.isEmpty ? path : remainderBelow(path, in: request)
  }

  private func remainderBelow(_ path: Range<Int>, in request: Span<UInt8>) -> Range<Int>? {
    let end = path.lowerBound + bytes.count
    guard end <= path.upperBound, request.holds(bytes, at: path.lowerBound..<end),
      end == path.upperBound || request[end] == UInt8(ascii: "/")
    else { return nil }
    return end..<path.upperBound
  }

  /// Returns a short text that differs between base paths, for the names of cookies.
  ///
  /// A browser sends the cookies of `/a` also to `/a/b`. If both services used the same name, the one at `/a/b` could
  /// not distinguish the cookies.
  var digest: String { Base64URL.encoded(Array(SHA256.digest(bytes).prefix(6))) }
}
