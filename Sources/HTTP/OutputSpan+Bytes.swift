extension OutputSpan<UInt8> {
  /// Appends a copy of some bytes. Zeros first, because room that is there already is copied to many bytes at a time.
  ///
  /// - Complexity: O(count of the bytes).
  @inline(__always)
  mutating func append(copying source: borrowing Span<UInt8>) {
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
