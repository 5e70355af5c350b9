import BinderyCore
import BinderyDigest
import BinderyJSON
import BinderyMenu
import Synchronization
import Testing

/// Constraints hold for values that Swift code creates, too.
@Suite(.serialized)
struct CheckTests {
  private func failure<Value: Editable>(_ value: Value, since base: Value? = nil) -> ValidationError? {
    do throws(ValidationError) { try Value.shape.check(value, since: base) } catch { return error }
    return nil
  }

  @Test func `a broken constraint is reported with the pointer to its value`() {
    let layers = Layers(one: nil, two: nil, three: nil, point: Point(x: 11, y: 0), light: nil)
    #expect(failure(layers)?.pointer == "/point/some/some/x")
    #expect(failure(Status.inStock(quantity: 0))?.pointer == "/inStock/quantity")
    #expect(failure(Status.inStock(quantity: 1)) == nil)
  }

  @Test func `a constraint holds at any depth`() {
    let (valid, invalid) = (Status.inStock(quantity: 1), Status.inStock(quantity: 0))
    #expect(failure([[valid], [valid, invalid]])?.pointer == "/1/1/inStock/quantity")
    #expect(failure(["a": valid, "b": invalid])?.pointer == "/b/inStock/quantity")
    #expect(failure([1: [invalid] as [Status]?, 2: nil])?.pointer == "/1/0/inStock/quantity")
    #expect(failure(Status???.some(invalid))?.pointer == "/some/some/inStock/quantity")
    #expect(failure([[valid]]) == nil)
  }

  @Test func `an id that cannot be in a URL is rejected although any other value of the element is valid`() {
    #expect(failure([Label(id: "a")] as Identified) == nil)
    #expect(failure([Label(id: "a"), Label(id: "..")] as Identified)?.pointer == "/../id")
  }

  @Test func `NaN and the infinities are rejected`() {
    for number in [Double.nan, .infinity, -.infinity] {
      #expect(failure(Point(x: 0, y: number))?.pointer == "/y")
    }
    #expect(failure(Point(x: 0, y: -0.0)) == nil)
  }

  @Test func `only values that differ from the base are checked`() {
    let invalid = Note(number: 1, text: "\n", tags: [])
    let base: Identified<Note> = [invalid, Note(number: 2, text: "two", tags: [])]
    var next = base
    next.edit(id: 2) { $0.text = "changed" }
    #expect(failure(next, since: base) == nil)
    #expect(failure(next)?.pointer == "/1/text")
    next.edit(id: 2) { $0.tags = ["a", "b", "c", "d"] }
    #expect(failure(next, since: base)?.pointer == "/2/tags")
  }

  @Test func `another JSON spelling of a value is equal to it`() throws {
    let note = Note(number: 1, text: "é", tags: ["a"])
    for text in [
      #"{"number":1,"text":"é","tags":["a"]}"#, #"{"tags":["a"],"text":"\u00e9","number":1.0}"#,
    ] {
      #expect(try isEqual(note, text))
    }
    for text in [#"{"number":1,"text":"e\u0301","tags":["a"]}"#, #"{"number":1,"text":"é"}"#, "null"] {
      #expect(try !isEqual(note, text))
    }
    let id = Dish.samples[0].id
    #expect(try isEqual(id, "\"B10DE400-0000-8000-8000-000000000001\""))
  }

  @Test func `an excerpt is short and ends between two characters`() throws {
    for text in [
      String(repeating: "é", count: 25), String(repeating: "🍝", count: 21), "a" + String(repeating: "🍝", count: 21),
    ] {
      for repetitions in [1, 2, 10_000] {
        let text = String(repeating: text, count: repetitions)
        let detail = try #require(failure(Note(number: 1, text: text, tags: []))?.detail)
        #expect(!detail.contains("\u{FFFD}") && detail.utf8.count < 120, "\(detail)")
        let excerpt = detail.dropFirst().prefix { $0 != "…" && $0 != "\"" }
        #expect(text.hasPrefix(excerpt) && excerpt.utf8.count >= 50)
      }
    }
    #expect(failure(Note(number: 1, text: "\n", tags: []))?.detail.hasPrefix("\"\\n\" is not") == true)
  }

  @Test func `bytes are counted before anything else is looked at`() {
    // One character of 2,001 bytes.
    let marks = "a" + String(repeating: "\u{301}", count: 1_000)
    #expect(failure(Limited(text: marks, numbers: []))?.detail.contains("bytes") == true)
    #expect(Limited.checks.withLock { $0 } == 0)
    #expect(failure(Limited(text: "é", numbers: [])) == nil)
    #expect(Limited.checks.withLock { $0 } == 1)
  }

  @Test func `a broken constraint of a collection shows its beginning only`() {
    let detail = failure(Limited(text: "a", numbers: (0..<100_000).map(Encoded.init)))?.detail
    #expect(detail?.hasPrefix("[0,1,2") == true)
    #expect(Encoded.count.withLock { $0 } < 100)
  }

  @Test func `two members or two cases of one name stop the program with the name`() async throws {
    let members = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = EditableShape<Point>.members(Point.init, StoredMember("x", \.x), StoredMember("x", \.y))
    }
    let memberMessage = String(decoding: members?.standardErrorContent ?? [], as: UTF8.self)
    #expect(memberMessage.contains("two members named “x”"))
    let cases = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = EditableShape<Bool>.cases(EnumCase("on", true) { $0 ? () : nil }, EnumCase("on", false) { $0 ? nil : () })
    }
    let caseMessage = String(decoding: cases?.standardErrorContent ?? [], as: UTF8.self)
    #expect(caseMessage.contains("two cases named “on”"))
  }

  private func isEqual<Value: Editable>(_ value: Value, _ json: String) throws -> Bool {
    let document = try JSONDocument(parsing: Array(json.utf8))
    var reading = ReadOperation(.equality(document.root), key: .random())
    try Value.shape.visit(value, Route.root(Value.shape.type), 0, &reading)
    return reading.isEqual
  }
}

/// An element without constraints.
private struct Label: Editable, Identifiable {
  let id: String

  static let shape = EditableShape<Label>.members(Label.init(id:), StoredMember("id", id: \.id))
}

/// A model whose constraints count how often one of them is checked.
private struct Limited: Editable {
  var text: String
  var numbers: [Encoded]

  static let checks = Mutex(0)
  private static let counting = Constraint<String>("a text") { _ in
    checks.withLock { $0 += 1 }
    return true
  }

  static let shape = EditableShape<Limited>.members(
    Limited.init(text:numbers:), StoredMember("text", \.text, counting, .length(0...10), .bytes(atMost: 20)),
    StoredMember("numbers", \.numbers, .count(0...3)))
}

/// A number that counts how often it is encoded.
private struct Encoded: Editable {
  let number: Int

  static let count = Mutex(0)

  static let shape = EditableShape<Encoded>.scalar(
    "Encoded", schemaType: "integer", example: "1", expected: "a number",
    encode: { encoded, writer in
      count.withLock { $0 += 1 }
      writer.integer(Int64(encoded.number))
    }, decode: { _ in nil })
}
