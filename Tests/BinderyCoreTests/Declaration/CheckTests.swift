import BinderyCore
import BinderyDigest
import BinderyJSON
import BinderyMenu
import Testing

/// Constraints hold for values that Swift code creates, too.
struct CheckTests {
  private func failure<Value: Bindable>(_ value: Value, since base: Value? = nil) -> ValidationError? {
    do throws(ValidationError) { try Value.shape.check(value, since: base) } catch { return error }
    return nil
  }

  @Test func `a broken constraint is reported with the pointer to its value`() {
    let layers = Layers(one: nil, two: nil, three: nil, point: Point(x: 11, y: 0), light: nil)
    #expect(failure(layers)?.pointer == "/point/some/some/x")
    #expect(failure(Status.inStock(quantity: 0))?.pointer == "/inStock/quantity")
    #expect(failure(Status.inStock(quantity: 1)) == nil)
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

  private func isEqual<Value: Bindable>(_ value: Value, _ json: String) throws -> Bool {
    let document = try JSONDocument(parsing: Array(json.utf8))
    var reading = ReadOperation(.equality(document.root), key: .random())
    try Value.shape.visit(value, Route.root(Value.shape.type), 0, &reading)
    return reading.isEqual
  }
}
