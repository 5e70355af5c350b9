import BinderyText

/// A number's text split into its parts without rounding: ± digits × 10^scale.
///
/// The digits neither begin nor end with a zero, so equal numbers have equal parts. Zero has no digits.
struct JSONDecimal {
  var isNegative: Bool
  /// The range of the digits in the text. It may contain the decimal point.
  var digits: Range<Int>
  var digitCount: Int
  var scale: Int
  /// Whether the exponent was so large that `scale` is only a lower bound of its magnitude.
  var isSaturated: Bool

  /// The limit at which parsing of an exponent stops. Adding the length of a text to it cannot overflow an `Int`.
  private static let maximumExponent = 1_000_000_000_000_000_000

  /// Splits a number that the parser has already validated.
  ///
  /// - Complexity: O(*n*) in the length of the text.
  init(_ text: Span<UInt8>) {
    isNegative = text[0] == UInt8(ascii: "-")
    isSaturated = false
    var index = isNegative ? 1 : 0
    var point: Int?
    var first: Int?
    var end = index
    scanning: while index < text.count {
      switch text[index] {
      case UInt8(ascii: "0"): break
      case UInt8(ascii: "."): point = index
      case UInt8(ascii: "e"), UInt8(ascii: "E"): break scanning
      default:
        if first == nil { first = index }
        end = index + 1
      }
      index += 1
    }
    guard let first else {
      (digits, digitCount, scale) = (0..<0, 0, 0)
      return
    }
    let unit = point ?? index
    let holdsPoint = first < unit && unit < end
    digits = first..<end
    digitCount = end - first - (holdsPoint ? 1 : 0)
    scale = end <= unit ? unit - end : unit + 1 - end
    if index < text.count { addExponent(text.extracting((index + 1)...)) }
  }

  private mutating func addExponent(_ text: Span<UInt8>) {
    var exponent = 0
    for index in text.indices {
      guard let digit = text[index].hexadecimalValue else { continue }
      guard exponent < Self.maximumExponent / 10 else {
        isSaturated = true
        break
      }
      exponent = exponent * 10 + Int(digit)
    }
    scale += text[0] == UInt8(ascii: "-") ? -exponent : exponent
  }

  /// Calls a closure with each digit, 0 to 9, from left to right, until the closure returns false.
  func forEachDigit(in text: Span<UInt8>, _ body: (UInt8) -> Bool) {
    for index in digits where text[index] != UInt8(ascii: ".") {
      guard body(text[index] - UInt8(ascii: "0")) else { return }
    }
  }

  /// Returns whether two texts spell the same number, for example `1`, `1.0` and `10e-1`.
  static func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    if left.hasSameBytes(as: right) { return true }
    let (a, b) = (JSONDecimal(left), JSONDecimal(right))
    if a.digitCount == 0 || b.digitCount == 0 { return a.digitCount == b.digitCount }
    guard a.isNegative == b.isNegative, a.digitCount == b.digitCount, a.scale == b.scale else { return false }
    guard !a.isSaturated, !b.isSaturated else { return false }
    var (i, j) = (a.digits.lowerBound, b.digits.lowerBound)
    for _ in 0..<a.digitCount {
      if left[i] == UInt8(ascii: ".") { i += 1 }
      if right[j] == UInt8(ascii: ".") { j += 1 }
      guard left[i] == right[j] else { return false }
      i += 1
      j += 1
    }
    return true
  }
}
