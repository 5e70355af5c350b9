import BinderyCore
import BinderyJSON
import BinderyModelFile
import BinderyOpenAPI
import BinderyTestKit
import Testing

/// Requests about which the OpenAPI document and the service must say the same.
struct SchemaAgreementTests {
  private let client: MemoryClient<DynamicValue>
  private let document: OpenAPIDocument

  init() throws {
    let text = """
      {"title": "House", "type": "object", "properties": {\
      "numbers": {"type": "object", "additionalProperties": {"type": "integer"}, "x-bindery": {"keys": "integer"}}, \
      "names": {"type": "object", "minProperties": 1, "maxProperties": 2, "additionalProperties": {"type": "integer"}}, \
      "rooms": {"type": "array", "items": {"$ref": "#/$defs/Room"}}, \
      "spare": {"anyOf": [{"$ref": "#/$defs/State"}, {"type": "null"}]}, \
      "seats": {"type": "array", "items": {"$ref": "#/$defs/State"}, "default": [{"on": true, "seen": 7}]}, \
      "size": {"type": "number", "maximum": 1e22, "default": 1}}, "required": ["names"], \
      "$defs": {"Room": {"type": "object", "properties": {"id": {"type": "string"}, \
      "seen": {"type": "integer", "readOnly": true, "default": 2}}, "required": ["id"], "x-bindery": {"id": "id"}}, \
      "State": {"type": "object", "properties": {"on": {"type": "boolean"}, \
      "seen": {"type": "integer", "readOnly": true, "default": 2}}, "required": ["on"]}}, \
      "default": {"names": {"a": 1}}}
      """
    let model = try ModelFile.model(Array(text.utf8))
    client = MemoryClient(Store(try model.initialState(), of: model.definition, journal: nil))
    document = OpenAPIDocument(of: try model.initialState(), model.definition, title: "House", version: "1")
  }

  private func schema(_ name: String) -> JSONTree? { document.root["components"]?["schemas"]?[name] }

  @Test func `integer keys are strings`() throws {
    #expect(try client.put("/state/numbers", #"{"-5": 1, "0": 2}"#).status == 200)
    #expect(try client.put("/state/numbers", #"{"05": 1}"#).status == 422)
    let keys = schema("IntDictionary")?["propertyNames"] ?? schema("HouseNumbers")?["propertyNames"]
    #expect(keys?["type"]?.string == "string" && keys?["pattern"]?.string == "^(0|-?[1-9][0-9]*)$")
  }

  @Test func `the limits of a dictionary do not apply to a merge patch`() throws {
    #expect(try client.patch("/state/names", "{}").status == 200)
    #expect(try client.patch("/state/names", #"{"a": null, "b": 1, "c": 2, "d": null}"#).status == 200)
    let (whole, patch) = (schema("HouseNames"), schema("HouseNamesPatch"))
    #expect(whole?["maxProperties"] != nil && patch != nil && patch?["maxProperties"] == nil)
  }

  @Test func `a replacement may leave out what only the service sets`() throws {
    #expect(try client.put("/state/rooms", #"[{"id": "a"}]"#).text == #"[{"id":"a","seen":2}]"#)
    let whole =
      #"{"numbers": {}, "names": {"a": 1}, "rooms": [], "spare": {"on": true}, "size": 1, "#
      + #""seats": [{"on": true, "seen": 7}]}"#
    #expect(try client.put("/state", whole).status == 200)
    #expect(try client.text("/state/spare") == #"{"on":true,"seen":2}"#)
    // A seat without an id may stand for the old one, so what only the service sets must not be left out.
    #expect(try client.put("/state/seats", #"[{"on": false}]"#).outcome == "422 missing-member")
    #expect(try client.put("/state/seats", #"[{"on": false, "seen": 7}, {"on": true, "seen": 2}]"#).status == 200)
    #expect(schema("WholeRoom")?["required"]?.elements.contains(.string("seen")) != true)
  }

  @Test func `a number with an exponent is one for readers of YAML 1.1, too`() {
    #expect(document.yaml.contains("maximum: 1.0e+22"))
  }

  @Test func `a definition may be called State`() throws {
    let file = """
      {"title": "Light", "type": "object", "properties": {"a": {"$ref": "#/$defs/State"}}, \
      "$defs": {"State": {"type": "object", "properties": {"on": {"type": "boolean", "default": true}}}}}
      """
    let model = try ModelFile.model(Array(file.utf8))
    let text = TypeScriptTypes(of: model.definition, program: "bindery").text
    #expect(text.components(of: "export type State = ") == 1 && text.components(of: "interface State ") == 0, "\(text)")
  }
}

extension String {
  fileprivate func components(of part: String) -> Int { ranges(of: part).count }
}
