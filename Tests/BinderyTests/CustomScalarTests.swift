import Bindery
import Testing

/// A custom scalar, declared and used with the public API of `Bindery` alone.
struct CustomScalarTests {
  @Test func `a store accepts and returns values of a custom scalar`() async throws {
    let store = Store(Lamp())
    let color = Lamp.places.color
    #expect(try store.read(color) == Color(red: 255, green: 136, blue: 0))
    try await store.edit(color) { $0.blue = 7 }
    #expect(try store.read(color).hex == "#ff8807")
    #expect(store.revision == 1)
  }

  @Test func `a value that decoding rejects is rejected at commit`() async throws {
    let store = Store(Lamp())
    let even = Lamp.places.even
    let error = await #expect(throws: CommitError.self) { try await store.edit(even) { $0.number = 3 } }
    #expect(error?.description == "invalid value: 3 is not an even number (at /even)")
    #expect(store.revision == 0)
  }

  @Test func `a constraint on the JSON of a custom scalar holds`() async throws {
    let store = Store(Lamp())
    let even = Lamp.places.even
    let error = await #expect(throws: CommitError.self) { try await store.edit(even) { $0.number = 12 } }
    let expected = "an integer from 0 to 10"
    #expect(error?.description == "invalid value: 12 is not \(expected) (at /even)")
    #expect(store.revision == 0)
  }

  @Test func `an invalid example stops the program with a message`() async {
    await #expect(processExitsWith: .failure) {
      _ = EditableShape<Even>.scalar(
        "Even", as: Int.self, examples: [1], expected: "an even number", encode: \.number, decode: Even.init(number:))
    }
    await #expect(processExitsWith: .failure) {
      _ = EditableShape<Even>.scalar(
        "Even", as: Int.self, examples: [], expected: "an even number", encode: \.number, decode: Even.init(number:))
    }
  }
}

struct Lamp: StateModel {
  var color = Color(red: 255, green: 136, blue: 0)
  var even = Even(unchecked: 2)
  var mode = Mode.off

  enum Mode: String, CaseIterable, Editable {
    case off, on
    static let shape = EditableShape<Mode>.rawValues()
  }

  static let shape = EditableShape<Lamp>.members(
    Lamp.init, StoredMember("color", \.color), StoredMember("even", \.even), StoredMember("mode", \.mode))
}

struct Color: Editable, Equatable {
  var red, green, blue: UInt8

  init(red: UInt8, green: UInt8, blue: UInt8) { (self.red, self.green, self.blue) = (red, green, blue) }

  init?(hex: String) {
    guard hex.hasPrefix("#"), hex.utf8.count == 7, !hex.contains("+"), let number = Int(hex.dropFirst(), radix: 16)
    else { return nil }
    self.init(red: UInt8(number >> 16), green: UInt8(number >> 8 & 255), blue: UInt8(number & 255))
  }

  var hex: String {
    let digits = String(Int(red) << 16 | Int(green) << 8 | Int(blue), radix: 16)
    return "#" + String(repeating: "0", count: 6 - digits.count) + digits
  }

  static let shape = EditableShape<Color>.scalar(
    "Color", as: String.self, pattern: "^#[0-9A-Fa-f]{6}$", examples: ["#ff8800", "#000000"],
    expected: "a color such as #ff8800", encode: \.hex, decode: Color.init(hex:))
}

struct Even: Editable {
  var number: Int

  init?(number: Int) {
    guard number.isMultiple(of: 2) else { return nil }
    self.number = number
  }

  init(unchecked number: Int) { self.number = number }

  static let shape = EditableShape<Even>.scalar(
    "Even", as: Int.self, .within(0...10), examples: [2, 0, 10], expected: "an even number", encode: \.number,
    decode: Even.init(number:))
}
