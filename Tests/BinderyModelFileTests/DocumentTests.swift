import BinderyCore
import BinderyJSON
import BinderyModelFile
import BinderyOpenAPI
import BinderyTestKit
import Testing

struct DocumentTests {
  @Test func `titles and descriptions are in the OpenAPI document as text`() throws {
    let nasty = "*/ </script> ` ${x} \u{2028} __proto__"
    let text = """
      {"title": "House", "description": "A house with \(nasty).", "type": "object", "properties": {
        "lamp": {"description": "The lamp in the hall.", "type": "boolean", "default": false},
        "__proto__": {"title": "\(nasty)", "$ref": "#/$defs/Room"}},
        "$defs": {"Room": {"description": "A room.", "type": "object", "properties": {"size": {"type": "number", "default": 1}}}}}
      """
    let model = try ModelFile.model(Array(text.utf8))
    let document = OpenAPIDocument(of: try model.initialState(), model.definition, title: "House", version: "1")
    let schemas = document.root["components"]?["schemas"]
    let house = schemas?["House"]
    #expect(house?["description"]?.string == "A house with \(nasty).")
    #expect(house?["properties"]?["lamp"]?["description"]?.string == "The lamp in the hall.")
    #expect(house?["properties"]?["__proto__"]?["title"]?.string == nasty)
    #expect(schemas?["Room"]?["description"]?.string == "A room.")
  }

  @Test func `a member with an unusual name is a place like any other`() throws {
    let text = #"{"type": "object", "properties": {"__proto__": {"type": "integer", "default": 1}, "a*/b`${": true}}"#
    let model = try ModelFile.model(Array(text.utf8))
    let client = MemoryClient(Store(try model.initialState(), of: model.definition, journal: nil))
    #expect(try client.patch("/state/__proto__", "2").text == "2")
    #expect(try client.put("/state/a*~1b%60$%7B", #"{"x":[1.0,{"z":"\u2028","y":null}]}"#).status == 200)
    #expect(try client.text("/state/a*~1b%60$%7B") == #"{"x":[1,{"y":null,"z":"\#u{2028}"}]}"# + "")
    #expect(try client.put("/state/a*~1b%60$%7B", #"{"x":1,"x":2}"#).outcome == "422 duplicate-member")
  }
}
