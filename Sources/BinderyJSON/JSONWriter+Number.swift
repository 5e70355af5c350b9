import BinderyText

extension JSONWriter {
  /// Writes a signed integer in decimal.
  package mutating func integer(_ value: Int64) {
    separate()
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    bytes.append(decimal: value.magnitude)
  }

  /// Writes a number with the fewest digits that parse as the same `Double`, like ECMAScript's `Number::toString`.
  ///
  /// Unlike in ECMAScript, minus zero is written as `-0`, so that it round-trips.
  /// - Precondition: The number is finite. JSON has neither infinities nor NaN.
  package mutating func double(_ value: Double) { shortest(value) }

  /// Writes a number with the fewest digits that parse as the same `Float`, in the layout of ``double(_:)``.
  ///
  /// - Precondition: The number is finite. JSON has neither infinities nor NaN.
  package mutating func float(_ value: Float) { shortest(value) }

  @inline(__always)
  private mutating func shortest<Number: BinaryFloatingPoint & LosslessStringConvertible>(_ value: Number) {
    precondition(value.isFinite, "JSON cannot represent \(value)")
    separate()
    if value.sign == .minus { bytes.append(UInt8(ascii: "-")) }
    let magnitude = value.magnitude
    // Up to this power of two (2^53 for `Double`) every integer is representable, so its digits are the shortest.
    if magnitude <= Number(1 << (Number.significandBitCount + 1)), magnitude == Number(UInt64(magnitude)) {
      bytes.append(decimal: UInt64(magnitude))
    } else {
      append(ShortestDecimal(magnitude.description))
    }
  }

  /// Writes the digits in the layout of ECMA-262 §6.1.6.1.20, which depends on the position of the decimal point.
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

/// The shortest decimal that parses as the same floating-point number: 0.digits × 10^point.
private struct ShortestDecimal {
  var digits: [UInt8] = []
  var point = 0

  /// Creates the decimal of a number.
  ///
  /// - Parameter description: The `description` of a finite number greater than zero. It already has the shortest
  ///   digits, only in another layout.
  init(_ description: String) {
    digits.reserveCapacity(24)
    var afterPoint = false
    var exponent = 0
    var text = description.utf8[...]
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
