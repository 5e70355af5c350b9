import BinderyCore
import BinderyJSON
import BinderyMenu
import BindingLaws
import FoundationEssentials
import Testing

/// Checks the laws for a type and requires that each law in `laws` was tried often enough.
private func check<Value: Editable>(
  _: Value.Type, samples: [Value] = [], rounds: Int = 25, laws: Set<Law> = [.member, .composition, .equality, .codec],
  location: SourceLocation = #_sourceLocation
) {
  var generator = SeededGenerator(seed: 20_261_121)
  let report = lawReport(of: Value.self, samples: samples, rounds: rounds, using: &generator)
  for violation in report.violations { Issue.record("\(violation)", sourceLocation: location) }
  #expect(report.accepted * 8 > report.generated, "too few values satisfy the constraints", sourceLocation: location)
  for law in laws {
    #expect(
      report.checkCounts[law, default: 0] > 20, "the \(law) law was checked at most 20 times", sourceLocation: location)
  }
}

struct LawTests {
  @Test func `the laws hold for the menu`() {
    let menu = Menu(today: CalendarDay(number: 20_000), evening: Date(timeIntervalSince1970: 1_728_068_400))
    check(Menu.self, samples: [menu], laws: Set(Law.allCases))
  }

  @Test func `the laws hold for the parts of the menu`() {
    check(Dish.self)
    check(Status.self)
    check(Time.self)
    check(DayCard.self)
  }

  @Test func `the laws hold for a member that JSON leaves out while it is nil`() {
    check(Parcel.self)
  }

  @Test func `the laws hold for optionals of optionals`() {
    check(Layers.self, laws: [.member, .merge, .case, .composition, .affine, .optional, .equality, .codec])
    check(Int???.self, laws: [.member, .optional, .composition, .codec])
  }

  @Test func `the laws hold for enums in optionals in enums`() {
    check(Light.self, laws: [.member, .merge, .case, .composition, .affine, .optional, .equality, .codec])
    check(Light??.self)
  }

  @Test func `the laws hold for an enum of forty cases`() {
    check(Forty.self, laws: [.member, .case, .affine, .codec])
  }

  @Test func `the laws hold for types with an enum without cases`() { check(UninhabitedParts.self) }

  @Test func `the laws hold for dictionaries and arrays`() {
    check(Shelf.self, laws: [.member, .merge, .composition, .affine, .equality, .codec])
  }

  @Test func `the laws hold for elements that contain elements`() {
    check(Cabinet.self, laws: [.member, .merge, .composition, .affine, .optional, .equality, .codec])
  }

  @Test func `the laws hold for computed members that keep, adjust or drop values`() {
    check(Thermostat.self, laws: [.member, .merge, .composition, .computed, .equality, .codec])
  }

  @Test func `the laws hold for scalars`() {
    check(String.self)
    check(Int.self)
    check(Double.self)
    check(Bool.self)
    check(Date.self)
    check(CalendarDay.self)
    check(UUID.self)
  }
}

/// Types that break a law; the check must report each of them.
struct LawViolationTests {
  @Test func `an equality that compares only ids is reported`() {
    #expect(laws(brokenBy: Shallow.self).contains(.equality))
  }

  @Test func `a computed member with a missing source is reported`() {
    #expect(laws(brokenBy: Forgetful.self).contains(.computed))
  }

  @Test func `a case path that extracts another value is reported`() {
    #expect(laws(brokenBy: Crooked.self).contains(.case))
  }

  @Test func `a case that the shape does not list is reported`() {
    var generator = SeededGenerator(seed: 3)
    let violations = lawViolations(of: Partial.self, samples: [.unlisted], rounds: 1, using: &generator)
    #expect(violations.contains { $0.law == .case || $0.law == .codec })
  }

  @Test func `a scalar that decodes another value than it encodes is reported`() {
    #expect(laws(brokenBy: Rounded.self).contains(.codec))
  }

  @Test func `a violation describes the place and contains the values`() throws {
    var generator = SeededGenerator(seed: 3)
    let violation = try #require(lawViolations(of: Forgetful.self, using: &generator).first { $0.law == .computed })
    #expect(violation.description.contains("“sum” depends on more"))
    #expect(violation.values.allSatisfy { $0.hasPrefix("{\"a\":") })
  }

  @Test func `the same seed produces the same violations`() {
    var (one, two) = (SeededGenerator(seed: 9), SeededGenerator(seed: 9))
    #expect(lawViolations(of: Forgetful.self, using: &one) == lawViolations(of: Forgetful.self, using: &two))
  }

  private func laws<Value: Editable>(brokenBy _: Value.Type) -> Set<Law> {
    var generator = SeededGenerator(seed: 3)
    return Set(lawViolations(of: Value.self, using: &generator).map(\.law))
  }
}

/// Its equality compares only the ids.
private struct Shallow: Editable, Equatable {
  var id: Bool
  var text: String
  static func == (a: Shallow, b: Shallow) -> Bool { a.id == b.id }
  static let shape = EditableShape<Shallow>.members(
    Shallow.init, StoredMember("id", \.id), StoredMember("text", \.text))
}

/// Its computed member does not declare the source `b`.
private struct Forgetful: Editable {
  var a: Bool
  var b: Bool
  var sum: Bool { a != b }
  static let shape = EditableShape<Forgetful>.members(
    Forgetful.init, StoredMember("a", \.a), StoredMember("b", \.b),
    computed: [ComputedMember("sum", readOnly: \.sum, from: \.a)])
}

/// Its case path extracts another value than it embeds.
private enum Crooked: Editable {
  case number(Int)
  case other
  static let shape = EditableShape<Crooked>.cases(
    EnumCase("number", Crooked.number) { if case .number(let it) = $0 { it &+ 1 } else { nil } },
    EnumCase("other", Crooked.other) { if case .other = $0 { () } else { nil } })
}

/// Its shape does not list the case `unlisted`.
private enum Partial: Editable {
  case listed, unlisted
  static let shape = EditableShape<Partial>.cases(EnumCase("listed", Partial.listed))
}

/// It encodes another value than it decodes.
private struct Rounded: Editable {
  var value: Int
  static let shape = EditableShape<Rounded>.scalar(
    "Rounded", schemaType: "number", example: "3", expected: "an integer", encode: { $1.integer(Int64($0.value &+ 1)) },
    decode: { node in node.double.flatMap { Int(exactly: $0) }.map { Rounded(value: $0) } })
}

private struct Parcel: Editable {
  var size: Int?
  var label: String?

  static let shape = EditableShape<Parcel>.members(
    Parcel.init, StoredMember("size", omittedWhenNil: \.size), StoredMember("label", omittedWhenNil: \.label))
}
