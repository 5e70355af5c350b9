import BinderyText

/// Decodes a chunked body in place, so that its content becomes contiguous (RFC 9112 §7.1).
///
/// Decoding can be suspended and resumed at any byte. Trailers are validated like fields, limited, and discarded.
package struct ChunkedDecoder: Sendable {
  /// The result of a call to `decode`.
  package enum Outcome: Sendable, Equatable {
    case needsMore, complete, tooLarge
  }

  /// The element of the grammar that the next byte belongs to.
  enum State: Sendable {
    case sizeStart, size, sizeEnd
    case blankBeforeExtension, extensionStart, extensionName, extensionNameEnd
    case valueStart, tokenValue, quotedValue, quotedPair, valueEnd
    case data, dataEnd, lineFeedOfData
    case trailerStart, trailerName, trailerValue, lineFeedOfTrailer, lineFeedOfEnd
    case complete
  }

  /// The number of decoded bytes. They start where the body started.
  package private(set) var contentLength = 0
  var state = State.sizeStart
  /// The bytes missing from the current chunk. While its size is being read, the value of the digits so far.
  var remaining = 0
  /// The number of bytes read of the current chunk-size line.
  var lineBytes = 0
  /// The total size of all extensions. It is limited, so that many small chunks cannot smuggle in large extensions.
  var extensionBytes = 0
  var trailerBytes = 0
  var trailerFields = 0

  /// Creates a decoder at the start of a body.
  package init() {}

  /// Decodes the bytes received so far.
  ///
  /// - Parameters:
  ///   - bytes: The buffer. The decoded content is moved together, starting at `body`.
  ///   - body: The index of the body's first byte.
  ///   - next: The index of the first byte not decoded yet. On return, the first unused byte: `end` unless the body is
  ///     complete. The bytes between the content and `next` are then no longer needed.
  ///   - end: The end of the received bytes.
  /// - Throws: The reason to reject the request.
  /// - Complexity: O(number of new bytes).
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

extension ChunkedDecoder {
  /// Returns the state after a byte of a chunk-size line (RFC 9112 §7.1, §7.1.1).
  mutating func afterSize(_ byte: UInt8, _ limits: Limits) throws(Rejection) -> State {
    lineBytes = state == .sizeStart ? 1 : lineBytes + 1
    guard lineBytes <= limits.chunkLineBytes else { throw .badChunk }
    switch state {
    case .sizeStart:
      guard let digit = byte.hexadecimalValue else { throw .badChunk }
      remaining = Int(digit)
      return .size
    case .size:
      if let digit = byte.hexadecimalValue {
        guard remaining <= Int.max >> 4 else { throw .badChunk }
        remaining = remaining << 4 | Int(digit)
        return .size
      }
      return try afterExtension(byte, limits, orElse: .blankBeforeExtension)
    case .sizeEnd:
      guard byte == .lineFeed else { throw .badChunk }
      return remaining == 0 ? .trailerStart : .data
    default:
      extensionBytes += 1
      guard extensionBytes <= limits.headerBlockBytes else { throw .badChunk }
      return try withinExtension(byte, limits)
    }
  }

  /// Returns the state after a byte of an extension, `; name = value`. The value may be quoted.
  private func withinExtension(_ byte: UInt8, _ limits: Limits) throws(Rejection) -> State {
    switch state {
    case .blankBeforeExtension:
      if byte.isBlank { return .blankBeforeExtension }
      // RFC 9112 §7.1.1 allows whitespace only before an extension. After a bare size it is rejected, because parsers
      // disagree about it.
      guard byte == UInt8(ascii: ";") else { throw .badChunk }
      return .extensionStart
    case .extensionStart:
      if byte.isBlank { return .extensionStart }
      guard ByteClass.token.contains(byte) else { throw .badChunk }
      return .extensionName
    case .extensionName:
      if ByteClass.token.contains(byte) { return .extensionName }
      return byte == UInt8(ascii: "=") ? .valueStart : try afterExtension(byte, limits, orElse: .extensionNameEnd)
    case .extensionNameEnd:
      if byte.isBlank { return .extensionNameEnd }
      if byte == UInt8(ascii: "=") { return .valueStart }
      guard byte == UInt8(ascii: ";") else { throw .badChunk }
      return .extensionStart
    case .valueStart:
      if byte.isBlank { return .valueStart }
      if byte == UInt8(ascii: "\"") { return .quotedValue }
      guard ByteClass.token.contains(byte) else { throw .badChunk }
      return .tokenValue
    case .tokenValue:
      if ByteClass.token.contains(byte) { return .tokenValue }
      return try afterExtension(byte, limits, orElse: .blankBeforeExtension)
    case .quotedValue:
      if byte == UInt8(ascii: "\"") { return .valueEnd }
      guard ByteClass.fieldValue.contains(byte) else { throw .badChunk }
      return byte == UInt8(ascii: "\\") ? .quotedPair : .quotedValue
    case .quotedPair:
      guard ByteClass.fieldValue.contains(byte) else { throw .badChunk }
      return .quotedValue
    default:
      return try afterExtension(byte, limits, orElse: .blankBeforeExtension)
    }
  }

  /// Returns the state after a byte that ends the line, starts an extension, or is whitespace before one.
  private func afterExtension(
    _ byte: UInt8, _ limits: Limits, orElse blank: State
  ) throws(Rejection) -> State {
    if byte == .carriageReturn { return .sizeEnd }
    if byte == UInt8(ascii: ";") { return .extensionStart }
    guard byte.isBlank else { throw .badChunk }
    return blank
  }

  /// Returns the state after a byte of the trailer section (RFC 9112 §7.1.2).
  mutating func afterTrailer(_ byte: UInt8, _ limits: Limits) throws(Rejection) -> State {
    trailerBytes += 1
    guard trailerBytes <= limits.headerBlockBytes else { throw .fieldsTooLarge }
    switch state {
    case .trailerStart:
      if byte == .carriageReturn { return .lineFeedOfEnd }
      guard ByteClass.token.contains(byte) else { throw .badTrailer }
      trailerFields += 1
      guard trailerFields <= limits.headerFields else { throw .tooManyFields }
      return .trailerName
    case .trailerName:
      if byte == UInt8(ascii: ":") { return .trailerValue }
      guard ByteClass.token.contains(byte) else { throw .badTrailer }
      return .trailerName
    case .trailerValue:
      if byte == .carriageReturn { return .lineFeedOfTrailer }
      guard ByteClass.fieldValue.contains(byte) else { throw .badTrailer }
      return .trailerValue
    case .lineFeedOfTrailer:
      guard byte == .lineFeed else { throw .badTrailer }
      return .trailerStart
    default:
      guard byte == .lineFeed else { throw .badTrailer }
      return .complete
    }
  }
}
