import BinderyCore
import BinderyTestKit
import Testing

/// Getters may return numbers that are not finite, which are null in JSON.
struct NonFiniteNumberTests {
  private static let texts = [
    #"{"x":0,"inverse":null,"pair":[null,0],"maybe":null,"named":{"a":null}}"#,
    #"{"x":2,"inverse":0.5,"pair":[0.5,2],"maybe":0.5,"named":{"a":0.5}}"#,
  ]

  @Test(arguments: TestTransport.allCases)
  func `what was read is sent back`(_ transport: TestTransport) throws {
    for (x, text) in zip([0, 2], Self.texts) {
      try transport.serve(Ratio(x: Double(x))) { client, store throws in
        #expect(try client.text("/state") == text)
        for method in ["PUT", "PATCH"] {
          let reply = try client.send(method, "/state", text)
          #expect(reply.status == 200 && reply.changed == false, "\(reply)")
        }
        let test = #"[{"op":"test","path":"","value":\#(text)}]"#
        #expect(try client.jsonPatch("/state", test).status == 200)
      }
    }
  }

  @Test func `null is no other number`() throws {
    try TestTransport.memory.serve(Ratio(x: 2)) { client, store throws in
      for member in ["inverse", "pair"] {
        #expect(try client.patch("/state", #"{"\#(member)":\#(member == "pair" ? "[null,2]" : "null")}"#).status == 422)
      }
      #expect(try client.put("/state/x", "null").status == 422)
      #expect(store.revision == 0)
    }
  }

  @Test func `a state file contains what a client reads`() throws {
    let model = ModelDefinition<Ratio>()
    for (x, text) in zip([0, 2], Self.texts) {
      #expect(try model.importing(Array(text.utf8), replacing: nil).x == Double(x))
    }
    let other = Self.texts[0].replacing("\"x\":0", with: "\"x\":2")
    let error = #expect(throws: ImportError.self) { try model.importing(Array(other.utf8), replacing: nil) }
    #expect("\(try #require(error))".contains("/inverse: the file says null, but the other members give 0.5"))
  }
}

private struct Ratio: StateModel {
  var x: Double
  var inverse: Double { 1 / x }
  var pair: [Double] { [inverse, x] }
  var maybe: Double? { .some(inverse) }
  var named: [String: Double] { ["a": inverse] }

  static let shape = EditableShape<Ratio>.members(
    Ratio.init(x:), StoredMember("x", \.x),
    computed: [
      ComputedMember("inverse", readOnly: \.inverse, from: \.x), ComputedMember("pair", readOnly: \.pair, from: \.x),
      ComputedMember("maybe", readOnly: \.maybe, from: \.x), ComputedMember("named", readOnly: \.named, from: \.x),
    ])
}
