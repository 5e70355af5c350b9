import BinderyCore
import Testing

/// Texts with too many combining marks, which JSON of a client may not have where they would be compared, and with which
/// a store could not be opened again.
struct CombiningMarkTests {
  private static let text = "a" + String(repeating: "\u{301}", count: 31)

  @Test func `a key that Swift code sets is refused if it could not be decoded again`() {
    let error = #expect(throws: ValidationError.self) { try [String: Int].shape.check([Self.text: 1], since: [:]) }
    #expect(error?.detail == "a key has more than 30 combining marks in a row")
    let shorter = String(Self.text.unicodeScalars.dropLast())
    #expect(throws: Never.self) { try [String: Int].shape.check([shorter: 1], since: nil) }
    let nested: [Int: [String: Int]] = [1: [Self.text: 1]]
    #expect(throws: ValidationError.self) { try [Int: [String: Int]].shape.check(nested, since: nil) }
  }

  @Test func `an element of a set that Swift code sets is refused if it could not be decoded again`() {
    let error = #expect(throws: ValidationError.self) { try Set<String>.shape.check(["b", Self.text], since: ["b"]) }
    #expect(error?.detail == "a text in a set has more than 30 combining marks in a row")
    #expect(throws: Never.self) {
      try Set<String>.shape.check([String(Self.text.unicodeScalars.dropLast())], since: nil)
    }
  }
}
