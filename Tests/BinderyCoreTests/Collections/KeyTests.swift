import BinderyCore
import FoundationEssentials
import Testing

struct KeyTests {
  @Test func `string keys are compared by their bytes`() {
    let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    #expect(composed == decomposed)
    #expect(!String._areSame(composed, decomposed))
    #expect(String._areSame(composed, "caf\u{E9}"))
    #expect(!String._areSame("a", "ab"))

    var both: Identified<KeyedValue<String>> = [
      KeyedValue(id: composed, value: 1), KeyedValue(id: decomposed, value: 2),
    ]
    #expect(both.count == 2)
    #expect(both[id: composed]?.value == 1)
    #expect(both[id: decomposed]?.value == 2)
    both.remove(id: composed)
    #expect(both.map(\.value) == [2])
  }

  @Test(arguments: ["", "a", "1234567", "12345678", "123456789", "🍝 Spaghetti Carbonara"])
  func `the text of a string key is the string itself`(text: String) {
    #expect(text.keyText == text)
    #expect(String.key(from: text) == text)
    #expect(String(_keyText: Array(text.utf8).span) == text)
    var bytes = Array("/".utf8)
    text._write(keyTextInto: &bytes)
    #expect(bytes == Array("/\(text)".utf8))
  }

  @Test func `ill-formed UTF-8 is not a string key`() {
    #expect(String(_keyText: ([0xC0, 0x80] as [UInt8]).span) == nil)
    #expect(String(_keyText: ([0xED, 0xA0, 0x80] as [UInt8]).span) == nil)
  }

  @Test(arguments: [0, 7, -7, 10, 1_234_567_890, Int.max, Int.min])
  func `an integer key round-trips through its text`(number: Int) {
    #expect(number.keyText == "\(number)")
    #expect(Int.key(from: "\(number)") == number)
  }

  @Test(arguments: [
    "", "-", "+", "-0", "+1", "01", "-01", "00", " 1", "1 ", "1.0", "1e3", "0x1", "--1", "٣",
    "9223372036854775808", "-9223372036854775809", "99999999999999999999999",
  ])
  func `only the canonical text of an integer is a key`(text: String) {
    #expect(Int.key(from: text) == nil)
  }

  @Test func `a UUID is written in lower case and read in either case`() throws {
    let text = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"
    let id = try #require(UUID(uuidString: text))
    #expect(id.keyText == text)
    #expect(UUID.key(from: text) == id)
    #expect(UUID.key(from: text.uppercased()) == id)
    #expect(UUID.key(from: "F81d4faE-7dec-11d0-A765-00a0c91e6bf6") == id)
  }

  @Test func `a UUID round-trips through its text`() {
    for _ in 0..<1_000 {
      let id = UUID()
      #expect(id.keyText == id.uuidString.lowercased())
      #expect(UUID.key(from: id.keyText) == id)
    }
  }

  @Test func `a UUID with any wrong byte is ill-formed`() {
    let text = Array("f81d4fae-7dec-11d0-a765-00a0c91e6bf6".utf8)
    for i in text.indices {
      let isDash = text[i] == UInt8(ascii: "-")
      for byte in UInt8.min...UInt8.max {
        let isRight = isDash ? byte == text[i] : byte < 0x80 && Character(UnicodeScalar(byte)).isHexDigit
        var copy = text
        copy[i] = byte
        #expect((UUID(_keyText: copy.span) != nil) == isRight, "byte \(byte) at \(i)")
      }
      #expect(UUID(_keyText: Array(text[..<i]).span) == nil)
    }
    #expect(UUID(_keyText: (text + [UInt8(ascii: "0")]).span) == nil)
    #expect(UUID.key(from: "{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}") == nil)
    #expect(UUID.key(from: "f81d4fae7dec11d0a76500a0c91e6bf6") == nil)
  }

  @Test func `only a UUID can never be mistaken for an index`() {
    #expect(Int._couldBeIndex)
    #expect(String._couldBeIndex)
    #expect(!UUID._couldBeIndex)
  }

  @Test func `the text of a number, a UUID or a day can always be a segment of a URL`() throws {
    let id = try #require(UUID(uuidString: "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"))
    requireUsableText([Int.min, -1, 0, .max])
    requireUsableText([id, UUID()])
    requireUsableText([CalendarDay.range.lowerBound, CalendarDay.range.upperBound])
    #expect(!String._textIsAlwaysUsable)
    #expect(!Pointer.isMemberName(".."))
  }

  private func requireUsableText<Key: PathKey>(_ keys: [Key]) {
    #expect(Key._textIsAlwaysUsable)
    for key in keys { #expect(Pointer.isMemberName(key.keyText), "\(key.keyText)") }
  }
}
