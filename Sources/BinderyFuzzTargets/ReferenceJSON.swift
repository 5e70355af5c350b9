/// A reference JSON validator: a slow recursive descent parser that follows the grammar of RFC 8259 rule by rule and
/// shares no code with the parser under test.
struct ReferenceJSON {
  private var rest: ArraySlice<UInt8>

  /// Returns whether bytes are a valid JSON text within a nesting limit.
  static func accepts(_ bytes: [UInt8], maximumDepth: Int = 64) -> Bool {
    guard String(validating: bytes, as: UTF8.self) != nil else { return false }
    var text = ReferenceJSON(rest: bytes[...])
    guard text.takeValue(maximumDepth) else { return false }
    return text.rest.isEmpty
  }

  private mutating func takeValue(_ depth: Int) -> Bool {
    skipWhitespace()
    defer { skipWhitespace() }
    switch rest.first.map({ Unicode.Scalar($0) }) {
    case "{": return depth > 0 && takeList("{", "}") { $0.takeMember(depth - 1) }
    case "[": return depth > 0 && takeList("[", "]") { $0.takeValue(depth - 1) }
    case "\"": return takeString()
    case "t": return take("true")
    case "f": return take("false")
    case "n": return take("null")
    default: return takeNumber()
    }
  }

  private mutating func takeList(_ open: String, _ close: String, _ item: (inout Self) -> Bool) -> Bool {
    guard take(open) else { return false }
    skipWhitespace()
    if take(close) { return true }
    repeat {
      guard item(&self) else { return false }
    } while take(",")
    return take(close)
  }

  private mutating func takeMember(_ depth: Int) -> Bool {
    skipWhitespace()
    guard takeString() else { return false }
    skipWhitespace()
    return take(":") && takeValue(depth)
  }

  private mutating func takeString() -> Bool {
    guard take("\"") else { return false }
    while let byte = rest.popFirst() {
      switch Unicode.Scalar(byte) {
      case "\"": return true
      case "\\": if !takeEscape() { return false }
      case "\u{0}"..."\u{1F}": return false
      default: continue
      }
    }
    return false
  }

  private mutating func takeEscape() -> Bool {
    guard let byte = rest.popFirst() else { return false }
    if "\"\\/bfnrt".utf8.contains(byte) { return true }
    guard byte == UInt8(ascii: "u"), let unit = takeCodeUnit() else { return false }
    // An unpaired surrogate has no UTF-8 encoding.
    guard (0xD800...0xDFFF).contains(unit) else { return true }
    guard unit < 0xDC00, take("\\u"), let second = takeCodeUnit() else { return false }
    return (0xDC00...0xDFFF).contains(second)
  }

  private mutating func takeCodeUnit() -> Int? {
    let digits = rest.prefix(4)
    guard digits.count == 4, digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }) else { return nil }
    rest = rest.dropFirst(4)
    return Int(digits.text, radix: 16)
  }

  private mutating func takeNumber() -> Bool {
    _ = take("-")
    if !take("0") { guard takeDigits() else { return false } }
    if take(".") { guard takeDigits() else { return false } }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      guard takeDigits() else { return false }
    }
    return true
  }

  private mutating func takeDigits() -> Bool {
    let digits = rest.prefix { (0x30...0x39).contains($0) }
    rest = rest.dropFirst(digits.count)
    return !digits.isEmpty
  }

  private mutating func take(_ text: String) -> Bool {
    guard rest.starts(with: text.utf8) else { return false }
    rest = rest.dropFirst(text.utf8.count)
    return true
  }

  private mutating func skipWhitespace() { rest = rest.drop { " \t\r\n".utf8.contains($0) } }
}
