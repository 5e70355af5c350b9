import BinderyText

extension OutputSpan<UInt8> {
  /// Appends a field line with a nonnegative number.
  package mutating func appendField(_ name: FieldName, _ number: Int) {
    FieldName.withLineStart(of: name) { append(copying: $0) }
    append(decimal: UInt64(number))
    appendLineEnd()
  }

  /// Appends a field line whose value a closure builds in place. Control characters in it are replaced by spaces.
  package mutating func appendField(_ name: FieldName, building build: (inout OutputSpan<UInt8>) -> Void) {
    FieldName.withLineStart(of: name) { append(copying: $0) }
    let start = count
    build(&self)
    replaceControls(from: start)
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

  /// Appends a copy of bytes.
  ///
  /// - Complexity: O(number of bytes).
  @inline(never)
  package mutating func append(copying source: borrowing Span<UInt8>) {
    let start = count
    append(repeating: 0, count: source.count)
    var all = mutableSpan
    var target = all._mutatingExtracting(droppingFirst: start)
    // With equal counts known, the compiler vectorizes the loop.
    guard target.count == source.count else { return }
    for index in source.indices { target[index] = source[index] }
  }

  /// Appends a copy of a field value. Control characters are replaced by spaces.
  ///
  /// - Complexity: O(number of bytes).
  @inline(__always)
  mutating func append(value: borrowing Span<UInt8>) {
    if value.end(of: .fieldValue, from: 0) == value.count { return append(copying: value) }
    for index in value.indices { append(ByteClass.fieldValue.contains(value[index]) ? value[index] : .space) }
  }

  /// Replaces the control characters of the field value that starts at an index by spaces.
  mutating func replaceControls(from start: Int) {
    if span.end(of: .fieldValue, from: start) == count { return }
    var target = mutableSpan
    for index in start..<target.count where !ByteClass.fieldValue.contains(target[index]) { target[index] = .space }
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
