import BinderyCore
import Testing

struct AccessTests {
  private struct Person: Equatable {
    var name = "Ada"
    var pet: Pet? = Pet()
    var age: Int {
      get { name.count }
      set { name = String(repeating: "x", count: newValue) }
    }
  }

  private struct Pet: Equatable { var state = State.asleep(hours: 3) }

  private enum State: Equatable {
    case awake
    case asleep(hours: Int)
    static let asleep = CasePath<State, Int>(embed: State.asleep(hours:)) {
      if case .asleep(let hours) = $0 { hours } else { nil }
    }
  }

  private struct Refused: Error {}

  private let hours = Access<Person, Pet?>.member(\.pet).appending(.wrapped(depth: 1)).appending(.member(\.state))
    .appending(.payload(State.asleep) { _ in Absence(.inactiveCase(wanted: "asleep", active: "awake"), depth: 3) })

  @Test func `what was set is what is got`() throws {
    var person = Person()
    try hours.set(&person, to: 8)
    #expect(try hours.get(person) == 8)
    #expect(person.pet?.state == .asleep(hours: 8))
  }

  @Test func `setting what is there changes nothing`() throws {
    var person = Person()
    try hours.set(&person, to: try hours.get(person))
    #expect(person == Person())
  }

  @Test func `the last write counts`() throws {
    var (once, twice) = (Person(), Person())
    try hours.set(&twice, to: 1)
    try hours.set(&twice, to: 2)
    try hours.set(&once, to: 2)
    #expect(once == twice)
  }

  @Test func `the identity changes nothing`() throws {
    let same = Access<Person, Person>.identity.appending(hours).appending(.identity)
    var person = Person()
    #expect(try same.get(person) == hours.get(person))
    try same.set(&person, to: 5)
    #expect(try hours.get(person) == 5)
  }

  @Test func `in another case both verbs throw and nothing changes`() {
    var person = Person(pet: Pet(state: .awake))
    let absence = Absence(.inactiveCase(wanted: "asleep", active: "awake"), depth: 3)
    #expect(throws: absence) { try hours.get(person) }
    #expect(throws: absence) { try hours.set(&person, to: 1) }
    #expect(person == Person(pet: Pet(state: .awake)))
  }

  @Test func `behind nil both verbs throw and nothing is brought back`() {
    var person = Person(pet: nil)
    #expect(throws: Absence(.nilOptional, depth: 1)) { try hours.get(person) }
    #expect(throws: Absence(.nilOptional, depth: 1)) { try hours.set(&person, to: 1) }
    #expect(person.pet == nil)
  }

  @Test func `an edit that throws leaves the part as it was`() {
    var person = Person()
    #expect(throws: Refused.self) {
      try hours.edit(&person) { hours in
        hours = 99
        throw Refused()
      }
    }
    #expect(person == Person())
  }

  @Test func `an edit gives what its body gives`() throws {
    var person = Person()
    let doubled = try hours.edit(&person) { hours in
      hours += 1
      return hours * 2
    }
    #expect(doubled == 8)
  }

  @Test func `a setter runs only if the edit went well`() throws {
    var person = Person()
    let age = Access<Person, Int>.computed(\.age)
    #expect(throws: Refused.self) { try age.edit(&person) { (_: inout Int) throws -> Void in throw Refused() } }
    #expect(person.name == "Ada")
    try age.set(&person, to: 2)
    #expect(person.name == "xx")
  }

  @Test func `a default is read in nil's stead and a write fills the optional`() throws {
    var person = Person(pet: nil)
    let pet = Access<Person, Pet?>.member(\.pet).appending(.orDefault(Pet(state: .awake)))
    #expect(try pet.get(person) == Pet(state: .awake))
    #expect(person.pet == nil)
    try pet.edit(&person) { $0.state = .asleep(hours: 1) }
    #expect(person.pet == Pet(state: .asleep(hours: 1)))
  }
}

struct CasePathTests {
  private enum Shape: Equatable {
    case dot
    case circle(radius: Int)
    case pair(Either)
    static let circle = CasePath<Shape, Int>(embed: Shape.circle(radius:)) {
      if case .circle(let radius) = $0 { radius } else { nil }
    }
    static let pair = CasePath<Shape, Either>(embed: Shape.pair) { if case .pair(let it) = $0 { it } else { nil } }
  }

  private enum Either: Equatable {
    case left(Int)
    case right(String?)
    static let left = CasePath<Either, Int>(embed: Either.left) { if case .left(let it) = $0 { it } else { nil } }
    static let right = CasePath<Either, String?>(embed: Either.right) {
      if case .right(let it) = $0 { .some(it) } else { nil }
    }
  }

  @Test func `what is embedded is extracted`() {
    #expect(Shape.circle.extract(Shape.circle.embed(3)) == 3)
    #expect(Shape.circle.extract(.dot) == nil)
  }

  @Test func `paths compose`() {
    let right = Shape.pair.appending(Either.right).appending(.some())
    #expect(right.embed("a") == .pair(.right("a")))
    #expect(right.extract(.pair(.right("a"))) == "a")
    #expect(right.extract(.pair(.right(nil))) == nil)
    #expect(right.extract(.pair(.left(1))) == nil)
    #expect(right.extract(.dot) == nil)
  }

  @Test func `a payload that is nil is not an absent case`() {
    #expect(Either.right.extract(.right(nil)) == .some(nil))
    #expect(Either.right.extract(.left(1)) == nil)
  }

  @Test func `the identity goes nowhere`() {
    let same = CasePath<Shape, Shape>.identity.appending(Shape.circle)
    #expect(same.extract(.circle(radius: 2)) == 2)
    #expect(CasePath<Int, Int>.identity.embed(4) == 4)
  }
}
