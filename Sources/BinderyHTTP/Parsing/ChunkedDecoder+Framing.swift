extension ChunkedDecoder {
  /// The state after a byte of the line that gives a chunk's size (RFC 9112 §7.1, §7.1.1).
  mutating func afterSize(_ byte: UInt8, _ limits: Limits) throws(Rejection) -> State {
    lineBytes = state == .sizeStart ? 1 : lineBytes + 1
    guard lineBytes <= limits.chunkLineBytes else { throw .badChunk }
    switch state {
    case .sizeStart:
      guard let digit = hexValue(byte) else { throw .badChunk }
      remaining = digit
      return .size
    case .size:
      if let digit = hexValue(byte) {
        guard remaining <= Int.max >> 4 else { throw .badChunk }
        remaining = remaining << 4 | digit
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

  /// The state after a byte of `; name = value`; the value may be quoted.
  private func withinExtension(_ byte: UInt8, _ limits: Limits) throws(Rejection) -> State {
    switch state {
    case .blankBeforeExtension:
      if byte.isBlank { return .blankBeforeExtension }
      // A blank is allowed before an extension only: after a bare size it is a sign of somebody's own grammar.
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

  /// The state after a byte that can end the line, begin an extension, or be a blank before one.
  private func afterExtension(
    _ byte: UInt8, _ limits: Limits, orElse blank: State
  ) throws(Rejection) -> State {
    if byte == .carriageReturn { return .sizeEnd }
    if byte == UInt8(ascii: ";") { return .extensionStart }
    guard byte.isBlank else { throw .badChunk }
    return blank
  }

  /// The state after a byte behind the last chunk (RFC 9112 §7.1.2).
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

  private func hexValue(_ byte: UInt8) -> Int? {
    if byte.isDigit { return Int(byte - UInt8(ascii: "0")) }
    let letter = lowercase(byte)
    guard letter >= UInt8(ascii: "a"), letter <= UInt8(ascii: "f") else { return nil }
    return Int(letter - UInt8(ascii: "a")) + 10
  }
}
