import BinderyJSON
import Testing

@Suite struct NodeTests {
  @Test func `every kind of value is recognized`() throws {
    let kinds = try parsed("[null,true,false,1,\"a\",\"\\n\",[],{}]").elements.map(\.kind)
    #expect(kinds == [.null, .bool, .bool, .number, .string, .string, .array, .object])
    #expect(try parsed("null").isNull)
    #expect(try parsed("true").bool == true)
    #expect(try parsed("false").bool == false)
    #expect(try parsed("null").bool == nil)
  }

  @Test func `accessors of another kind return nil or nothing`() throws {
    let number = try parsed("1")
    #expect(number.string == nil)
    #expect(number.withUTF8 { $0.count } == nil)
    #expect(!number.isString("1"))
    #expect(number["a"] == nil)
    #expect(number.count == 0)
    #expect(Array(number.elements).isEmpty)
    #expect(Array(number.members).isEmpty)
    #expect(try Array(parsed("[1]").members).isEmpty)
    #expect(try Array(parsed("{\"a\":1}").elements).isEmpty)
    #expect(try parsed("\"1\"").integer() == .notANumber)
    #expect(try parsed("\"1\"").double == nil)
  }

  @Test func `elements are in source order, with nested values too`() throws {
    let root = try parsed("[1,[2,[3,{\"x\":[4]}]],{\"a\":{\"b\":[]}},\"s\",[],5]")
    #expect(root.count == 6)
    #expect(
      root.elements.map { String(decoding: $0.text, as: UTF8.self) } == [
        "1", "[2,[3,{\"x\":[4]}]]", "{\"a\":{\"b\":[]}}", "\"s\"", "[]", "5",
      ])
  }

  @Test func `members are in source order, including duplicates`() throws {
    let root = try parsed("{\"a\":1,\"b\":{\"a\":9},\"a\":[2,3],\"\":null}")
    #expect(root.count == 4)
    #expect(root.members.map { $0.key.string } == ["a", "b", "a", ""])
    #expect(root.members.map { $0.value.kind } == [.number, .object, .array, .null])
  }

  @Test func `counts are correct in nested containers`() throws {
    let root = try parsed("[[],[1],[1,2,[3,4,5]],{\"a\":[6,7],\"b\":0}]")
    #expect(root.elements.map(\.count) == [0, 1, 3, 2])
    #expect(root.elements.map { $0["a"]?.count } == [nil, nil, nil, 2])
  }

  @Test func `a lookup finds the first member with the same bytes`() throws {
    let root = try parsed("{\"x\":{\"a\":0},\"a\":1,\"a\":2,\"\\u0062\":3,\"e\u{301}\":4,\"\":5}")
    #expect(root["a"]?.integer() == .value(1))
    #expect(root["b"]?.integer() == .value(3))
    #expect(root["e\u{301}"]?.integer() == .value(4))
    #expect(root["\u{E9}"] == nil)
    #expect(root[""]?.integer() == .value(5))
    #expect(root["aa"] == nil)
  }

  @Test(arguments: [
    ("\"\"", ""), ("\"abc\"", "abc"), ("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\u{8}\u{C}\n\r\t"),
    ("\"a\\u0000b\"", "a\u{0}b"), ("\"\\u00e9\\u20AC\\uD834\\uDD1E!\"", "é€𝄞!"), ("\"\\uDBFF\\uDFFF\"", "\u{10FFFF}"),
    ("\"🍝 \\u007F\\u0080\\u07FF\\u0800\\uFFFF\"", "🍝 \u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}"), ("\"\\\\u0041\"", "\\u0041"),
    ("\"\\ud800\\udc00\"", "\u{10000}"),
  ])
  func `a string is unescaped`(text: String, expected: String) throws {
    let node = try parsed(text)
    #expect(node.string.map { Array($0.utf8) } == Array(expected.utf8))
    #expect(node.isString(expected))
    #expect(node.isString(Array(expected.utf8)))
    #expect(!node.isString(expected + "x"))
    let bytes = node.withUTF8 { span in span.indices.map { span[$0] } }
    #expect(bytes == Array(expected.utf8))
  }

  @Test func `an error thrown by the closure of withUTF8 is rethrown`() throws {
    let node = try parsed("\"a\"")
    #expect(throws: CancellationError.self) { try node.withUTF8 { _ in throw CancellationError() } }
  }

  @Test func `the text of a node is its source text`() throws {
    let root = try parsed(" { \"a\" : [ 1 , \"x\\n\" ] } ")
    #expect(String(decoding: root.text, as: UTF8.self) == "{ \"a\" : [ 1 , \"x\\n\" ] }")
    #expect(root["a"].map { String(decoding: $0.text, as: UTF8.self) } == "[ 1 , \"x\\n\" ]")
  }

  @Test func `an excerpt is limited in length and does not split characters`() throws {
    let node = try parsed("\"a€b\"")
    #expect(node.excerpt(maximum: 7) == "\"a€b\"")
    #expect(node.excerpt(maximum: 6) == "\"a€b…")
    #expect(node.excerpt(maximum: 5) == "\"a€…")
    #expect(node.excerpt(maximum: 4) == "\"a…")
    #expect(node.excerpt(maximum: 3) == "\"a…")
    #expect(node.excerpt(maximum: 0) == "…")
    #expect(node.excerpt(maximum: -1) == "…")
  }
}
