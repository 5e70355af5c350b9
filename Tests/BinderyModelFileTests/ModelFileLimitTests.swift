import BinderyCore
import BinderyJSON
import BinderyModelFile
import BinderyOpenAPI
import BinderyTestKit
import Testing

/// Model files at their limits, and one above.
struct ModelFileLimitTests {
  private func mistakes(_ text: String) -> [String] {
    do throws(ModelMistakes) { _ = try ModelFile.model(Array(text.utf8)) } catch {
      return error.list.map { "\($0.pointer): \($0.message)" }
    }
    return []
  }

  /// Serves a model file without mistakes.
  private func client(_ text: String) throws -> MemoryClient<DynamicValue> {
    let model = try ModelFile.model(Array(text.utf8))
    let state = try model.initialState()
    let document = OpenAPIDocument(of: state, model.definition, title: "Limits", version: "1")
    #expect(document.root["paths"] != nil)
    return MemoryClient(Store(state, of: model.definition, journal: nil))
  }

  private func object(_ properties: String) -> String { #"{"type":"object","properties":{\#(properties)}}"# }

  private func numbers(_ count: Int) -> String {
    (0..<count).map { #""m\#($0)":{"type":"integer","default":1}"# }.joined(separator: ",")
  }

  @Test func `a model has at most 10,000 members`() throws {
    let client = try client(object(numbers(10_000)))
    #expect(try client.patch("/state/m9999", "2").text == "2")
    #expect(
      mistakes(object(numbers(10_001))) == [
        ": the model has more than 10000 members, those of definitions and aliases at each use"
      ])
  }

  @Test func `the members of a definition count at each place that refers to it`() throws {
    func text(_ uses: Int) -> String {
      let parts = (0..<uses).map { ##""p\##($0)":{"$ref":"#/$defs/Part"}"## }.joined(separator: ",")
      return #"{"type":"object","properties":{\#(parts)},"$defs":{"Part":\#(object(numbers(99)))}}"#
    }
    #expect(try client(text(100)).patch("/state/p99/m98", "2").text == "2")
    #expect(mistakes(text(101)).count == 1 && mistakes(text(101))[0].contains("more than 10000 members"))
  }

  @Test func `examples in the OpenAPI document have the lengths that the model requires`() throws {
    let model = try ModelFile.model(
      Array(
        object(
          #""zip":{"type":["string","null"],"minLength":5,"maxLength":5},"short":{"type":["string","null"],"maxLength":2},"#
            + #""orders":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"},"lines":"#
            + #"{"type":"array","minItems":2,"items":{"type":"string","minLength":6}}},"required":["id","lines"],"#
            + ##""x-bindery":{"id":"id"}}}"##
        ).utf8))
    let document = OpenAPIDocument(of: try model.initialState(), model.definition, title: "Limits", version: "1")
    let schemas = try #require(document.root["components"]?["schemas"])
    func example(_ name: String) -> String? { schemas[name]?["examples"]?.elements.first?.text }
    #expect(example("NullableStateZip") == #""textx""#, "\(schemas.members.map(\.key))")
    #expect(example("NullableStateShort") == #""te""#)
    #expect(example("OrderLines") == #"["textxx","textxx"]"#)
  }

  @Test func `a model has at most 32 levels`() throws {
    func text(_ levels: Int) -> String {
      (2..<levels).reduce(object(#""a":{"type":"integer","default":1}"#)) { inner, _ in object(#""a":\#(inner)"#) }
    }
    let place = "/state" + String(repeating: "/a", count: 31)
    #expect(try client(text(32)).patch(place, "2").text == "2")
    let refused = mistakes(text(33))
    #expect(refused.count == 1 && refused[0].hasSuffix(": the model has more than 32 levels"), "\(refused)")
  }

  @Test func `a free value has at most 30 levels`() throws {
    func nested(_ levels: Int) -> String {
      String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    }
    let client = try client(object(#""a":true"#))
    #expect(try client.put("/state/a", nested(30)).status == 200)
    #expect(try client.text("/state/a") == nested(30))
    #expect(try client.put("/state/a", nested(31)).status == 422)
    #expect(try client.text("/state/a") == nested(30))
  }

  @Test func `a model file has at most 1 MiB`() throws {
    func text(_ length: Int) -> String {
      let text = #"{"type":"object","description":"","properties":{"a":{"type":"integer","default":1}}}"#
      let padding = String(repeating: "d", count: length - text.utf8.count)
      return text.replacing(#""description":"""#, with: #""description":"\#(padding)""#)
    }
    #expect(try client(text(1 << 20)).patch("/state/a", "2").text == "2")
    #expect(mistakes(text((1 << 20) + 1)) == [": a model file has at most 1048576 bytes, got 1048577"])
  }
}
