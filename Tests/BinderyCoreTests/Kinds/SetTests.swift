import BinderyCore
import BinderyJSON
import FoundationEssentials
import Testing

struct SetTests {
  @Test func `a set is sorted by the bytes of its elements' JSON`() throws {
    #expect(try Draft<Set<String>>(json: #"["b","","é","a\"","a","z"]"#).json == #"["","a","a\"","b","z","é"]"#)
    #expect(try Draft<Set<Int>>(json: "[9,10,-1,1.0e2]").json == "[-1,10,100,9]")
    #expect(try Draft<Set<Bool?>>(json: "[true,null]").json == "[null,true]")
    #expect(try Draft<Set<Int>>(json: "[]").json == "[]")
  }

  @Test(arguments: [
    ("[1,2,1]", "/2"), ("[1,1.0]", "/1"), ("[1,\"a\"]", "/1"), ("[1,null]", "/1"), ("{}", ""), ("1", ""), ("null", ""),
  ])
  func `duplicates and elements of another type are invalid`(json: String, pointer: String) {
    let error = #expect(throws: ValidationError.self) { try Draft<Set<Int>>(json: json) }
    #expect(error?.pointer == pointer)
    #expect(error?.expected != nil)
  }

  @Test func `elements that only Swift regards as equal are invalid`() {
    let strings = #expect(throws: ValidationError.self) { try Draft<Set<String>>(json: "[\"\u{E9}\",\"e\u{301}\"]") }
    #expect(strings?.pointer == "/1")
    #expect(strings?.detail.contains("is equal to another element of the set in Swift") == true)
    #expect(throws: ValidationError.self) { try Draft<Set<Double>>(json: "[0,-0]") }
  }

  @Test func `elements that only Swift distinguishes are rejected`() {
    let dates = [1.0001, 1.0002].map { Date(timeIntervalSince1970: $0) }
    let error = #expect(throws: ValidationError.self) { try Set<Date>.shape.check(Set(dates)) }
    #expect(error?.detail == #"two elements of the set have the same JSON, "1970-01-01T00:00:01.000Z""#)
    #expect(throws: Never.self) { try Set<Date>.shape.check([dates[0]]) }
    #expect(Set<Date>.shape.areSame([dates[0]], [dates[1]]))
  }

  @Test func `sets are compared by bytes and without their order`() throws {
    let shape = Set<String>.shape
    #expect(shape.areSame(["a", "b"], ["b", "a"]))
    #expect(!shape.areSame(["a", "b"], ["a"]))
    #expect(!shape.areSame(["a", "b"], ["a", "c"]))
    #expect(["\u{E9}"] as Set == ["e\u{301}"])
    #expect(!shape.areSame(["\u{E9}"], ["e\u{301}"]))
  }

  @Test func `the elements are checked`() {
    let error = #expect(throws: ValidationError.self) { try Set<Double>.shape.check([1, .infinity]) }
    #expect(error?.detail == "inf cannot be represented in JSON")
  }

  @Test func `a set is a leaf that is written as a whole`() throws {
    var draft = Draft(Drawer(labels: ["a"]))
    #expect(draft.route("/labels/0", .pointer) == nil)
    #expect(draft.route("/labels/-", .pointer) == nil)
    #expect(draft.route("/labels/a") == nil)
    try draft.patch("", #"{"labels":["c","b"]}"#)
    #expect(draft.json == #"{"labels":["b","c"]}"#)
    #expect(throws: EditError.self) { try draft.post("/labels", #""d""#) }
    #expect(throws: EditError.self) { try draft.delete("/labels") }
    #expect(throws: EditError.self) { try draft.put("/labels", #"["a","b","c","d"]"#) }
  }
}

private struct Drawer: Editable {
  var labels: Set<String>
  static let shape = EditableShape<Drawer>.members(Drawer.init, StoredMember("labels", \.labels, .count(0...3)))
}
