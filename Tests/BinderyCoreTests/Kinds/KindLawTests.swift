import BinderyCore
import BinderyFuzzTargets
import BindingLaws
import FoundationEssentials
import Testing

struct KindLawTests {
  @Test func `the laws hold for a model with every kind of value`() {
    check(Sensor.self, rounds: 60, laws: [.member, .composition, .optional, .equality, .codec, .storage])
  }

  @Test func `the laws hold for each kind and for its optionals`() {
    check(Float.self)
    check(URL.self)
    check(Data.self)
    check(Duration.self)
    check(Set<String>.self)
    check(Set<Set<Double>>.self)
    check(Set<Date?>.self)
    check(Sensor.Mode.self)
    check(Sensor.Color.self)
    check(Float???.self)
    check(URL???.self)
    check(Data???.self)
    check(Duration???.self)
    check(Set<URL>???.self)
    check(Sensor.Range???.self)
  }

  @Test func `a set whose equality disagrees with JSON is reported`() {
    var random = SeededGenerator(seed: 3)
    let laws = lawViolations(of: Set<Loose>.self, rounds: 200, using: &random).map(\.law)
    #expect(Set(laws).contains(.equality))
  }

  private func check<Value: Editable>(
    _: Value.Type, rounds: Int = 40, laws: Set<Law> = [.member, .equality, .codec],
    location: SourceLocation = #_sourceLocation
  ) {
    var random = SeededGenerator(seed: 11)
    let report = lawReport(of: Value.self, rounds: rounds, using: &random)
    for violation in report.violations { Issue.record("\(violation)", sourceLocation: location) }
    #expect(report.accepted * 2 > report.generated, "too few values are valid", sourceLocation: location)
    for law in laws { #expect(report.checkCounts[law, default: 0] > 20, "\(law)", sourceLocation: location) }
  }
}

/// Two of them are equal if they have the same parity, although their JSON differs.
private struct Loose: Editable, Hashable {
  var number: Int
  static func == (a: Loose, b: Loose) -> Bool { (a.number - b.number).isMultiple(of: 2) }
  func hash(into hasher: inout Hasher) { hasher.combine(number & 1) }
  static let shape = EditableShape<Loose>.scalar(
    "Loose", as: Int.self, examples: [1, 2, 3, 4], expected: "a number", encode: \.number, decode: Loose.init(number:))
}
