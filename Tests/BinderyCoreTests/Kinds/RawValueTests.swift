import BinderyCore
import BinderyFuzzTargets
import BinderyJSON
import Testing

struct RawValueTests {
  @Test func `the JSON of an enum with raw values is the raw value`() throws {
    #expect(Draft(Sensor.Mode.allCases).json == #"["idle","measuring…","café"]"#)
    #expect(Draft(Sensor.Range.wide).json == "100")
    #expect(try Draft<Sensor.Range>(json: "1.0").root == .narrow)
    #expect(try Draft<Half>(json: "0.5").root == .half)
    for mode in Sensor.Mode.allCases { #expect(try Draft<Sensor.Mode>(json: Draft(mode).json).root == mode) }
  }

  @Test(arguments: ["\"Idle\"", "\"\"", "\"measuring\"", "\"cafe\u{301}\"", "null", "1", "[\"idle\"]", "{\"idle\":{}}"])
  func `any other value is invalid, and the message lists the values`(json: String) {
    let error = #expect(throws: ValidationError.self) { try Draft<Sensor.Mode>(json: json) }
    let isString = json.hasPrefix("\"")
    #expect(error?.expected == (isString ? #"one of "idle", "measuring…", "café""# : "a string"))
  }

  @Test(arguments: ["2", "0", "1.5", "99999999999999999999", "\"1\"", "true"])
  func `any other number is invalid`(json: String) {
    #expect(throws: ValidationError.self) { try Draft<Sensor.Range>(json: json) }
  }

  private enum Weekday: String, CaseIterable, PathKey, Editable {
    case monday, tuesday
    static let shape = EditableShape<Weekday>.rawValues()
  }

  private struct Opening: Editable {
    var hours: [Weekday: Int] = [:]
    var note: String?
    var count = 1
    static let shape = EditableShape<Opening>.members(
      Opening.init, StoredMember("hours", \.hours), StoredMember("note", readOnly: \.note, default: nil),
      StoredMember("count", \.count, .within(0..<5), default: 1))
  }

  @Test func `an enum with raw values is a key, and a read-only member may have a default`() throws {
    var draft = try Draft<Opening>(json: #"{"hours":{"tuesday":8}}"#, .creating)
    #expect(draft.root.hours == [.tuesday: 8] && draft.root.note == nil)
    try draft.put("/hours/monday", "9")
    #expect(draft.json == #"{"hours":{"monday":9,"tuesday":8},"note":null,"count":1}"#)
    let unknown = #"{"hours":{"sunday":1}}"#
    let error = #expect(throws: ValidationError.self) { try Draft<Opening>(json: unknown, .creating) }
    #expect(error?.expected == "one of monday, tuesday")
    #expect(try Draft<Opening>(json: #"{"hours":{},"count":4}"#, .creating).root.count == 4)
    #expect(throws: ValidationError.self) { try Draft<Opening>(json: #"{"hours":{},"count":5}"#, .creating) }
  }

  @Test func `a message lists at most twenty values`() {
    let error = #expect(throws: ValidationError.self) { try Draft<Many>(json: "100") }
    #expect(error?.expected?.hasPrefix("one of 0, 1, 2, ") == true)
    #expect(error?.expected?.hasSuffix(", 19, … (30 values)") == true)
  }

  @Test func `a value that is not one of the cases is rejected`() {
    #expect(throws: ValidationError.self) { try Many.shape.check(Many(rawValue: 30)) }
    #expect(throws: Never.self) { try Many.shape.check(Many(rawValue: 29)) }
  }

  @Test func `a change of the values changes the layout of the store`() {
    #expect(Sensor.Range.shape.type.storedLayout == [" int64 1", " int64 100"])
    #expect(Sensor.shape.type.storedLayout.contains("/firmware base64"))
    #expect(Sensor.shape.type.storedLayout.contains("/tags set"))
  }

  @Test func `a mistake in the declaration stops the program with a message`() async {
    await #expect(processExitsWith: .failure) { _ = Empty.shape }
    await #expect(processExitsWith: .failure) { _ = Parted.shape }
  }
}

private enum Half: Double, CaseIterable, Editable {
  case zero = 0
  case half = 0.5
  static let shape = EditableShape<Half>.rawValues()
}

/// A struct with raw values that lists some of its values.
private struct Many: RawRepresentable, CaseIterable, Editable {
  let rawValue: Int
  static var allCases: [Many] { (0..<30).map(Many.init(rawValue:)) }
  static let shape = EditableShape<Many>.rawValues()
}

private struct Empty: RawRepresentable, CaseIterable, Editable {
  let rawValue: Int
  static var allCases: [Empty] { [] }
  static let shape = EditableShape<Empty>.rawValues()
}

/// Its raw value is an array, which is not a scalar.
private struct Parted: RawRepresentable, CaseIterable, Editable {
  let rawValue: [Int]
  static var allCases: [Parted] { [Parted(rawValue: [])] }
  static let shape = EditableShape<Parted>.rawValues()
}
