extension OutputSpan<UInt8> {
  /// Appends a field line with a number that is not negative.
  package mutating func line(_ name: FieldName, _ number: Int) {
    FieldName.withLineStart(of: name) { append(copying: $0) }
    append(decimal: number)
    appendLineEnd()
  }

  /// Appends a field line whose value is built in place; control characters in it become blanks.
  package mutating func line(_ name: FieldName, building build: (inout OutputSpan<UInt8>) -> Void) {
    FieldName.withLineStart(of: name) { append(copying: $0) }
    let start = count
    build(&self)
    blankControls(from: start)
    appendLineEnd()
  }

  /// Appends `Content-Length` and the end of a head.
  mutating func appendHeadEnd(length: Int) {
    line(.contentLength, length)
    appendLineEnd()
  }

  /// Appends a copy of some bytes.
  ///
  /// - Complexity: O(count of the bytes).
  @inline(never)
  mutating func append(copying source: borrowing Span<UInt8>) {
    for index in source.indices { append(source[index]) }
  }

  /// Appends a copy of a field's value, in which control characters become blanks.
  ///
  /// - Complexity: O(count of the bytes).
  @inline(__always)
  mutating func append(value: borrowing Span<UInt8>) {
    if value.end(of: .fieldValue, from: 0) == value.count { return append(copying: value) }
    for index in value.indices { append(ByteClass.fieldValue.contains(value[index]) ? value[index] : .space) }
  }

  /// Turns the control characters of a field's value, which begins at an index, into blanks.
  mutating func blankControls(from start: Int) {
    if span.end(of: .fieldValue, from: start) == count { return }
    var target = mutableSpan
    for index in start..<target.count where !ByteClass.fieldValue.contains(target[index]) { target[index] = .space }
  }

  /// Appends a field line whose name comes with its colon; control characters in the value become blanks.
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

  /// Appends a number that is not negative, in decimal digits.
  @inline(never)
  mutating func append(decimal number: Int) {
    precondition(number >= 0)
    // Most are short, and written as they are taken apart.
    if number < 10 { return append(digit: number) }
    if number < 100 {
      append(digit: number / 10)
      return append(digit: number % 10)
    }
    var digits = InlineArray<20, UInt8>(repeating: 0)
    var first = digits.count
    var rest = UInt(number)
    repeat {
      first -= 1
      digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    for index in first..<digits.count { append(digits[index]) }
  }

  @inline(__always)
  private mutating func append(digit: Int) { append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: digit)) }
}
