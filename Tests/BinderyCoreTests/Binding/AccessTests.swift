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

  private struct EditFailure: Error {}

  private let hours = Access<Person, Person>.identity.computed(\.pet).wrapped(depth: 1).computed(\.state)
    .payload(State.asleep) { _ in Absence(.inactiveCase(wanted: "asleep", active: "awake"), depth: 3) }

  @Test func `get returns the value that was set`() throws {
    var person = Person()
    try hours.set(&person, to: 8)
    #expect(try hours.get(person) == 8)
    #expect(person.pet?.state == .asleep(hours: 8))
  }

  @Test func `setting the current value changes nothing`() throws {
    var person = Person()
    try hours.set(&person, to: try hours.get(person))
    #expect(person == Person())
  }

  @Test func `the last write wins`() throws {
    var (once, twice) = (Person(), Person())
    try hours.set(&twice, to: 1)
    try hours.set(&twice, to: 2)
    try hours.set(&once, to: 2)
    #expect(once == twice)
  }

  @Test func `composing with the identity access changes nothing`() throws {
    let same = Access<Person, Person>.identity.appending(hours).appending(.identity)
    var person = Person()
    #expect(try same.get(person) == hours.get(person))
    try same.set(&person, to: 5)
    #expect(try hours.get(person) == 5)
  }

  @Test func `reads and writes throw and change nothing while another case is active`() {
    var person = Person(pet: Pet(state: .awake))
    let absence = Absence(.inactiveCase(wanted: "asleep", active: "awake"), depth: 3)
    #expect(throws: absence) { try hours.get(person) }
    #expect(throws: absence) { try hours.set(&person, to: 1) }
    #expect(person == Person(pet: Pet(state: .awake)))
  }

  @Test func `reads and writes throw behind nil and the optional stays nil`() {
    var person = Person(pet: nil)
    #expect(throws: Absence(.nilOptional, depth: 1)) { try hours.get(person) }
    #expect(throws: Absence(.nilOptional, depth: 1)) { try hours.set(&person, to: 1) }
    #expect(person.pet == nil)
  }

  @Test func `an edit that throws leaves the part unchanged`() {
    var person = Person()
    #expect(throws: EditFailure.self) {
      try hours.edit(&person) { hours in
        hours = 99
        throw EditFailure()
      }
    }
    #expect(person == Person())
  }

  @Test func `an edit returns the result of its body`() throws {
    var person = Person()
    let doubled = try hours.edit(&person) { hours in
      hours += 1
      return hours * 2
    }
    #expect(doubled == 8)
  }

  @Test func `the setter of a computed member runs only if the edit succeeds`() throws {
    var person = Person()
    let age = Access<Person, Person>.identity.computed(\.age)
    #expect(throws: EditFailure.self) { try age.edit(&person) { (_: inout Int) throws -> Void in throw EditFailure() } }
    #expect(person.name == "Ada")
    try age.set(&person, to: 2)
    #expect(person.name == "xx")
  }

  @Test func `nil reads as the default and a write sets the optional`() throws {
    var person = Person(pet: nil)
    let pet = Access<Person, Person>.identity.computed(\.pet).orDefault(Pet(state: .awake))
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

  @Test func `extract returns the embedded payload`() {
    #expect(Shape.circle.extract(Shape.circle.embed(3)) == 3)
    #expect(Shape.circle.extract(.dot) == nil)
  }

  @Test func `case paths compose`() {
    let some = CasePath<String?, String>(embed: { $0 }, extract: { $0 })
    let right = Shape.pair.appending(Either.right).appending(some)
    #expect(right.embed("a") == .pair(.right("a")))
    #expect(right.extract(.pair(.right("a"))) == "a")
    #expect(right.extract(.pair(.right(nil))) == nil)
    #expect(right.extract(.pair(.left(1))) == nil)
    #expect(right.extract(.dot) == nil)
  }

  @Test func `a nil payload of the active case is distinct from an inactive case`() {
    #expect(Either.right.extract(.right(nil)) == .some(nil))
    #expect(Either.right.extract(.left(1)) == nil)
  }
}
