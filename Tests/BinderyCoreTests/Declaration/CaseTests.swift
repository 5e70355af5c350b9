import BinderyCore
import BinderyJSON
import BindingLaws
import Testing

/// The forms in which a case can be declared.
struct CaseTests {
  @Test func `the laws hold for cases with several labelled payloads`() {
    var generator = SeededGenerator(seed: 5)
    let report = lawReport(of: Signal.self, rounds: 60, using: &generator)
    #expect(report.violations == [])
    #expect(report.checkCounts[.case, default: 0] > 20)
    #expect(report.checkCounts[.member, default: 0] > 20)
  }

  @Test func `several payloads are members with constraints and defaults`() throws {
    #expect(try decoded(#"{"move":{"x":3,"y":0.5,"note":null}}"#) == .move(x: 3, y: 0.5, note: nil))
    #expect(throws: ValidationError.self) { try decoded(#"{"move":{"x":11,"y":0.5,"note":null}}"#) }
    #expect(throws: ValidationError.self) { try decoded(#"{"move":{"x":3,"y":0.5}}"#) }
    #expect(try decoded(#"{"move":{"x":3,"y":0.5}}"#, .creating) == .move(x: 3, y: 0.5, note: nil))
  }

  @Test func `the payloads of a case have typed places`() throws {
    let x = Signal.places[case: Signal.move].map(\.0)
    #expect(x.path == "/move/x")
    var signal = Signal.move(x: 3, y: 0.5, note: "n")
    try x.edit(in: &signal) { $0 += 1 }
    #expect(signal == .move(x: 4, y: 0.5, note: "n"))
    signal = .red
    #expect(throws: Absence.self) { try x.value(in: signal) }
  }

  @Test func `a case without payload is active exactly in its own value`() {
    let shape = Signal.shape
    for (value, json) in [(Signal.red, #""red""#), (.green, #""green""#)] {
      #expect(encoded(value, shape) == json)
      #expect(shape.areSame(value, value))
      #expect(!shape.areSame(value, .dark(hours: 1)))
    }
    #expect(!shape.areSame(.red, .green))
  }

  @Test func `an enum without equality declares a case by a closure`() throws {
    #expect(encoded(Incomparable.off, Incomparable.shape) == #""off""#)
    #expect(encoded(Incomparable.on(7), Incomparable.shape) == #"{"on":7}"#)
  }

  private func decoded(_ json: String, _ strictness: Decoding.Strictness = .complete) throws -> Signal {
    var decoding = Decoding(strictness)
    return try Signal.shape.decode(JSONDocument(parsing: Array(json.utf8)).root, &decoding)
  }

  private func encoded<Value>(_ value: Value, _ shape: EditableShape<Value>) -> String {
    var writer = JSONWriter()
    shape.encode(value, into: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

private enum Signal: Editable, Equatable {
  case red, green
  case dark(hours: Int)
  case move(x: Int, y: Double, note: String?)

  static let dark = EnumCase("dark", label: "hours", Signal.dark(hours:)) {
    if case .dark(let hours) = $0 { hours } else { nil }
  }
  static let move = EnumCase(
    "move", Signal.move(x:y:note:), StoredMember("x", \.0, .within(0...10)), StoredMember("y", \.1),
    StoredMember("note", \.2, default: nil)
  ) {
    if case .move(let x, let y, let note) = $0 { (x, y, note) } else { nil }
  }
  static let shape = EditableShape<Signal>.cases(
    EnumCase("red", Signal.red), EnumCase("green", Signal.green), dark, move)
}

private enum Incomparable: Editable {
  case off
  case on(Int)

  static let on = EnumCase("on", Incomparable.on) { if case .on(let it) = $0 { it } else { nil } }
  static let shape = EditableShape<Incomparable>.cases(
    EnumCase("off", Incomparable.off) { if case .off = $0 { () } else { nil } }, on)
}
