/// Parses fixed-width decimal numbers from the beginning of a text.
struct DigitScanner {
  private var remaining: Substring.UTF8View

  init(_ text: String) { remaining = text[...].utf8 }

  /// Whether no text remains.
  var isAtEnd: Bool { remaining.isEmpty }

  /// Removes `count` digits and returns their number; nil if there are fewer.
  mutating func scan(_ count: Int) -> Int? {
    var number = 0
    for _ in 0..<count {
      guard let digit = scanDigit() else { return nil }
      number = number * 10 + digit
    }
    return number
  }

  /// Removes one digit and returns its value; nil if the next character is not a digit.
  mutating func scanDigit() -> Int? {
    guard let byte = remaining.first, byte >= 0x30, byte <= 0x39 else { return nil }
    remaining.removeFirst()
    return Int(byte) - 0x30
  }

  /// Removes the next character if it is one of the ASCII `characters`; returns whether it was.
  mutating func scan(_ characters: Unicode.Scalar...) -> Bool {
    guard let byte = remaining.first, characters.contains(where: { UInt8(ascii: $0) == byte }) else { return false }
    remaining.removeFirst()
    return true
  }
}
