import BinderyCore
import BinderyTestKit
import BindingLaws
import Testing

/// Ids and keys whose text in paths differs from their JSON.
struct KeyTextTests {
  @Test func `an error names the form of a key in paths`() throws {
    try TestTransport.memory.serve(Scales()) { client, _ throws in
      let reply = try client.get("/state/weights/heavy")
      #expect(reply.outcome == "404 unknown-path")
      #expect(reply.text.contains("a key of type Grams, such as 1g"), "\(reply.text)")
      #expect(try client.get("/state/weights/1g").text == "\"gold\"")
    }
  }

  @Test func `an element that was named by its index is suggested by the text of its id`() throws {
    try TestTransport.memory.serve(Scales()) { client, _ throws in
      let reply = try client.get("/state/parts/0")
      #expect(reply.status == 404)
      #expect(reply.text.contains("/state/parts/7g"), "\(reply.text)")
    }
  }

  @Test func `the laws hold for such ids and keys`() {
    var random = SeededGenerator(seed: 5)
    let report = lawReport(of: Scales.self, using: &random)
    #expect(report.violations.isEmpty, "\(report.violations)")
    #expect(report.checkCounts[.affine, default: 0] > 20)
  }
}

private struct Scales: StateModel {
  var weights: [Grams: String] = [Grams(number: 1): "gold"]
  var parts: Identified<Part> = [Part(id: Grams(number: 7), name: "pan")]

  static let shape = EditableShape<Scales>.members(
    Scales.init, StoredMember("weights", \.weights), StoredMember("parts", \.parts))

  struct Part: Editable, Identifiable {
    let id: Grams
    var name: String

    static let shape = EditableShape<Part>.members(
      Part.init(id:name:), StoredMember("id", id: \.id), StoredMember("name", \.name))
  }
}

/// A number in JSON, with a unit in paths.
private struct Grams: PathKey, Editable, Hashable {
  let number: Int
  var keyText: String { "\(number)g" }

  static func key(from text: String) -> Grams? {
    text.hasSuffix("g") ? Int(text.dropLast()).map(Grams.init(number:)) : nil
  }

  static let shape = EditableShape<Grams>.scalar(
    "Grams", as: Int.self, examples: [1, 20], expected: "a number of grams", encode: \.number,
    decode: Grams.init(number:))
}
