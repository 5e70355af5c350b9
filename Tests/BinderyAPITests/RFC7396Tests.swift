import BinderyCore
import BinderyTestKit
import Testing

/// The examples of RFC 7396, appendix A. A member that is missing in a document is null here, because a type always has
/// all its members.
struct RFC7396Tests {
  struct Letters: Editable {
    var a: String?
    var b: String?

    static let shape = EditableShape<Letters>.members(
      Letters.init, StoredMember("a", \.a, default: nil), StoredMember("b", \.b, default: nil))
  }

  struct Pair: Editable {
    var b: String?
    var c: String?

    static let shape = EditableShape<Pair>.members(
      Pair.init, StoredMember("b", \.b, default: nil), StoredMember("c", \.c, default: nil))
  }

  struct Nested: Editable {
    var a: Pair

    static let shape = EditableShape<Nested>.members(Nested.init, StoredMember("a", \.a))
  }

  struct Untyped: Editable {
    var e: AnyJSON?
    var a: AnyJSON?

    static let shape = EditableShape<Untyped>.members(
      Untyped.init, StoredMember("e", \.e, default: nil), StoredMember("a", \.a, default: nil))
  }

  struct Inner: Editable {
    var ccc: String?

    static let shape = EditableShape<Inner>.members(Inner.init, StoredMember("ccc", \.ccc, default: nil))
  }

  struct Middle: Editable {
    var bb: Inner?

    static let shape = EditableShape<Middle>.members(Middle.init, StoredMember("bb", \.bb, default: nil))
  }

  struct Outer: Editable {
    var a: Middle?

    static let shape = EditableShape<Outer>.members(Outer.init, StoredMember("a", \.a, default: nil))
  }

  struct Documents: StateModel {
    var letters = Letters()
    var nested = Nested(a: Pair())
    var untyped = Untyped()
    var list: [String] = []
    var outer = Outer()
    var whole: Letters? = Letters()
    var loose = AnyJSON("null")
    var groups: [String: [String: Int?]] = [:]
    var totals: [String: [String: Int]] = [:]
    var lists: [String: [[String: Int?]]] = [:]

    static let shape = EditableShape<Documents>.members(
      Documents.init, StoredMember("letters", \.letters), StoredMember("nested", \.nested),
      StoredMember("untyped", \.untyped),
      StoredMember("list", \.list), StoredMember("outer", \.outer), StoredMember("whole", \.whole),
      StoredMember("loose", \.loose), StoredMember("groups", \.groups), StoredMember("totals", \.totals),
      StoredMember("lists", \.lists))
  }

  static let examples: [(member: String, document: String, patch: String, result: String)] = [
    ("letters", #"{"a":"b","b":null}"#, #"{"a":"c"}"#, #"{"a":"c","b":null}"#),
    ("letters", #"{"a":"b","b":null}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
    ("letters", #"{"a":"b","b":null}"#, #"{"a":null}"#, #"{"a":null,"b":null}"#),
    ("letters", #"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"a":null,"b":"c"}"#),
    ("untyped", #"{"e":null,"a":["b"]}"#, #"{"a":"c"}"#, #"{"e":null,"a":"c"}"#),
    ("untyped", #"{"e":null,"a":"c"}"#, #"{"a":["b"]}"#, #"{"e":null,"a":["b"]}"#),
    ("nested", #"{"a":{"b":"c","c":null}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d","c":null}}"#),
    ("untyped", #"{"e":null,"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"e":null,"a":[1]}"#),
    ("list", #"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
    ("loose", #"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
    ("whole", #"{"a":"foo","b":null}"#, "null", "null"),
    ("loose", #"{"a":"foo"}"#, "\"bar\"", "\"bar\""),
    ("untyped", #"{"e":null,"a":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
    ("whole", "null", #"{"a":"b","b":null}"#, #"{"a":"b","b":null}"#),
    ("outer", #"{"a":null}"#, #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{"ccc":null}}}"#),
    // The example with "bb", with dictionaries, in which a member can be missing.
    ("groups", "{}", #"{"a":{"bb":null,"c":1}}"#, #"{"a":{"c":1}}"#),
    ("groups", #"{"a":{"c":1}}"#, #"{"a":{"bb":null,"c":1}}"#, #"{"a":{"c":1}}"#),
    ("totals", "{}", #"{"a":{"bb":null,"c":1}}"#, #"{"a":{"c":1}}"#),
    // An array is replaced as it is.
    ("lists", "{}", #"{"a":[{"bb":null}]}"#, #"{"a":[{"bb":null}]}"#),
    // A value of the wrong type is rejected. An untyped document would accept it.
    ("letters", #"{"a":"foo","b":null}"#, "\"bar\"", "422 invalid-value"),
    ("list", #"["a","b"]"#, #"{"a":"b","c":null}"#, "422 invalid-value"),
  ]

  @Test(arguments: examples, TestTransport.allCases)
  func `the response is the one in the appendix`(
    _ example: (member: String, document: String, patch: String, result: String), _ transport: TestTransport
  ) throws {
    try transport.serve(Documents()) { client, _ throws in
      let place = "/state/\(example.member)"
      try client.put(place, example.document).expect(200)
      let reply = try client.patch(place, example.patch, ["Content-Type": "application/merge-patch+json"])
      #expect((reply.status == 200 ? reply.text : reply.outcome) == example.result)
      if reply.status != 200 { #expect(try client.text(place) == example.document) }
    }
  }
}
