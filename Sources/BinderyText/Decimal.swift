/// The decimal digits of a number, in the last bytes of a buffer.
private struct DecimalDigits {
  var bytes = InlineArray<20, UInt8>(repeating: UInt8(ascii: "0"))
  var first = 20

  @inline(__always)
  init(_ number: UInt64, width: Int) {
    var rest = number
    repeat {
      first -= 1
      bytes[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    first = min(first, 20 - width)
  }

  @inline(__always)
  func write(into output: inout OutputSpan<UInt8>) {
    for index in first..<20 { output.append(bytes[index]) }
  }
}

extension [UInt8] {
  /// Appends a number as decimal digits.
  ///
  /// - Parameter width: The minimum number of digits, at most 20. Zeros fill shorter numbers.
  package mutating func append(decimal number: UInt64, width: Int = 1) {
    let digits = DecimalDigits(number, width: width)
    append(addingCapacity: 20 - digits.first) { digits.write(into: &$0) }
  }
}

extension OutputSpan<UInt8> {
  /// Appends a number as decimal digits. There must be sufficient free capacity.
  @inline(never)
  package mutating func append(decimal number: UInt64) {
    DecimalDigits(number, width: 1).write(into: &self)
  }
}
