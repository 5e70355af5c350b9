import BinderyTestKit
import Testing

/// The examples of RFC 6902, appendix A.
struct RFC6902Tests {
  struct Example: Sendable, CustomTestStringConvertible {
    let name: String
    /// The member of the model whose type fits the document.
    let member: String
    let document: String
    let patch: String
    /// The patched document, or the status and the problem type.
    let result: String

    init(_ name: String, _ member: String, _ document: String, _ patch: String, _ result: String) {
      (self.name, self.member, self.document, self.patch, self.result) = (name, member, document, patch, result)
    }

    var testDescription: String { name }
  }

  static let examples: [Example] = [
    Example(
      "A.1 adding an object member", "words", #"{"foo":"bar"}"#,
      #"[{"op":"add","path":"/baz","value":"qux"}]"#, #"{"baz":"qux","foo":"bar"}"#),
    Example(
      "A.2 adding an array element", "lists", #"{"foo":["bar","baz"]}"#,
      #"[{"op":"add","path":"/foo/1","value":"qux"}]"#, #"{"foo":["bar","qux","baz"]}"#),
    Example(
      "A.3 removing an object member", "words", #"{"baz":"qux","foo":"bar"}"#,
      #"[{"op":"remove","path":"/baz"}]"#, #"{"foo":"bar"}"#),
    Example(
      "A.4 removing an array element", "lists", #"{"foo":["bar","qux","baz"]}"#,
      #"[{"op":"remove","path":"/foo/1"}]"#, #"{"foo":["bar","baz"]}"#),
    Example(
      "A.5 replacing a value", "words", #"{"baz":"qux","foo":"bar"}"#,
      #"[{"op":"replace","path":"/baz","value":"boo"}]"#, #"{"baz":"boo","foo":"bar"}"#),
    Example(
      "A.6 moving a value", "tables", #"{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}"#,
      #"[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]"#,
      #"{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}"#),
    Example(
      "A.7 moving an array element", "lists", #"{"foo":["all","grass","cows","eat"]}"#,
      #"[{"op":"move","from":"/foo/1","path":"/foo/3"}]"#, #"{"foo":["all","cows","eat","grass"]}"#),
    Example(
      "A.8 testing a value: success", "mixed", #"{"baz":"qux","foo":["a",2,"c"]}"#,
      #"[{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}]"#,
      #"{"baz":"qux","foo":["a",2,"c"]}"#),
    Example(
      "A.9 testing a value: error", "words", #"{"baz":"qux"}"#,
      #"[{"op":"test","path":"/baz","value":"bar"}]"#, "409 test-failed"),
    Example(
      "A.10 adding a nested member object", "family", #"{"foo":"bar","child":null}"#,
      #"[{"op":"add","path":"/child","value":{"grandchild":{}}}]"#, #"{"foo":"bar","child":{"grandchild":{}}}"#),
    Example(
      "A.11 ignoring unrecognized elements", "words", #"{"foo":"bar"}"#,
      #"[{"op":"add","path":"/baz","value":"qux","xyz":123}]"#, #"{"baz":"qux","foo":"bar"}"#),
    Example(
      "A.12 adding to a nonexistent target", "words", #"{"foo":"bar"}"#,
      #"[{"op":"add","path":"/baz/bat","value":"qux"}]"#, "409 unknown-path"),
    Example(
      "A.13 invalid JSON Patch document", "words", #"{"foo":"bar"}"#,
      #"[{"op":"add","path":"/baz","value":"qux","op":"remove"}]"#, "422 duplicate-member"),
    Example(
      "A.14 escape ordering", "numbers", #"{"/":9,"~1":10}"#,
      #"[{"op":"test","path":"/~01","value":10}]"#, #"{"/":9,"~1":10}"#),
    Example(
      "A.15 comparing strings and numbers", "numbers", #"{"/":9,"~1":10}"#,
      #"[{"op":"test","path":"/~01","value":"10"}]"#, "409 test-failed"),
    Example(
      "A.16 adding an array value", "rows", #"{"foo":[["bar"]]}"#,
      #"[{"op":"add","path":"/foo/-","value":["abc","def"]}]"#, #"{"foo":[["bar"],["abc","def"]]}"#),
  ]

  @Test(arguments: examples, TestTransport.allCases)
  func `the response is the one in the appendix`(_ example: Example, _ transport: TestTransport) throws {
    try transport.serve(Appendix()) { client, _ throws in
      let place = "/state/\(example.member)"
      try client.put(place, example.document).expect(200)
      let reply = try client.jsonPatch(place, example.patch)
      if reply.status == 200 {
        #expect(reply.text == example.result)
      } else {
        #expect(reply.outcome == example.result)
        #expect(try client.text(place) == example.document)
      }
    }
  }
}
