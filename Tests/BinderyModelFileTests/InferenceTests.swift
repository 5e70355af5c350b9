import BinderyCore
import BinderyJSON
import BinderyModelFile
import BinderyTestKit
import Testing

/// Returns what is inferred from some data, as a model file without its dialect and white space.
private func inferred(_ data: String) throws -> (text: String, findings: [String], doubts: [String]) {
  let model = try InferredModel(from: try JSONDocument(parsing: Array(data.utf8)).root)
  let text = String(decoding: ModelFile.text(of: model.declaration), as: UTF8.self)
  let value = try JSONTree(parsing: text)
  return (value["properties"]?.text ?? "", model.findings, model.doubts)
}

struct InferenceTests {
  @Test(arguments: [
    (#"{"a": "x"}"#, #"{"a":{"type":"string"}}"#),
    (#"{"a": true, "b": 1, "c": 1.5}"#, #"{"a":{"type":"boolean"},"b":{"type":"integer"},"c":{"type":"number"}}"#),
    (#"{"a": [1, 2.5]}"#, #"{"a":{"type":"array","items":{"type":"number"}}}"#),
    (#"{"a": 1.0, "b": -0, "c": 1e2}"#, #"{"a":{"type":"number"},"b":{"type":"integer"},"c":{"type":"number"}}"#),
    (#"{"a": 18446744073709552000}"#, #"{"a":{"type":"number"}}"#),
    // Any JSON value.
    (
      #"{"a": null, "b": [], "c": {}, "d": [1, "x"], "e": [null, null]}"#,
      #"{"a":true,"b":{"default":[]},"c":{"default":{}},"d":true,"e":true}"#
    ),
    (#"{"a": [0.5, 9007199254740993]}"#, #"{"a":true}"#),
    (#"{"a": {"": 1}, "b": {"..": 1}}"#, #"{"a":true,"b":true}"#),
    // Formats.
    (
      #"{"a": "2026-11-21", "b": "b10de400-0000-8000-8000-000000000001", "c": "2026-11-21T10:00:00.000Z"}"#,
      #"{"a":{"type":"string","format":"date"},"b":{"type":"string","format":"uuid"},"#
        + #""c":{"type":"string","format":"date-time"}}"#
    ),
    (#"{"a": ["2026-11-21", "soon"]}"#, #"{"a":{"type":"array","items":{"type":"string"}}}"#),
    (#"{"a": "2026-02-30"}"#, #"{"a":{"type":"string"}}"#),
    // Null and missing members.
    (#"{"a": ["x", null]}"#, #"{"a":{"type":"array","items":{"type":["string","null"]}}}"#),
    (
      #"{"a": [{"b": 1}, {"b": null}, {"c": 2, "b": 3}, {"c": 4}]}"#,
      #"{"a":{"type":"array","items":{"type":"object","properties":{"#
        + #""b":{"type":["integer","null"],"x-bindery":{"omitNull":true}},"#
        + #""c":{"type":["integer","null"],"x-bindery":{"omitNull":true}}}}}}"#
    ),
    (
      #"{"a": [{"b": []}, {}]}"#,
      #"{"a":{"type":"array","items":{"type":"object","properties":{"b":{"x-bindery":{"omitNull":true}}}}}}"#
    ),
  ])
  func `the type of a member follows from its values`(data: String, properties: String) throws {
    #expect(try inferred(data).text == properties)
  }

  private static func collection(_ id: String, _ members: String, required: String) -> String {
    #"{"a":{"type":"array","items":{"type":"object","properties":{"id":\#(id)\#(members)},"#
      + #""required":[\#(required)],"x-bindery":{"id":"id"}}}}"#
  }

  @Test(arguments: [
    (
      #"{"a": [{"id": 1, "n": "x"}, {"id": 2, "n": "y"}]}"#,
      collection(
        #"{"type":"integer","x-bindery":{"generated":true}}"#, #","n":{"type":"string"}"#, required: #""n""#)
    ),
    (
      #"{"a": [{"id": 9223372036854775807, "n": "x"}]}"#,
      collection(#"{"type":"integer"}"#, #","n":{"type":"string"}"#, required: #""id","n""#)
    ),
    (
      #"{"a": [{"id": "x", "n": "x"}, {"id": "y", "n": "x"}]}"#,
      collection(#"{"type":"string","x-bindery":{"generated":true}}"#, #","n":{"type":"string"}"#, required: #""n""#)
    ),
    (
      #"{"a": [{"id": "b10de400-0000-8000-8000-000000000001", "n": 1}]}"#,
      collection(
        #"{"type":"string","format":"uuid","x-bindery":{"generated":true}}"#, #","n":{"type":"integer"}"#,
        required: #""n""#)
    ),
    (
      #"{"a": [{"id": "2026-11-21", "n": 1}]}"#,
      collection(#"{"type":"string","format":"date"}"#, #","n":{"type":"integer"}"#, required: #""id","n""#)
    ),
    (
      #"{"a": [{"id": "2026-11-21T10:00:00.000Z", "n": 1}]}"#,
      collection(#"{"type":"string","x-bindery":{"generated":true}}"#, #","n":{"type":"integer"}"#, required: #""n""#)
    ),
  ])
  func `objects with unique ids are a collection`(data: String, properties: String) throws {
    #expect(try inferred(data).text == properties)
  }

  @Test(arguments: [
    #"{"a": [{"id": 1}, {"id": 1}]}"#, #"{"a": [{"id": 1}, {"n": 1}]}"#, #"{"a": [{"id": 1}, {"id": "x"}]}"#,
    #"{"a": [{"id": ""}]}"#, #"{"a": [{"id": ".."}]}"#, #"{"a": [{"id": 1.5}]}"#, #"{"a": [{"id": null}]}"#,
    #"{"a": [[{"id": 1}]]}"#, #"{"a": [{"n": [{"id": 1}]}]}"#, #"{"a": [{"id": 1}, 2]}"#, #"{"a": [{"id": {}}]}"#,
    #"{"a": [{"id": 18446744073709552000}]}"#, #"{"a": [{"id": 1, "": 2}]}"#,
  ])
  func `other lists are leaves`(data: String) throws {
    #expect(try !inferred(data).text.contains(#""id":"id""#))
  }

  @Test func `what was inferred and what is uncertain is said per kind of place`() throws {
    let (_, findings, doubts) = try inferred(
      """
      {"posts": [{"id": 1, "at": "2026-11-21", "tags": ["x"]}, {"id": 2, "at": "2026-11-22", "tags": [], "n": 1}],
       "comments": [{"id": 1}], "recent": [], "mixed": [1, "x"], "seen": "2026-11-21T10:00:00Z",
       "flags": {"a": {"on": true}, "b": {"on": false}}}
      """)
    #expect(
      findings == [
        "/posts, /comments: collections with a URL for each element; the ids are integers",
        "/posts/{id}/at: dates",
        "/posts/{id}/tags: a list without unique ids, which is one value without URLs below it",
        "/posts/{id}/n: missing in some objects; left out while null",
      ])
    #expect(
      doubts == [
        "/recent: always an empty list; any JSON value is allowed",
        "/mixed/*: values of different types; any JSON value is allowed",
        "/seen: dates with a time in a form that the server does not write; they stay strings",
        "/flags: objects with equal members; to let clients add members, replace “properties” by "
          + "“additionalProperties” in the model file",
      ])
  }

  @Test func `open objects accept further members`() throws {
    let node = try JSONDocument(parsing: Array(#"{"a": {"b": 1}}"#.utf8)).root
    let model = try InferredModel(from: node, isOpen: true)
    #expect(
      try JSONTree(parsing: String(decoding: ModelFile.text(of: model.declaration), as: UTF8.self)).text.hasSuffix(
        #""properties":{"a":{"type":"object","properties":{"b":{"type":"integer"}},"required":["b"],"#
          + #""additionalProperties":true}},"required":["a"],"additionalProperties":true}"#))
  }

  @Test(arguments: [
    ("[1]", ": expected an object, got [1]: name the value, as in {\"items\": …}"),
    (#"{"a": {"b": 1e400}}"#, "/a/b: 1e400 is too large for a Double: write it as a string"),
    (
      #"{"a": [1, 12345678901234567891]}"#,
      "/a/1: 12345678901234567891 has more digits than an integer of 64 bits or a Double: write it as a string"
    ),
    (#"{"a": {"b": 1, "b": 2}}"#, "/a/b: duplicate member “b”: remove one of them"),
    (#"{"": 1}"#, ": no URL can address a member named “”: rename it"),
  ])
  func `data that no model can contain is a mistake with a pointer`(data: String, message: String) throws {
    let error = try #require(throws: ModelMistakes.self) { try inferred(data) }
    #expect(error.list.map { "\($0.pointer): \($0.message)" } == [message])
  }
}
