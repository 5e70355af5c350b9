import BinderyCore
import BinderyModelFile
import BinderyTestKit
import BindingLaws
import Testing

/// Returns the mistakes in a model file, each with its pointer.
private func mistakes(_ text: String) -> [String] {
  do throws(ModelMistakes) {
    _ = try ModelFile.model(Array(text.utf8))
    return []
  } catch { return error.list.map { "\($0.pointer): \($0.message)" } }
}

/// Returns a model file whose root has some properties.
private func file(_ properties: String, required: String = "", defs: String = "") -> String {
  """
  {"type": "object", "properties": {\(properties)}, "required": [\(required)], "$defs": {\(defs)}}
  """
}

struct ModelFileTests {
  @Test(arguments: [("Any", "any value includes null"), ("Maybe", "an optional of an optional is an object")])
  func `an optional of a definition that includes null is a mistake`(_ name: String, _ expected: String) throws {
    let text = """
      {"type": "object", "properties": {"a": {"anyOf": [{"$ref": "#/$defs/\(name)"}, {"type": "null"}]}}, \
      "$defs": {"Any": true, "Maybe": {"type": ["integer", "null"]}}}
      """
    let mistake = try #require(mistakes(text).first)
    #expect(mistake.hasPrefix("/properties/a/anyOf: \(expected)"), "\(mistakes(text))")
  }

  @Test func `a model file is written as it was declared`() throws {
    let declared = try ModelFile.parse(MenuModel.text)
    let written = ModelFile.text(of: declared)
    let again = try ModelFile.parse(written)
    #expect(again == declared)
    #expect(ModelFile.text(of: again) == written)
    #expect(try ModelFile.model(MenuModel.text).definition.described == declared)
  }

  @Test func `a model in Swift is described by a model file`() throws {
    let described = ModelDefinition(MenuCore.self).described
    let text = ModelFile.text(of: described)
    #expect(try ModelFile.parse(text) == described)
    let declared = try ModelFile.parse(MenuModel.text)
    for definition in declared.definitions {
      #expect(described.definitions.first { $0.name == definition.name }?.schema == definition.schema)
    }
  }

  @Test func `computed members of Swift are refused in a model file`() {
    let text = ModelFile.text(of: ModelDefinition(MenuCore.self).described)
    let mistakes = mistakes(String(decoding: text, as: UTF8.self))
    #expect(mistakes.map { $0.prefix { $0 != ":" } } == ["/properties/pinnedDish", "/properties/favorites"])
  }

  @Test(
    arguments: [
      (
        file("\"a\": {\"type\": \"strnig\"}"),
        "/properties/a/type: unknown type “strnig”: expected “object”, “array”, “string”, “integer”, “number” or “boolean”"
      ),
      (
        file("\"a\": {\"pattern\": \"^a$\"}"),
        "/properties/a/pattern: model files do not support the keyword “pattern” of JSON Schema"
      ),
      (
        file("\"a\": {\"type\": \"boolean\", \"minimum\": 1, \"default\": true}"),
        "/properties/a/minimum: “minimum” does not apply to a Boolean"
      ),
      (
        file("\"a\": {\"type\": \"string\", \"notBlank\": true, \"default\": \"b\"}"),
        "/properties/a/notBlank: “notBlank” is a member of “x-bindery”"
      ),
      (
        file("\"a\": {\"type\": \"string\", \"x-bindery\": {\"minLength\": 1}, \"default\": \"b\"}"),
        "/properties/a/x-bindery/minLength: “minLength” is a keyword of JSON Schema: write it beside “x-bindery”"
      ),
      (
        file("\"a\": {\"$ref\": \"#/$defs/B\"}"), "/properties/a/$ref: there is no definition “B” in “$defs”"
      ),
      (
        file("\"a\": {\"$ref\": \"other.json\"}"),
        "/properties/a/$ref: expected a reference such as “#/$defs/Name”, got \"other.json\""
      ),
      (file("\"a\": {\"type\": \"integer\"}"), "/properties/a: “a” needs a default, or must be in “required”"),
      (
        file("\"a\": {\"type\": \"integer\", \"minimum\": 2, \"default\": 1}"),
        "/properties/a/default: 1 is not an integer ≥ 2"
      ),
      (file("", required: "\"b\""), "/required: there is no property “b”"),
      (
        file("\"a\": {\"x-bindery\": {\"alias\": \"/b\"}}"),
        "/properties/a/x-bindery/alias: there is no member “b” at “/b”"
      ),
      (
        file("\"a\": {\"x-bindery\": {\"alias\": \"/b\"}}, \"b\": {\"x-bindery\": {\"alias\": \"/a\"}}"),
        "/properties/a: “a” and “b” are computed from each other"
      ),
      (
        file(
          #""a": {"type": ["object", "null"], "properties": {"b": true, "c": {"type": "boolean"}, "c": true}}"#
        ),
        "/properties/a/properties/c: two members have the name “c”"
      ),
      (
        file(
          "\"a\": {\"$ref\": \"#/$defs/A\"}",
          defs:
            ##""A": {"type": "object", "properties": {"b": {"$ref": "#/$defs/B"}}}, "##
            + ##""B": {"type": "array", "items": {"$ref": "#/$defs/A"}}"##
        ),
        "/$defs/B/items: “A” contains itself, through “B”: a model cannot be recursive; refer to other elements by id"
      ),
      (
        file(#""a": {"type": ["", "null"]}"#),
        "/properties/a/type: unknown type “”: expected “object”, “array”, “string”, “integer”, “number” or “boolean”"
      ),
      ("[]", ": expected an object, got []"),
      (#"{"posts": [{"id": 1}]}"#, ": expected a model: {\"type\": \"object\", \"properties\": …}"),
      (
        file(#""a": {"maxLength": 5}"#), "/properties/a/maxLength: “maxLength” does not apply to a value without “type”"
      ),
      (
        file(#""a": {"type": "string", "default": "", "x-bindery": {"notblank": true}}"#),
        "/properties/a/x-bindery/notblank: unknown keyword “notblank”; did you mean “notBlank”?"
      ),
      (
        file(#""a": {"type": "string", "required": true}"#),
        "/properties/a/required: “required” is a list of names in the object that contains the members"
      ),
      (
        file(#""a": {"enum": ["x", null], "default": "x"}"#),
        "/properties/a/enum/1: expected a string, got null; for an optional, use “anyOf” with {\"type\": \"null\"}"
      ),
      ("{\"type\": \"object\",\n \"é\": ,}", ": invalid JSON: unexpected character ',' in line 2, column 7"),
      ("{", ": invalid JSON: unexpected end of input in line 1, column 2"),
    ])
  func `a mistake is reported with its pointer`(_ text: String, _ expected: String) {
    #expect(mistakes(text).contains(expected), "got \(mistakes(text))")
  }

  @Test func `a reference has the type of the ids, and a label has texts of existing values`() {
    let reference = Blog.text.replacing(#""items": {"type": "integer""#, with: #""items": {"type": "string""#)
    #expect(
      mistakes(reference).contains { $0.contains("the reference does not have the type of the ids in “/posts”") },
      "\(mistakes(reference))")
    let label = Blog.text.replacing(#"{"public": "Out"}"#, with: #"{"pulbic": "Out"}"#)
    #expect(
      mistakes(label).contains { $0.contains("“pulbic” is no value of “/state”. Did you mean “public”?") },
      "\(mistakes(label))")
  }

  @Test func `cascades that lead to each other are refused`() {
    let item = """
      {"type": "object", "properties": {"id": {"type": "integer"}, "other": {"type": "integer", \
      "x-bindery": {"reference": {"to": "/TARGET", "onRemoval": "cascade"}}}}, "required": ["id", "other"], \
      "x-bindery": {"id": "id"}}
      """
    let text = file(
      "\"a\": {\"type\": \"array\", \"items\": \(item.replacing("TARGET", with: "b"))}, "
        + "\"b\": {\"type\": \"array\", \"items\": \(item.replacing("TARGET", with: "a"))}")
    #expect(
      mistakes(text).first?.contains("“/a/*/other” and “/b/*/other” lead to each other") == true, "\(mistakes(text))")
    let own = file("\"a\": {\"type\": \"array\", \"items\": \(item.replacing("TARGET", with: "a"))}")
    #expect(
      mistakes(own).first?.contains("“/a/*/other” refers to the collection that it is in") == true, "\(mistakes(own))")
    let alias = file(
      "\"a\": {\"type\": \"array\", \"items\": \(item.replacing("TARGET", with: "c"))}, "
        + "\"c\": {\"x-bindery\": {\"alias\": \"/a\"}}")
    #expect(
      mistakes(alias).first?.contains("“/a/*/other” refers to the collection that it is in") == true,
      "\(mistakes(alias))")
  }

  @Test(arguments: [
    #""type": "string", "const": "a", "enum": ["b"], "default": "b""#, #""type": ["string", "null"], "const": "a""#,
    #""type": ["string", "null"], "enum": ["a"]"#,
  ])
  func `a list of values is given in one way`(_ keywords: String) {
    let mistakes = mistakes(file("\"a\": {\(keywords)}"))
    #expect(mistakes.first?.contains("/properties/a/") == true, "\(mistakes)")
  }

  @Test func `an alias through circular definitions is refused`() {
    let text = file(
      ##""y": {"x-bindery": {"alias": "/x/z"}}, "x": {"$ref": "#/$defs/A"}"##,
      defs: ##""A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}"##)
    #expect(mistakes(text).first?.contains("contains itself") == true, "\(mistakes(text))")
  }

  @Test func `what aliases show counts as members of the model`() throws {
    var level = #"{"type": "object", "properties": {"x": {"type": "integer", "default": 0}}}"#
    for depth in 1...4 {
      let aliases = (1...9).map { #""a\#($0)": {"x-bindery": {"alias": "/s"}}"# }
      level = "{\"type\": \"object\", \"properties\": {\"s\": \(level), \(aliases.joined(separator: ", "))}}"
      let mistakes = mistakes(level)
      #expect(mistakes.contains { $0.contains("more than 10000 members") } == (depth > 3), "\(depth): \(mistakes)")
    }
  }

  @Test func `the laws hold for the menu of the model file`() throws {
    let model = try ModelFile.model(MenuModel.text)
    var generator = SeededGenerator(seed: 20_261_121)
    let report = lawReport(
      of: model.definition.shape, samples: [try model.initialState()], rounds: 25, using: &generator)
    for violation in report.violations { Issue.record("\(violation)") }
    #expect(report.accepted * 8 > report.generated)
    for law in Law.allCases { #expect(report.checkCounts[law, default: 0] > 20, "\(law)") }
  }
}
