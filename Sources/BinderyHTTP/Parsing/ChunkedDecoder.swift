/// Decodes a chunked body where it stands, so that the content ends up in one piece (RFC 9112 §7.1).
///
/// It can stop and go on at any byte. Trailers are checked like fields, bounded and forgotten.
package struct ChunkedDecoder: Sendable {
  /// What a call has come to.
  package enum Outcome: Sendable, Equatable {
    case needsMore, complete, tooLarge
  }

  /// What the next byte belongs to.
  enum State: Sendable {
    case sizeStart, size, sizeEnd
    case blankBeforeExtension, extensionStart, extensionName, extensionNameEnd
    case valueStart, tokenValue, quotedValue, quotedPair, valueEnd
    case data, dataEnd, lineFeedOfData
    case trailerStart, trailerName, trailerValue, lineFeedOfTrailer, lineFeedOfEnd
    case complete
  }

  /// How many bytes of content have come; they stand from where the body began.
  package private(set) var contentLength = 0
  var state = State.sizeStart
  /// What is still to come of the chunk; while its size is read, that size so far.
  var remaining = 0
  /// The length so far of the line that gives a chunk's size.
  var lineBytes = 0
  /// All lines' extensions together: many small chunks must not carry a large message of their own.
  var extensionBytes = 0
  var trailerBytes = 0
  var trailerFields = 0

  /// A decoder at the beginning of a body.
  package init() {}

  /// Decodes what has come.
  ///
  /// - Parameters:
  ///   - bytes: where the content is gathered from `body` on.
  ///   - next: the first byte that was not decoded before; afterwards the first that was not used. Unless the body is
  ///     complete that is `end`, and what stands behind the content is needed no more.
  /// - Throws: the rejection that the peer gets.
  /// - Complexity: O(bytes that are new).
  package mutating func decode(
    _ bytes: inout MutableSpan<UInt8>, body: Int, next: inout Int, end: Int, limits: Limits
  ) throws(Rejection) -> Outcome {
    while next < end, state != .complete {
      if state == .data {
        let count = min(remaining, end - next)
        let sink = body + contentLength
        for offset in 0..<count { bytes[sink + offset] = bytes[next + offset] }
        contentLength += count
        remaining -= count
        next += count
        if remaining == 0 { state = .dataEnd }
        continue
      }
      let byte = bytes[next]
      next += 1
      switch state {
      case .trailerStart, .trailerName, .trailerValue, .lineFeedOfTrailer, .lineFeedOfEnd:
        state = try afterTrailer(byte, limits)
      case .dataEnd:
        guard byte == .carriageReturn else { throw .badChunk }
        state = .lineFeedOfData
      case .lineFeedOfData:
        guard byte == .lineFeed else { throw .badChunk }
        state = .sizeStart
      default:
        state = try afterSize(byte, limits)
        if state == .data, remaining > limits.bodyBytes - contentLength { return .tooLarge }
      }
    }
    return state == .complete ? .complete : .needsMore
  }
}
