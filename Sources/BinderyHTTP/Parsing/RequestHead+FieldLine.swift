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
    var index = bytes.end(of: .token, from: start)
    guard try bytes.byte(at: index) == UInt8(ascii: ":"), index > start else { throw .rejected(.badFieldName) }
    let name = start..<index
    index += 1
    while try bytes.byte(at: index).isBlank { index += 1 }
    let valueStart = index
    index = bytes.end(of: .fieldValue, from: index)
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

extension UInt8 {
  @inline(__always)
  var isBlank: Bool { self == .space || self == .tab }
}

extension Span<UInt8> {
  /// Returns a range without the whitespace at its ends.
  func trimmed(_ range: Range<Int>) -> Range<Int> {
    var start = range.lowerBound
    var end = range.upperBound
    while start < end, self[start].isBlank { start += 1 }
    while start < end, self[end - 1].isBlank { end -= 1 }
    return start..<end
  }
}
