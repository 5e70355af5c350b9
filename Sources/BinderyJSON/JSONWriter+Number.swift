extension JSONWriter {
  /// Writes an integer in decimal.
  public mutating func integer(_ value: Int64) {
    separate()
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    bytes.append(decimal: value.magnitude)
  }

  /// Writes an integer in decimal.
  public mutating func unsigned(_ value: UInt64) {
    separate()
    bytes.append(decimal: value)
  }

  /// Writes a number with the fewest digits that read back as the same one, as ECMAScript's `Number::toString` does.
  ///
  /// Minus zero is `-0`, so that it too reads back. JSON has no infinities and no NaN: the number must be finite.
  public mutating func double(_ value: Double) {
    precondition(value.isFinite, "JSON has no number for \(value)")
    separate()
    if value.sign == .minus { bytes.append(UInt8(ascii: "-")) }
    let magnitude = value.magnitude
    // Up to 2^53 every integer is a double, so its own digits are the fewest.
    if magnitude <= 0x1p53, magnitude == Double(UInt64(magnitude)) {
      bytes.append(decimal: UInt64(magnitude))
    } else {
      append(ShortestDecimal(magnitude))
    }
  }

  /// ECMA-262 §6.1.6.1.20: where the point stands decides the form.
  private mutating func append(_ decimal: ShortestDecimal) {
    let (digits, point) = (decimal.digits, decimal.point)
    switch point {
    case digits.count...21 where digits.count <= 21:
      bytes.append(contentsOf: digits)
      bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: point - digits.count))
    case 1...21:
      bytes.append(contentsOf: digits[..<point])
      bytes.append(UInt8(ascii: "."))
      bytes.append(contentsOf: digits[point...])
    case -5...0:
      bytes.append(contentsOf: "0.".utf8)
      bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: -point))
      bytes.append(contentsOf: digits)
    default:
      bytes.append(digits[0])
      if digits.count > 1 {
        bytes.append(UInt8(ascii: "."))
        bytes.append(contentsOf: digits[1...])
      }
      bytes.append(UInt8(ascii: "e"))
      bytes.append(point > 0 ? UInt8(ascii: "+") : UInt8(ascii: "-"))
      bytes.append(decimal: UInt64((point - 1).magnitude))
    }
  }
}

extension [UInt8] {
  /// Appends a number in decimal digits.
  package mutating func append(decimal number: UInt64) {
    var digits = InlineArray<20, UInt8>(repeating: 0)
    var first = digits.count
    var rest = number
    repeat {
      first -= 1
      digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    append(addingCapacity: digits.count - first) { output in
      for index in first..<digits.count { output.append(digits[index]) }
    }
  }
}

/// The fewest digits that read back as a number: 0.digits × 10^point.
private struct ShortestDecimal {
  var digits: [UInt8] = []
  var point = 0

  /// - Parameter value: Finite and greater than zero.
  init(_ value: Double) {
    // The standard library finds the digits; only its layout differs.
    digits.reserveCapacity(24)
    var afterPoint = false
    var exponent = 0
    var text = value.description.utf8[...]
    if let mark = text.firstIndex(of: UInt8(ascii: "e")) {
      exponent = Int(Substring(text[text.index(after: mark)...])) ?? 0
      text = text[..<mark]
    }
    for byte in text {
      if byte == UInt8(ascii: ".") {
        afterPoint = true
      } else {
        if !afterPoint { point += 1 }
        digits.append(byte)
      }
    }
    point += exponent
    let zeros = digits.prefix { $0 == UInt8(ascii: "0") }.count
    digits.removeFirst(zeros)
    point -= zeros
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
  }
}
