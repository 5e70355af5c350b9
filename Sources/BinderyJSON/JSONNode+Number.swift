extension JSONNode {
  /// The result of reading a value as an integer.
  @usableFromInline
  package enum IntegerResult: Sendable, Equatable {
    case value(Int64)
    /// The value is not a JSON number.
    case notANumber
    /// The number has a fractional part.
    case fractional
    /// The number does not fit in an `Int64`.
    case outOfRange
  }

  /// Returns the value as an exact integer.
  ///
  /// The value decides, not its spelling: `1.0`, `1e2` and `-0` are integers. The conversion never goes through a
  /// `Double`, which would round.
  /// - Complexity: O(*n*) in the length of the text, independent of the exponent.
  package func integer() -> IntegerResult {
    let entry = entry
    guard entry.kind == .number else { return .notANumber }
    let bytes = document.bytes
    let text = bytes.span.extracting(entry.range)
    if let plain = text.plainInteger { return .value(plain) }
    let decimal = JSONDecimal(text)
    if decimal.digitCount == 0 { return .value(0) }
    if decimal.scale < 0 { return .fractional }
    // Every 19-digit number fits in a `UInt64`, and no `Int64` has more than 19 digits.
    guard decimal.digitCount <= 19, decimal.scale <= 19 - decimal.digitCount else { return .outOfRange }
    var magnitude = decimal.magnitude(in: text)
    for _ in 0..<decimal.scale { magnitude *= 10 }
    if decimal.isNegative {
      return magnitude <= Int64.min.magnitude ? .value(Int64(truncatingIfNeeded: 0 &- magnitude)) : .outOfRange
    }
    return Int64(exactly: magnitude).map { .value($0) } ?? .outOfRange
  }

  /// The `Double` nearest to the number, ties to even; nil if the value is not a number or rounds to infinity.
  ///
  /// - Complexity: O(*n*) in the length of the text, independent of the exponent.
  package var double: Double? { nearest(exactDigits: 15, exactScale: 22) }

  /// The `Float` nearest to the number, ties to even; nil if the value is not a number or rounds to infinity.
  ///
  /// The number is rounded only once: rounding it to a `Double` first can give another `Float`.
  /// - Complexity: O(*n*) in the length of the text, independent of the exponent.
  package var float: Float? { nearest(exactDigits: 7, exactScale: 10) }

  /// Returns the nearest floating-point number.
  ///
  /// - Parameters:
  ///   - exactDigits: The number of decimal digits that the type always represents exactly.
  ///   - exactScale: The largest power of ten that the type represents exactly.
  @inline(__always)
  private func nearest<Number: BinaryFloatingPoint & LosslessStringConvertible>(
    exactDigits: Int, exactScale: Int
  ) -> Number? {
    let entry = entry
    guard entry.kind == .number else { return nil }
    let bytes = document.bytes
    let text = bytes.span.extracting(entry.range)
    let decimal = JSONDecimal(text)
    // 10^(order - 1) <= |value| < 10^order. Doubles range from about 10^-324 to 10^308.
    let order = decimal.scale + decimal.digitCount
    let magnitude: Number
    if decimal.digitCount == 0 || order < -330 {
      magnitude = 0
    } else if order > 310 {
      return nil
    } else if decimal.digitCount <= exactDigits, (-exactScale...exactScale).contains(decimal.scale) {
      // Both operands are exact, so the single operation rounds correctly.
      let digits = Number(decimal.magnitude(in: text))
      let power = Number(JSONDecimal.exactPowersOfTen[abs(decimal.scale)])
      magnitude = decimal.scale < 0 ? digits / power : digits * power
    } else {
      guard let rounded = Number(decimal.shortened(in: text)), rounded.isFinite else { return nil }
      magnitude = rounded
    }
    return decimal.isNegative ? -magnitude : magnitude
  }
}

extension Span<UInt8> {
  /// The integer of a text of at most 18 digits and nothing else; nil for any other text. The common fast path.
  fileprivate var plainInteger: Int64? {
    guard count <= 18 else { return nil }
    var value: Int64 = 0
    for index in indices {
      let digit = self[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = value &* 10 &+ Int64(digit)
    }
    return value
  }
}

extension JSONDecimal {
  /// The powers of ten that a `Double` represents exactly.
  fileprivate static let exactPowersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]

  /// Returns the digits as an integer.
  ///
  /// - Precondition: There are at most 19 digits, so that the result fits.
  fileprivate func magnitude(in text: Span<UInt8>) -> UInt64 {
    var magnitude: UInt64 = 0
    forEachDigit(in: text) { digit in
      magnitude = magnitude &* 10 &+ UInt64(digit)
      return true
    }
    return magnitude
  }

  /// Returns an unsigned text of bounded length that rounds to the same `Double` and `Float`.
  ///
  /// A number halfway between two doubles has at most 768 digits. Any further digits only matter as being nonzero, so
  /// a single final 1 replaces them.
  fileprivate func shortened(in text: Span<UInt8>) -> String {
    let limit = 768
    var digits: [UInt8] = []
    digits.reserveCapacity(min(digitCount, limit) + 1)
    forEachDigit(in: text) { digit in
      digits.append(UInt8(ascii: "0") + digit)
      return digits.count < limit
    }
    if digitCount > limit { digits.append(UInt8(ascii: "1")) }
    return String(decoding: digits, as: UTF8.self) + "e\(scale + digitCount - digits.count)"
  }
}
