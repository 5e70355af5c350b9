import BinderyText

extension OutputSpan<UInt8> {
  /// Appends a field line with a nonnegative number.
  package mutating func appendField(_ name: FieldName, _ number: Int) {
    FieldName.withLineStart(of: name) { append(copying: $0) }
    append(decimal: UInt64(number))
    appendLineEnd()
  }

  /// Appends a field line with an entity tag (RFC 9110 §8.8.3): 128 bits in base64url.
  package mutating func appendTagField(_ name: FieldName, high: UInt64, low: UInt64) {
    FieldName.withLineStart(of: name) { append(copying: $0) }
    append(UInt8(ascii: "\""))
    let start = count
    append(repeating: 0, count: Base64URL.length128)
    var bytes = mutableSpan
    Base64URL.write(high: high, low: low, over: &bytes, at: start)
    append(UInt8(ascii: "\""))
    appendLineEnd()
  }

  /// Appends the fields that name the server's span in a distributed trace: `traceparent`, and `traceresponse`, which
  /// the Trace Context specification proposes for responses.
  mutating func appendTrace(_ value: InlineArray<55, UInt8>) {
    append(copying: traceParentName.span)
    append(copying: value.span)
    append(copying: traceResponseName.span)
    append(copying: value.span)
    appendLineEnd()
  }

  /// Appends `Content-Length` and the empty line that ends a head.
  mutating func appendHeadEnd(length: Int) {
    appendField(.contentLength, length)
    appendLineEnd()
  }

  /// Appends a copy of a field value. Control characters are replaced by spaces.
  ///
  /// - Complexity: O(number of bytes).
  @inline(__always)
  mutating func append(value: borrowing Span<UInt8>) {
    if value.end(of: .fieldValue, from: 0) == value.count { return append(copying: value) }
    for index in value.indices { append(ByteClass.fieldValue.contains(value[index]) ? value[index] : .space) }
  }

  /// Appends a field line from a name with its colon and a value. Control characters in the value are replaced by
  /// spaces.
  @inline(__always)
  mutating func append(line name: borrowing Span<UInt8>, value: borrowing Span<UInt8>) {
    append(copying: name)
    append(value: value)
    appendLineEnd()
  }

  @inline(__always)
  mutating func appendLineEnd() {
    append(.carriageReturn)
    append(.lineFeed)
  }
}

private let traceParentName = Array("traceparent: ".utf8)
private let traceResponseName = Array("\r\ntraceresponse: ".utf8)
