import BinderyCore
import BinderyTestKit
import BindingLaws
import Testing

/// Constraints on the wrapped values of optionals.
struct OptionalConstraintTests {
  @Test func `nil satisfies the constraints of an optional, and other values must`() async throws {
    try TestTransport.memory.serve(Guest()) { client, _ throws in
      for (path, valid, invalid) in [("name", "\"Ann\"", "\" \""), ("age", "9", "-1"), ("note", "\"a\"", "\"abcd\"")] {
        #expect(try client.put("/state/\(path)", valid).text == valid)
        for (place, body, pointer) in [("/\(path)", invalid, ""), ("", "{\"\(path)\":\(invalid)}", "/\(path)")] {
          let refused = try client.patch("/state" + place, body)
          #expect(refused.outcome == "422 invalid-value" && refused.member("pointer") == "\"\(pointer)\"", "\(refused)")
        }
        #expect(try client.patch("/state/\(path)", "null").status == 200)
      }
      #expect(try client.text("/state") == #"{"name":null,"age":null,"code":1}"#)
    }
    let store = Store(Guest())
    let error = await #expect(throws: CommitError.self) { try await store.edit(Guest.places.age) { $0 = -1 } }
    #expect(error?.description == "invalid value: -1 is not an integer ≥ 0 (at /age)")
  }

  @Test func `a closure that takes the optional decides on nil`() async throws {
    let store = Store(Guest())
    try await store.edit(Guest.places.age) { $0 = 3 }
    let error = await #expect(throws: CommitError.self) { try await store.edit(Guest.places.code) { $0 = nil } }
    #expect(error?.description == "invalid value: null is not a code (at /code)")
  }

  @Test func `optionals with constraints satisfy the laws`() {
    var random = SeededGenerator(seed: 7)
    let report = lawReport(of: Guest.self, samples: [Guest(name: nil, age: 3, note: "abc", code: 2)], using: &random)
    #expect(report.violations.isEmpty && report.accepted > 20)
  }
}

private struct Guest: StateModel {
  var name: String? = "Bob"
  var age: Int?
  var note: String?
  var code: Int? = 1

  static let shape = EditableShape<Guest>.members(
    Guest.init, StoredMember("name", \.name, .unlessNil(.notBlank), .unlessNil(.length(1...9))),
    StoredMember("age", \.age, .unlessNil(.atLeast(0)), default: 1),
    StoredMember("note", omittedWhenNil: \.note, .unlessNil(.length(1...3))),
    StoredMember("code", \.code, Constraint("a code") { $0 != nil }, default: 1))
}
