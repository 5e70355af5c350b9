import BinderyCore
import BindingLaws
import Testing

/// Laws of models that are correct, although a write depends on what was there before.
struct KeptMemberLawTests {
  /// Checks a type with several seeds, because few of the random values show each case.
  private func check<Value: Editable>(
    _: Value.Type, samples: [Value] = [], _ laws: Set<Law> = [.member, .composition],
    location: SourceLocation = #_sourceLocation
  ) {
    var counts: [Law: Int] = [:]
    for seed in 1...4 {
      var generator = SeededGenerator(seed: UInt64(seed))
      let report = lawReport(of: Value.self, samples: samples, rounds: 25, using: &generator)
      for violation in report.violations.prefix(2) { Issue.record("\(violation)", sourceLocation: location) }
      counts.merge(report.checkCounts) { $0 + $1 }
    }
    for law in laws {
      #expect(counts[law, default: 0] > 20, "the \(law) law was checked at most 20 times", sourceLocation: location)
    }
  }

  @Test func `the laws hold for payloads with an id or read-only members`() {
    check(Sheet.self, [.member, .case, .composition])
    check(Sheet?.self)
    check(Loan.self)
  }

  @Test func `the laws hold for optionals and entries with an id or read-only members`() {
    check(Cupboard.self, [.member, .optional, .composition])
    check([String: Label].self)
  }

  @Test func `the laws hold for an optional with hidden members that a getter reads`() {
    check(Remark?.self, samples: [Remark(text: "b", previous: "a")])
  }

  @Test func `the laws hold for a computed collection whose setter normalizes`() {
    check(Sorted.self, [.member, .computed, .affine])
  }

  @Test func `the laws hold for a computed member with a computed source`() {
    check(Chained.self, [.member, .computed])
  }

  @Test func `the laws hold for computed numbers that are not finite`() {
    check(Quotient.self, [.member, .codec, .storage, .computed])
  }

  @Test func `an incomplete list of sources of a source is reported`() {
    var generator = SeededGenerator(seed: 1)
    let violations = lawViolations(of: BrokenChain.self, using: &generator)
    #expect(violations.contains { $0.law == .computed && $0.detail.contains("“c” depends on more members") })
  }
}

private struct Part: Editable, Identifiable {
  let id: Int
  var name: String

  static let shape = EditableShape<Part>.members(
    Part.init(id:name:), StoredMember("id", id: \.id), StoredMember("name", \.name))
}

private struct Label: Editable {
  let serial: Int
  var name: String

  static let shape = EditableShape<Label>.members(
    Label.init(serial:name:), StoredMember("serial", readOnly: \.serial), StoredMember("name", \.name))
}

private enum Sheet: Editable {
  case closed
  case editing(Part)
  case labelling(Label)
  case lending(part: Part, days: Int)
  case moving(part: Part)

  static let shape = EditableShape<Sheet>.cases(
    EnumCase("closed", .closed) { if case .closed = $0 { () } else { nil } },
    EnumCase("editing", Sheet.editing) { if case .editing(let part) = $0 { part } else { nil } },
    EnumCase("labelling", Sheet.labelling) { if case .labelling(let label) = $0 { label } else { nil } },
    EnumCase("lending", Sheet.lending(part:days:), StoredMember("part", \.0), StoredMember("days", \.1)) {
      if case .lending(let part, let days) = $0 { (part, days) } else { nil }
    },
    EnumCase("moving", label: "part", Sheet.moving(part:)) { if case .moving(let part) = $0 { part } else { nil } })
}

private enum Loan: Editable {
  case none
  case lent(days: Int, serial: Int)

  static let shape = EditableShape<Loan>.cases(
    EnumCase("none", .none) { if case .none = $0 { () } else { nil } },
    EnumCase("lent", Loan.lent(days:serial:), StoredMember("days", \.0), StoredMember("serial", readOnly: \.1)) {
      if case .lent(let days, let serial) = $0 { (days, serial) } else { nil }
    })
}

private struct Cupboard: Editable {
  var label: Label?
  var layers: Label??
  var part: Part?
  var sheet: Sheet?
  var parts: [String: Part]
  var maybeParts: [Int: Part?]

  static let shape = EditableShape<Cupboard>.members(
    Cupboard.init(label:layers:part:sheet:parts:maybeParts:), StoredMember("label", \.label),
    StoredMember("layers", \.layers), StoredMember("part", \.part), StoredMember("sheet", \.sheet),
    StoredMember("parts", \.parts), StoredMember("maybeParts", \.maybeParts))
}

private struct Remark: Editable {
  var text: String
  var previous: String?
  var full: String { (previous ?? "") + text }

  static let shape = EditableShape<Remark>.members(
    Remark.init(text:previous:), StoredMember("text", \.text),
    StoredMember(hidden: "previous", \.previous, default: nil),
    computed: [ComputedMember("full", readOnly: \.full, from: \.text, \.previous)])
}

/// Setting the sorted parts also trims their names.
private struct Sorted: Editable {
  var parts: Identified<Part>
  var sorted: Identified<Part> {
    get { Identified(uniquing: parts.sorted { $0.id < $1.id }) }
    set { parts = Identified(uniquing: newValue.map { Part(id: $0.id, name: String($0.name.prefix(1))) }) }
  }

  static let shape = EditableShape<Sorted>.members(
    Sorted.init(parts:), StoredMember("parts", \.parts), computed: [ComputedMember("sorted", \.sorted, from: \.parts)])
}

private struct Chained: Editable {
  var a: Bool
  var d: Bool
  var b: Bool { !a }
  var c: Bool { !b }

  static let shape = EditableShape<Chained>.members(
    Chained.init(a:d:), StoredMember("a", \.a), StoredMember("d", \.d),
    computed: [ComputedMember("b", readOnly: \.b, from: \.a), ComputedMember("c", readOnly: \.c, from: \.b)])
}

private struct BrokenChain: Editable {
  var a: Bool
  var d: Bool
  var b: Bool { !a }
  var c: Bool { b != d }

  static let shape = EditableShape<BrokenChain>.members(
    BrokenChain.init(a:d:), StoredMember("a", \.a), StoredMember("d", \.d),
    computed: [ComputedMember("b", readOnly: \.b, from: \.a), ComputedMember("c", readOnly: \.c, from: \.b)])
}

private struct Quotient: Editable {
  var x: Double
  var y: Double
  var inverse: Double { 1 / x }
  var all: [Double] { [inverse, x / y, y] }

  static let shape = EditableShape<Quotient>.members(
    Quotient.init(x:y:), StoredMember("x", \.x), StoredMember("y", \.y),
    computed: [
      ComputedMember("inverse", readOnly: \.inverse, from: \.x), ComputedMember("all", readOnly: \.all, from: \.x, \.y),
    ])
}
