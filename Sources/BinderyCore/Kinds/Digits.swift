/// Takes fixed numbers of digits from the front of a text.
struct Digits {
  private var rest: Substring.UTF8View

  init(_ text: String) { rest = text[...].utf8 }

  var isAtEnd: Bool { rest.isEmpty }

  /// That many digits as a number; nil where there are fewer.
  mutating func take(_ count: Int) -> Int? {
    var number = 0
    for _ in 0..<count {
      guard let digit = takeDigit() else { return nil }
      number = number * 10 + digit
    }
    return number
  }

  mutating func takeDigit() -> Int? {
    guard let byte = rest.first, byte >= 0x30, byte <= 0x39 else { return nil }
    rest.removeFirst()
    return Int(byte) - 0x30
  }

  /// One of these characters, if it comes next.
  mutating func take(_ characters: Unicode.Scalar...) -> Bool {
    guard let byte = rest.first, characters.contains(where: { UInt8(ascii: $0) == byte }) else { return false }
    rest.removeFirst()
    return true
  }

  static func padded(_ number: Int, to width: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.count)) + text
  }
}
