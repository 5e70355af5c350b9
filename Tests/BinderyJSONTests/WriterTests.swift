import BinderyJSON
import Testing

@Suite struct WriterTests {
  @Test func `commas are written between values only`() {
    let text = written { writer in
      writer.beginObject()
      writer.key("a")
      writer.beginArray()
      writer.integer(1)
      writer.bool(true)
      writer.null()
      writer.beginObject()
      writer.endObject()
      writer.beginArray()
      writer.endArray()
      writer.endArray()
      writer.key("b")
      writer.string("x")
      writer.key(precomputed: Array("\"c\":".utf8))
      writer.raw(Array("[0]".utf8))
      writer.key("d")
      let canonical = Array("{}".utf8)
      writer.raw(canonical.span)
      writer.endObject()
    }
    #expect(text == "{\"a\":[1,true,null,{},[]],\"b\":\"x\",\"c\":[0],\"d\":{}}")
  }

  @Test(arguments: [
    ("", "\"\""), ("abc", "\"abc\""), ("\"", "\"\\\"\""), ("a\\b", "\"a\\\\b\""), ("/", "\"/\""),
    ("\u{8}\u{9}\u{A}\u{C}\u{D}", "\"\\b\\t\\n\\f\\r\""),
    ("\u{0}\u{1}\u{B}\u{1F}", "\"\\u0000\\u0001\\u000b\\u001f\""),
    ("\u{7F}\u{80}\u{2028}é€🍝", "\"\u{7F}\u{80}\u{2028}é€🍝\""),
    ("a long enough string to live on the heap", "\"a long enough string to live on the heap\""), ("x\ny", "\"x\\ny\""),
    ("a long enough string that ends with a quote\"", "\"a long enough string that ends with a quote\\\"\""),
  ])
  func `a string has only the required escapes`(value: String, expected: String) {
    #expect(written { $0.string(value) } == expected)
    #expect(written { $0.string(utf8: Array(value.utf8).span) } == expected)
  }

  @Test func `an escaped string is not escaped again`() {
    #expect(written { $0.string(escaped: Array("a\\nb".utf8)) } == #""a\nb""#)
  }

  @Test func `a member name is escaped like a string`() {
    #expect(JSONWriter.precomputedKey("a\"b") == Array("\"a\\\"b\":".utf8))
  }

  @Test func `a reused buffer is emptied`() {
    var writer = JSONWriter(reusing: Array("old".utf8))
    writer.null()
    #expect(writer.bytes == Array("null".utf8))
    writer.reuse(writer.takeBuffer())
    writer.bool(true)
    #expect(writer.bytes == Array("true".utf8))
  }

  @Test func `texts follow each other in the buffer without commas`() {
    var writer = JSONWriter()
    for value in ["1", String(repeating: "2", count: 2_000), "3"] {
      let start = writer.beginText()
      writer.string(value)
      #expect(writer.bytes[start...] == ArraySlice("\"\(value)\"".utf8))
    }
    #expect(writer.bytes == Array("\"3\"".utf8))
  }

  @Test func `a pretty-printed text is indented`() {
    let compact = Array("{\"a\":[1,{\"b\":\"x,\\\"{}:\"}],\"c\":[],\"d\":{},\"e\":null}".utf8)
    let expected = """
      {
        "a": [
          1,
          {
            "b": "x,\\"{}:"
          }
        ],
        "c": [],
        "d": {},
        "e": null
      }
      """
    #expect(String(decoding: prettyPrinted(compact.span), as: UTF8.self) == expected)
    #expect(prettyPrinted(Array("1".utf8).span) == Array("1".utf8))
    #expect(prettyPrinted(Array("[]".utf8).span) == Array("[]".utf8))
  }
}
