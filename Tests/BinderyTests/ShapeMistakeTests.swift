import Bindery
import BindingLaws
import Testing

/// Mistakes in declarations that the compiler cannot see. Each one stops the process at start, and the message names
/// the member.
struct ShapeMistakeTests {
  @Test(.timeLimit(.minutes(5)), arguments: ShapeMistake.allCases)
  func `a mistake in a shape stops the process with a message`(_ mistake: ShapeMistake) async throws {
    let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) { [mistake] in
      mistake.make()
    }
    let errors = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(errors.contains(mistake.message))
  }

  @Test func `members of the same type in the order of the initializer are no mistake`() {
    #expect(Sorted.places.least.path == "/least")
    #expect(Clamped.places.high.path == "/high")
  }

  @Test func `a commit names a case that the shape does not list`() async throws {
    let store = Store(Lantern(signal: .off))
    let error = await #expect(throws: CommitError.self) { try await store.commit { $0.signal = .blinking(times: 3) } }
    #expect("\(try #require(error))".contains("the shape of Signal does not list the case “blinking”"))
    #expect(store.revision == 0)
  }

  @Test func `a service refuses an initial state that breaks a rule of its model`() {
    func error(_ initial: Lantern) -> String {
      let error = #expect(throws: ServiceError.self) {
        try Service(initial: initial, listeningOn: ["127.0.0.1:0"])
      }
      return error.map { "\($0)" } ?? ""
    }
    #expect(error(Lantern(signal: .blinking(times: 1))).contains("does not list the case “blinking”"))
    #expect(error(Lantern(signal: .off, level: 11)).contains("11 is not an integer from 0 to 10"))
    #expect(error(Lantern(signal: .off, level: 10)).contains("too bright (at /level)"))
  }

  @Test func `a service settles its initial state`() throws {
    let service = try Service(initial: Lantern(signal: .off, level: 9), listeningOn: ["127.0.0.1:0"])
    #expect(service.store.snapshot.root.level == 8)
    #expect(service.store.revision == 0)
  }

  @Test func `the laws find a member that the initializer forgets`() {
    var random = SeededGenerator(seed: 1)
    let violations = lawViolations(of: Forgetful.self, using: &random)
    #expect(violations.contains { $0.law == .storage })
  }

  @Test func `the laws find a computed member without its source`() {
    var random = SeededGenerator(seed: 1)
    let violations = lawViolations(of: Rectangle.self, using: &random)
    let missing = "“area” depends on more members than `from:` lists"
    #expect(violations.contains { $0.law == .computed && $0.detail == missing })
  }
}

/// Lists its two members in the order of the initializer, which sorts them.
private struct Sorted: Editable {
  var least, greatest: Int

  init(least: Int, greatest: Int) { (self.least, self.greatest) = (min(least, greatest), max(least, greatest)) }

  static let shape = EditableShape<Sorted>.members(
    Sorted.init, StoredMember("least", \.least), StoredMember("greatest", \.greatest))
}

/// An initializer that forgets a member.
private struct Forgetful: Editable {
  var name: String
  var phone: String?

  init(name: String, phone: String?) { self.name = name }

  static let shape = EditableShape<Forgetful>.members(
    Forgetful.init, StoredMember("name", \.name), StoredMember("phone", \.phone, default: nil))
}

/// An initializer that changes a value.
private struct Clamped: Editable {
  var low, high: Int

  init(low: Int, high: Int) { (self.low, self.high) = (min(low, 0), max(high, 0)) }

  static let shape = EditableShape<Clamped>.members(
    Clamped.init, StoredMember("low", \.low), StoredMember("high", \.high))
}

/// The shape does not list a case, which the compiler accepts.
private enum Signal: Editable, Equatable {
  case off
  case blinking(times: Int)

  static let shape = EditableShape<Signal>.cases(EnumCase("off", Signal.off))
}

private struct Lantern: StateModel {
  var signal: Signal
  var level = 0

  static let shape = EditableShape<Lantern>.members(
    Lantern.init, StoredMember("signal", \.signal), StoredMember("level", \.level, .within(0...10)))

  mutating func settle(from base: Lantern) throws(InvalidState) {
    if level == 10 { throw InvalidState("too bright", at: "/level") }
    level = min(level, 8)
  }
}

/// `area` also depends on `height`.
private struct Rectangle: Editable {
  var width = 1
  var height = 1
  var area: Int { width &* height }

  static let shape = EditableShape<Rectangle>.members(
    Rectangle.init, StoredMember("width", \.width), StoredMember("height", \.height),
    computed: [ComputedMember("area", readOnly: \.area, from: \.width)])
}
