import BinderyText

extension RequestHead {
  /// The reason for stopping before the end of a line.
  enum Stop: Error {
    case incomplete
    case rejected(Rejection)
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

// MARK: Request line

extension RequestHead {
  /// Parses `method SP target SP version CRLF` (RFC 9112 §3).
  ///
  /// - Returns: The index of the next line.
  /// - Throws: `.incomplete` if the line's end is not in `bytes`.
  mutating func readRequestLine(_ bytes: borrowing Span<UInt8>) throws(Stop) -> Int {
    var index = progress.lineStart
    // Some clients send an empty line before a request (RFC 9112 §2.2). A few of them are skipped.
    if try bytes.byte(at: index) == .carriageReturn, index < 8 {
      return try bytes.skipLineEnd(at: index, orReject: .badLineEnd)
    }
    index = try readMethod(bytes, at: index)
    index = try readTarget(bytes, at: index)
    guard try bytes.byte(at: index) == .space else { throw .rejected(.badTarget) }
    index = try readVersion(bytes, at: index + 1)
    progress.fieldsStart = index
    return index
  }

  /// Parses the method and the space after it.
  mutating func readMethod(_ bytes: borrowing Span<UInt8>, at start: Int) throws(Stop) -> Int {
    var index = start
    var word: UInt64 = 0
    var byte = try bytes.byte(at: index)
    while ByteClass.token.contains(byte) {
      word = word << 8 | UInt64(byte)
      index += 1
      byte = try bytes.byte(at: index)
    }
    guard byte == .space, index > start else { throw .rejected(.badRequestLine) }
    methodRange = start..<index
    method = index - start > 7 ? .unknown : Method(word: word)
    return index + 1
  }

  /// Parses the version, such as `HTTP/1.1`, and the line end.
  private mutating func readVersion(_ bytes: borrowing Span<UInt8>, at start: Int) throws(Stop) -> Int {
    var index = start
    for expected in "HTTP/".utf8 {
      guard try bytes.byte(at: index) == expected else { throw .rejected(.badRequestLine) }
      index += 1
    }
    // Checked one byte at a time: a line that ends too early must be rejected without waiting for more bytes.
    let major = try bytes.byte(at: index)
    guard major.isDigit else { throw .rejected(.badRequestLine) }
    guard try bytes.byte(at: index + 1) == UInt8(ascii: ".") else { throw .rejected(.badRequestLine) }
    let minor = try bytes.byte(at: index + 2)
    guard minor.isDigit else { throw .rejected(.badRequestLine) }
    index = try bytes.skipLineEnd(at: index + 3, orReject: .badRequestLine)
    guard major == UInt8(ascii: "1") else { throw .rejected(.badVersion) }
    // A higher minor version is treated like the highest known one (RFC 9110 §6.2).
    isHTTP11 = minor != UInt8(ascii: "0")
    keepAlive = isHTTP11
    return index
  }
}

extension RequestHead {
  /// Parses the request target in one of its forms (RFC 9112 §3.2).
  ///
  /// - Returns: The index after the target.
  mutating func readTarget(_ bytes: borrowing Span<UInt8>, at start: Int) throws(Stop) -> Int {
    let first = try bytes.byte(at: start)
    if method == .unknown { return try skipTarget(bytes, at: start) }
    if first == UInt8(ascii: "/") {
      targetForm = .origin
      return try readPathAndQuery(bytes, at: start)
    }
    if first == UInt8(ascii: "*"), method == .options {
      targetForm = .asterisk
      path = start..<start
      return start + 1
    }
    targetForm = .absolute
    return try readAbsoluteTarget(bytes, at: start)
  }

  /// Parses a path, which may be empty, and an optional query.
  mutating func readPathAndQuery(
    _ bytes: borrowing Span<UInt8>, at start: Int
  ) throws(Stop) -> Int {
    let pathEnd = try skip(.path, bytes, at: start)
    path = start..<pathEnd
    guard try bytes.byte(at: pathEnd) == UInt8(ascii: "?") else { return pathEnd }
    let queryEnd = try skip(.query, bytes, at: pathEnd + 1)
    query = pathEnd + 1..<queryEnd
    return queryEnd
  }

  /// Skips bytes of a class and percent-encoded bytes.
  @inline(__always)
  private func skip(
    _ byteClass: ByteClass, _ bytes: borrowing Span<UInt8>, at start: Int
  ) throws(Stop) -> Int {
    var index = start
    while true {
      index = bytes.end(of: byteClass, from: index)
      guard try bytes.byte(at: index) == UInt8(ascii: "%") else { return index }
      guard ByteClass.hexDigit.contains(try bytes.byte(at: index + 1)),
        ByteClass.hexDigit.contains(try bytes.byte(at: index + 2))
      else { throw .rejected(.badTarget) }
      index += 3
    }
  }
}

extension Method {
  /// Creates a method from its bytes, the first byte most significant.
  fileprivate init(word: UInt64) {
    self =
      switch word {
      case 0x47_45_54: .get
      case 0x48_45_41_44: .head
      case 0x50_41_54_43_48: .patch
      case 0x50_55_54: .put
      case 0x44_45_4C_45_54_45: .delete
      case 0x50_4F_53_54: .post
      case 0x4F_50_54_49_4F_4E_53: .options
      default: .unknown
      }
  }
}

// MARK: Field lines

extension RequestHead {
  /// Parses one field line, or the empty line that ends the head (RFC 9112 §5).
  ///
  /// - Returns: The index of the next line.
  /// - Throws: `.incomplete` if the line's end is not in `bytes`.
  mutating func readFieldLine(_ bytes: borrowing Span<UInt8>, limits: Limits) throws(Stop) -> Int {
    let start = progress.lineStart
    if try bytes.byte(at: start) == .carriageReturn {
      let index = try bytes.skipLineEnd(at: start, orReject: .badLineEnd)
      try checkHead()
      byteCount = index
      return index
    }
    // A line that starts with whitespace (obsolete line folding, §5.2) has no name and is rejected too.
    var index = bytes.endOfLettersAndHyphens(from: start)
    if try bytes.byte(at: index) != UInt8(ascii: ":") { index = bytes.end(of: .token, from: index) }
    guard try bytes.byte(at: index) == UInt8(ascii: ":"), index > start else { throw .rejected(.badFieldName) }
    let name = start..<index
    index += 1
    while try bytes.byte(at: index).isBlank { index += 1 }
    let valueStart = index
    index = bytes.endOfFieldValue(from: index)
    var valueEnd = index
    index = try bytes.skipLineEnd(at: index, orReject: .badFieldValue)
    while valueEnd > valueStart, bytes[valueEnd - 1].isBlank { valueEnd -= 1 }

    guard fieldCount < limits.headerFields else { throw .rejected(.tooManyFields) }
    let field = Field(name: .lookup(name, in: bytes), nameRange: name, value: valueStart..<valueEnd)
    append(field)
    try apply(field, in: bytes)
    return index
  }

  /// Applies a field that affects the framing or the connection.
  private mutating func apply(_ field: Field, in bytes: borrowing Span<UInt8>) throws(Stop) {
    switch field.name {
    case .host: try applyHost(field.value, in: bytes)
    case .contentLength: try applyContentLength(field.value, in: bytes)
    case .transferEncoding: try applyTransferEncoding(field.value, in: bytes)
    case .connection: applyConnection(field.value, in: bytes)
    case .expect: applyExpect(field.value, in: bytes)
    case .authorization, .contentType, .lastEventID, .origin, .secFetchSite: try applySingle(field.name)
    default: break
    }
  }

  /// RFC 9112 §3.2: exactly one valid Host field. The authority of an absolute target overrides it.
  private mutating func applyHost(_ value: Range<Int>, in bytes: borrowing Span<UInt8>) throws(Stop) {
    guard !progress.hasHost else { throw .rejected(.repeatedHost) }
    guard isAuthority(value, in: bytes) else { throw .rejected(.badHost) }
    progress.hasHost = true
    if authority.isEmpty { authority = value }
  }

  /// RFC 9112 §6.3: one decimal number, once. Equal duplicates are rejected too: an intermediary added the second.
  private mutating func applyContentLength(_ value: Range<Int>, in bytes: borrowing Span<UInt8>) throws(Stop) {
    guard framing != .chunked else { throw .rejected(.conflictingLengths) }
    guard framing == .none, !value.isEmpty else { throw .rejected(.badContentLength) }
    var length = 0
    for index in value {
      guard bytes[index].isDigit else { throw .rejected(.badContentLength) }
      let (product, overflows) = length.multipliedReportingOverflow(by: 10)
      let (sum, carries) = product.addingReportingOverflow(Int(bytes[index] - UInt8(ascii: "0")))
      guard !overflows, !carries else { throw .rejected(.badContentLength) }
      length = sum
    }
    framing = .length(length)
  }

  /// RFC 9112 §6.1: `chunked`, once, as the last coding, and not in HTTP/1.0. Empty list elements are rejected because
  /// servers interpret them differently.
  private mutating func applyTransferEncoding(_ value: Range<Int>, in bytes: borrowing Span<UInt8>) throws(Stop) {
    if case .length = framing { throw .rejected(.conflictingLengths) }
    guard isHTTP11 else { throw .rejected(.badTransferEncoding) }
    try forEachElement(of: value, in: bytes) { head, coding throws(Stop) in
      guard head.framing == .none, !coding.isEmpty, bytes.end(of: .token, from: coding.lowerBound) >= coding.upperBound
      else { throw .rejected(.badTransferEncoding) }
      if bytes.matches(coding, ignoringCase: "chunked") {
        head.framing = .chunked
      } else {
        head.progress.hasUnknownCoding = true
      }
    }
  }

  /// RFC 9110 §5.3: a field that is not a list may be sent only once; with two, the meaning would be ambiguous.
  private mutating func applySingle(_ name: FieldName) throws(Stop) {
    let bit = UInt64(1) << UInt64(name.rawValue)
    guard progress.singles & bit == 0 else { throw .rejected(.repeatedField) }
    progress.singles |= bit
  }

  /// RFC 9110 §7.6.1: a list of options. `close` takes precedence over `keep-alive`.
  private mutating func applyConnection(_ value: Range<Int>, in bytes: borrowing Span<UInt8>) {
    forEachElement(of: value, in: bytes) { head, option in
      if bytes.matches(option, ignoringCase: "close") {
        head.progress.hasClose = true
      } else if bytes.matches(option, ignoringCase: "keep-alive"), !head.isHTTP11 {
        head.keepAlive = true
      }
    }
    if progress.hasClose { keepAlive = false }
  }

  /// RFC 9110 §10.1.1: `100-continue` is the only defined expectation. It is ignored in HTTP/1.0.
  private mutating func applyExpect(_ value: Range<Int>, in bytes: borrowing Span<UInt8>) {
    guard isHTTP11 else { return }
    forEachElement(of: value, in: bytes) { head, expectation in
      if bytes.matches(expectation, ignoringCase: "100-continue") {
        head.expectsContinue = true
      } else if !expectation.isEmpty {
        head.progress.hasUnknownExpectation = true
      }
    }
  }

  /// Calls a closure with each element of a comma-separated list without quoted strings, whitespace trimmed (RFC 9110
  /// §5.6.1).
  @inline(__always)
  private mutating func forEachElement<E>(
    of value: Range<Int>, in bytes: borrowing Span<UInt8>, _ body: (inout RequestHead, Range<Int>) throws(E) -> Void
  ) throws(E) {
    var start = value.lowerBound
    while start <= value.upperBound {
      var end = start
      while end < value.upperBound, bytes[end] != UInt8(ascii: ",") { end += 1 }
      try body(&self, bytes.trimmed(start..<end))
      start = end + 1
    }
  }

  /// Checks the requirements that depend on several fields.
  @inline(__always)
  private func checkHead() throws(Stop) {
    guard progress.hasHost || !isHTTP11 else { throw .rejected(.missingHost) }
    if progress.hasUnknownCoding {
      // RFC 9112 §6.3: unless chunked is the last coding, the end of the body cannot be determined.
      throw .rejected(framing == .chunked ? .unknownTransferCoding : .badTransferEncoding)
    }
    guard method != .unknown else { throw .rejected(.unknownMethod) }
    guard !progress.hasUnknownExpectation else { throw .rejected(.unknownExpectation) }
  }
}

extension RequestHead {
  /// Returns whether a range is a nonempty host with an optional port (RFC 9110 §4.2.1, §7.2; RFC 3986 §3.2.2).
  ///
  /// - Complexity: O(length of the range).
  func isAuthority(_ range: Range<Int>, in bytes: borrowing Span<UInt8>) -> Bool {
    let end = range.upperBound
    var index = range.lowerBound
    guard index < end else { return false }
    if bytes[index] == UInt8(ascii: "[") {
      let start = index + 1
      while index < end, bytes[index] != UInt8(ascii: "]") { index += 1 }
      guard index < end, IPLiteral.isValid(start..<index, in: bytes) else { return false }
      index += 1
    } else {
      let host = bytes.extracting(0..<end)
      index = host.end(of: .host, from: index)
      while index < end, host[index] == UInt8(ascii: "%") {
        guard index + 2 < end, ByteClass.hexDigit.contains(host[index + 1]),
          ByteClass.hexDigit.contains(host[index + 2])
        else { return false }
        index = host.end(of: .host, from: index + 3)
      }
      guard index > range.lowerBound else { return false }
    }
    return index == end || bytes[index] == UInt8(ascii: ":") && isPort(index + 1..<end, in: bytes)
  }

  /// Returns whether a range is a port number. RFC 3986 §3.2.3 allows an empty port.
  private func isPort(_ range: Range<Int>, in bytes: borrowing Span<UInt8>) -> Bool {
    let digits = bytes.extracting(range)
    var port: UInt32 = 0
    for index in digits.indices {
      let digit = digits[index] &- UInt8(ascii: "0")
      port = port &* 10 &+ UInt32(digit)
      guard digit < 10, port <= 65_535 else { return false }
    }
    return true
  }
}
