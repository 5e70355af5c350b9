extension OutputSpan<UInt8> {
  /// Appends a field line with a number that is not negative.
  @inline(__always)
  package mutating func line(_ name: FieldName, _ number: Int) {
    FieldName.withLineStart(of: name) { append(copying: $0) }
    append(decimal: number)
    appendLineEnd()
  }

  /// Appends a field line whose value is built in place; control characters in it become blanks.
  @inline(__always)
  package mutating func line(_ name: FieldName, building build: (inout OutputSpan<UInt8>) -> Void) {
    FieldName.withLineStart(of: name) { append(copying: $0) }
    let start = count
    build(&self)
    blankControls(from: start)
    appendLineEnd()
  }

  /// Appends field lines that were written before.
  package mutating func lines(_ lines: FieldLines) { append(copying: lines.bytes.span) }

  /// Appends a copy of some bytes. Of many there are zeros first, because room that is there already is copied to many
  /// bytes at a time.
  ///
  /// - Complexity: O(count of the bytes).
  @inline(__always)
  mutating func append(copying source: borrowing Span<UInt8>) {
    if source.count < 32 {
      for index in source.indices { append(source[index]) }
      return
    }
    let start = count
    append(repeating: 0, count: source.count)
    var target = mutableSpan
    for index in source.indices { target[start &+ index] = source[index] }
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
  @inline(__always)
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
  @inline(__always)
  mutating func append(decimal number: Int) {
    let start = count
    var rest = UInt(number)
    repeat {
      append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    // The last digit came first.
    var low = start
    var high = count - 1
    while low < high {
      swapAt(low, high)
      low += 1
      high -= 1
    }
  }
}
