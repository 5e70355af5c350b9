import BinderyCore
import BinderyModelFile
import BinderyTestKit
import Testing

/// Elements whose id is in the URL alone.
struct AddressedIDTests {
  @Test(arguments: [
    (#""string", "enum": ["p", "q"]"#, "p", "zzz"), (#""string", "maxLength": 2"#, "ab", "abc"),
    (#""string", "x-bindery": {"notBlank": true}"#, "a", "%20"), (#""integer", "minimum": 0"#, "0", "-5"),
    (#""integer", "enum": [1, 2]"#, "2", "77"),
  ])
  func `an id in the URL fulfills the constraints of the id`(
    _ type: String, _ valid: String, _ invalid: String
  ) throws {
    let rows = """
      {"type": "array", "items": {"type": "object", "properties": {"id": {"type": \(type)}, \
      "n": {"type": "integer", "default": 0}}, "required": ["id"], "x-bindery": {"id": "id"}}}
      """
    let text = """
      {"type": "object", "properties": {"rows": \(rows), "maybe": {"anyOf": [\(rows), {"type": "null"}]}}}
      """
    let model = try ModelFile.model(Array(text.utf8))
    let client = MemoryClient(Store(try model.initialState(), of: model.definition, journal: nil))
    #expect(try client.put("/state/maybe", "[]").status == 200)
    for place in ["/state/rows", "/state/maybe"] {
      let reply = try client.put("\(place)/\(invalid)", "{}")
      #expect(reply.status == 422 && reply.string("pointer") == "/id", "\(reply.text)")
      #expect(try client.put("\(place)/\(valid)", "{}").status == 201)
    }
    let patch = #"[{"op": "add", "path": "/rows/\#(invalid)", "value": {}}]"#
    let fields: KeyValuePairs = ["Content-Type": "application/json-patch+json"]
    #expect(try client.send("PATCH", "/state", patch.replacing("%20", with: " "), fields).status == 422)
  }
}
