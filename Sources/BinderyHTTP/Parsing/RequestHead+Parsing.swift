extension RequestHead {
  /// The reason for stopping before the end of a line.
  enum Stop: Error {
    case incomplete
    case rejected(Rejection)
  }

  /// Returns whether the first `byteCount` bytes are only empty lines before a request.
  func isBlank(byteCount: Int) -> Bool { progress.fieldsStart == 0 && progress.lineStart == byteCount }

  /// Indicates whether no byte of the request has been parsed.
  var isUntouched: Bool { progress.lineStart == 0 && progress.scanned == 0 }

  /// Prepares for the next request. The storage for fields is kept.
  package mutating func reset() {
    fieldCount = 0
    names = 0
    cacheID = 0
    method = .unknown
    isHTTP11 = true
    targetForm = .origin
    query = nil
    authority = 0..<0
    keepAlive = true
    expectsContinue = false
    framing = .none
    byteCount = 0
    progress = Progress()
  }

  /// Continues parsing the head of a request (RFC 9112 §2 to §6).
  ///
  /// The result does not depend on how the bytes are split: a line is validated when it is complete. No byte of an
  /// incomplete line is examined more than twice, so a client that sends single bytes causes no quadratic work.
  ///
  /// - Parameter bytes: All bytes received of this request, from its first byte, possibly followed by later requests.
  /// - Returns: True if the head is complete; `byteCount` is then its length. False if more bytes are needed.
  /// - Throws: The reason to reject the request.
  package mutating func read(_ bytes: borrowing Span<UInt8>, limits: Limits) throws(Rejection) -> Bool {
    while byteCount == 0 {
      let isRequestLine = progress.fieldsStart == 0
      let windowEnd =
        isRequestLine
        ? progress.lineStart + limits.requestLineBytes + 2
        : progress.fieldsStart + limits.headerBlockBytes
      let end = min(bytes.count, windowEnd)

      // An incomplete line is parsed again only when its end has arrived.
      if progress.scanned > progress.lineStart, !hasLineEnd(bytes, from: progress.scanned, to: end) {
        if isRequestLine { readEarlyMethod(bytes.extracting(0..<end)) }
        progress.scanned = end
        if end == windowEnd { throw tooLong(bytes, end) }
        return false
      }
      do throws(Stop) {
        let window = bytes.extracting(0..<end)
        progress.lineStart = isRequestLine ? try readRequestLine(window) : try readFieldLine(window, limits: limits)
      } catch {
        if case .rejected(let rejection) = error {
          // Bytes that cannot start a request, such as a TLS handshake, are rejected without waiting for a line end.
          let isOtherProtocol = isRequestLine && !ByteClass.token.contains(bytes[progress.lineStart])
          if isOtherProtocol && bytes[progress.lineStart] != .carriageReturn { throw rejection }
          if hasLineEnd(bytes, from: progress.lineStart, to: end) { throw rejection }
        }
        progress.scanned = end
        if end == windowEnd { throw tooLong(bytes, end) }
        return false
      }
    }
    return true
  }

  /// Sets the method as soon as it is complete, as the first parse of the line does. If the request is rejected later,
  /// the response to HEAD must have no content, however the line was split.
  private mutating func readEarlyMethod(_ bytes: borrowing Span<UInt8>) {
    // If more than the longest known method and a space was scanned before, the method is already set.
    guard progress.scanned - progress.lineStart <= 8 else { return }
    do throws(Stop) { _ = try readMethod(bytes, at: progress.lineStart) } catch {}
  }

  /// Returns the rejection of a line or header section above its limit.
  ///
  /// A line that consists of one long token is an unknown method, whatever follows (RFC 9112 §3).
  private func tooLong(_ bytes: borrowing Span<UInt8>, _ end: Int) -> Rejection {
    if progress.fieldsStart != 0 { return .fieldsTooLarge }
    return bytes.end(of: .token, from: progress.lineStart) >= end ? .unknownMethod : .lineTooLong
  }

  private func hasLineEnd(_ bytes: borrowing Span<UInt8>, from start: Int, to end: Int) -> Bool {
    var index = start
    while index < end {
      if bytes[index] == .lineFeed { return true }
      index += 1
    }
    return false
  }
}

extension RequestHead {
  /// The state of parsing an incomplete head.
  struct Progress: Sendable {
    /// The start of the first line that is not parsed yet.
    var lineStart = 0
    /// The end of the bytes that were searched for the line end of that line.
    var scanned = 0
    /// The start of the first field line; 0 until the request line is parsed.
    var fieldsStart = 0
    var hasHost = false
    /// Whether a `Connection` field contained `close`. A later field cannot revoke it.
    var hasClose = false
    var hasUnknownExpectation = false
    /// Whether a transfer coding other than `chunked` was listed, which is allowed only before `chunked`.
    var hasUnknownCoding = false
    /// The fields received that may be sent only once: one bit for each name.
    var singles: UInt64 = 0
  }
}

extension UInt8 {
  static var lineFeed: UInt8 { 0x0A }
  static var carriageReturn: UInt8 { 0x0D }
  static var space: UInt8 { 0x20 }
  static var tab: UInt8 { 0x09 }
}

extension Span<UInt8> {
  /// Returns the byte at an index.
  ///
  /// - Throws: `.incomplete` if it has not been received.
  @inline(__always)
  func byte(at index: Int) throws(RequestHead.Stop) -> UInt8 {
    guard index < count else { throw .incomplete }
    return self[index]
  }

  /// Returns the index after the CR LF at this index.
  @inline(__always)
  func skipLineEnd(at index: Int, orReject rejection: Rejection) throws(RequestHead.Stop) -> Int {
    guard try byte(at: index) == .carriageReturn else { throw .rejected(rejection) }
    guard try byte(at: index + 1) == .lineFeed else { throw .rejected(.badLineEnd) }
    return index + 2
  }
}
