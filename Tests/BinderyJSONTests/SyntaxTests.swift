import BinderyJSON
import Testing

@Suite struct SyntaxTests {
  @Test(arguments: [
    "null", "true", "false", "0", "-0", "\"\"", "[]", "{}", " [] ", "[ ]", "{ }", "\t\n\r []\t\n\r ",
    "[[]]", "[[] ,\n[ ] ]", "[\"\"]", "[1\n]", "[1,null,null,null,2]", "[\"a\"]", "[false]", "[null, 1, \"1\", {}]",
    "[123e65]", "[0e+1]", "[0e1]", "[ 4]", "[-0.000000000000000000000000000000000000000000000000000000000000001]",
    "[20e1]", "[-0]", "[-123]", "[-1]", "[1E22]", "[1E-2]", "[1E+2]", "[123e45]", "[123.456e78]", "[1e-2]",
    "[1e+2]", "[123]", "[123.456789]", "[1e0000000001]", "[0.0]",
    "{\"asd\":\"sdf\", \"dfg\":\"fgh\"}", "{\"asd\":\"sdf\"}", "{\"a\":\"b\",\"a\":\"c\"}", "{\"a\":\"b\",\"a\":\"b\"}",
    "{\"\":0}", "{\"foo\\u0000bar\": 42}", "{ \"min\": -1.0e+28, \"max\": 1.0e+28 }",
    "{\"title\":\"\\u041f\\u043e\\u043b\\u0442\\u043e\\u0440\\u0430\" }", "{\n\"a\" : \"b\"\n}",
    "{\"x\":[{\"id\": \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}], \"id\": \"x\"}",
    "[\"\\u0060\\u012a\\u12AB\"]", "[\"\\uD801\\udc37\"]", "[\"\\ud83d\\ude39\\ud83d\\udc8d\"]",
    "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]", "[\"\\\\u0000\"]", "[\"\\\"\"]", "[\"a/*b*/c/*d//e\"]", "[\"\\\\a\"]",
    "[\"\\\\n\"]", "[\"\\u0012\"]", "[\"\\uFFFF\"]", "[ \"asd\"]", "[\"\\uDBFF\\uDFFF\"]", "[\"new\\u00A0line\"]",
    "[\"\u{10FFFF}\"]", "[\"\u{FFFF}\"]", "[\"\\u0000\"]", "[\"\\u002c\"]", "[\"π\"]", "[\"\u{1BFFF}\"]",
    "[\"asd \"]", "\" \"", "[\"\\uD834\\uDd1e\"]", "[\"\\u0821\"]", "[\"\\u0123\"]", "[\"\u{2028}\"]",
    "[\"\u{2029}\"]", "[\"\\u0061\\u30af\\u30EA\\u30b9\"]", "[\"new\\u000Aline\"]", "[\"\u{7F}\"]",
    "[\"\\uA66D\"]", "[\"⍂㈴⍂\"]", "[\"\\u005C\"]", "[\"\\u0022\"]", "[\"\\u200B\"]", "[\"\\u2064\"]",
    "[\"\\uFDD0\"]", "[\"\\uFFFE\"]", "[\"\\uDBFF\\uDFFE\"]", "[\"€𝄞\"]", "[\"aa\"]", "42", "-0.1", "\"asd\"",
  ])
  func `valid JSON is accepted`(text: String) {
    #expect(syntaxError(in: text) == nil)
  }

  @Test(arguments: [
    "", " ", "[1 true]", "[\"\": 1]", "[\"\"],", "[,1]", "[1,,2]", "[\"x\",,]", "[\"x\"]]", "[\"\",]", "[\"x\"",
    "[x", "[3[4]]", "[1:2]", "[,]", "[-]", "[   , \"\"]", "[\"a\",\n4\n,1,", "[1,]", "[1,,]", "[\"\u{B}a\"\\f]",
    "[*]", "[\"\"", "[1,", "[1,\n1\n,1", "[{}", "[fals]", "[nul]", "[tru]", "nul", "truE", "True", "NULL", "nulll",
    "[++1234]", "[+1]", "[+Inf]", "[-01]", "[-1.0.]", "[-2.]", "[-NaN]", "[.-1]", "[.2e-3]", "[0.1.2]", "[0.3e+]",
    "[0.3e]", "[0.e1]", "[0E+]", "[0E]", "[0e+]", "[0e]", "[1.0e+]", "[1.0e-]", "[1.0e]", "[1 000.0]", "[1eE2]",
    "[2.e+3]", "[2.e-3]", "[2.e3]", "[9.e+]", "[Inf]", "[NaN]", "[\u{FF11}]", "[1+2]", "[0x1]", "[0x42]",
    "[Infinity]", "[0e+-1]", "[-123.123foo]", "[-Infinity]", "[-foo]", "[- 1]", "[-012]", "[-.123]", "[-1x]",
    "[1ea]", "[1.]", "[.123]", "[1.2a-3]", "[1.8011670033376514H-308]", "[012]", "-", "01", "00", "1.", "1e", "1e+",
    "[\"x\", truth]", "{[: \"x\"}\n", "{\"x\", null}", "{\"x\"::\"b\"}", "{🇨🇭}", "{\"a\":\"a\" 123}", "{key: 'value'}",
    "{\"a\" b}", "{:\"b\"}", "{\"a\"", "{\"a\":", "{\"a\" \"b\"}", "{1:1}", "{9999E9999:1}", "{null:null,null:null}",
    "{\"id\":0,,,,,}", "{'a':0}", "{\"id\":0,}", "{\"a\":\"b\"}/**/", "{\"a\":\"b\"}/**//", "{\"a\":\"b\"}//",
    "{\"a\":\"b\"}/", "{\"a\":\"b\",,\"c\":\"d\"}", "{a: \"b\"}", "{\"a\":\"a", "{ \"foo\" : \"bar\", \"a\" }",
    "{\"a\":\"b\"}#", "{\"a\":\"b\",", "{,\"a\":1}", "{\"a\":}", "{\"a\":1]", "[1}", "{\"a\"}", "{\"a\":[1}",
    "[\"\\uD800\\\"]", "[\"\\uD800\\u\"]", "[\"\\uD800\\u1\"]", "[\"\\uD800\\u1x\"]", "[é]", "[\"\\\u{0}\"]",
    "[\"\\x00\"]", "[\"\\\\\\\"]", "[\"\\\t\"]", "[\"\\🌀\"]", "[\"\\\"]", "[\"\\u00A\"]", "[\"\\uD834\\uDd\"]",
    "[\"\\uD800\\uD800\\x\"]", "[\"\\a\"]", "[\"\\uqqqq\"]", "[\\u0020\"asd\"]", "[\\n]", "\"", "['single quote']",
    "abc", "[\"\\", "[\"a\u{0}a\"]", "[\"new\nline\"]", "[\"\t\"]", "\"\\UA66D\"", "[\"\u{1F}\"]", "\"\\", "\"\\u",
    "[\u{2060}]", "<null>", "[1]x", "[1]]", "[][]", "1]", "[\u{C}]", "[", "{", "]", "}", ",", ":", "[<null>]",
    "[\u{A0}]", "[1,\u{B}2]", "[True]", "{\"x\": true,", "[\"asd]", "aå", "[True]", "1]", "{\"asd\":\"asd\"", "å",
    "[1, 2] 3", "null null", "\"a\" \"b\"", "*", "{\"a\":\"b\"}#{}", "[\\u000A\"\"]", "{\"\":", "[\"a",
    "[{\"\":[{\"\":",
    "[1] \u{0}", "\u{0}", "[\u{0}1]", "/**/1", "// \n1",
  ])
  func `invalid JSON is rejected`(text: String) {
    #expect(syntaxError(in: text) != nil)
  }

  @Test func `invalid UTF-8 is rejected`() {
    let malformed: [[UInt8]] = [
      [0x80], [0xBF], [0xFF], [0xFE], [0xE5], [0xC0, 0x80], [0xC1, 0xBF], [0xC0, 0xAF], [0xE0, 0x80, 0x80],
      [0xE0, 0x9F, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
      [0xF4, 0x90, 0x80, 0x80], [0xF4, 0xBF, 0xBF, 0xBF], [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80],
      [0xFC, 0x83, 0xBF, 0xBF, 0xBF, 0xBF], [0xC2], [0xE2, 0x82], [0xF0, 0x9D, 0x84], [0xC2, 0x41],
      [0xE2, 0x82, 0x41], [0xF0, 0x9D, 0x84, 0x41], [0xE2, 0x41, 0xAC], [0xC3, 0x28], [0xFC, 0x80],
    ]
    for bytes in malformed {
      let text = [UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")]
      #expect(syntaxError(in: text) == JSONSyntaxError(offset: 1, reason: .invalidUTF8), "\(bytes)")
      #expect(syntaxError(in: Array(text.dropLast())) != nil, "\(bytes)")
      #expect(syntaxError(in: bytes) != nil, "\(bytes)")
    }
  }

  /// The parser tests eight bytes at a time.
  @Test(arguments: 0...17)
  func `every byte of a string is checked wherever it is`(offset: Int) {
    for byte in UInt8.min...UInt8.max {
      let expected: JSONSyntaxError? =
        switch byte {
        case 0..<0x20: JSONSyntaxError(offset: offset + 1, reason: .controlCharacter)
        case UInt8(ascii: "\""): JSONSyntaxError(offset: offset + 2, reason: .trailingBytes)
        case UInt8(ascii: "\\"): JSONSyntaxError(offset: offset + 2, reason: .invalidEscape)
        case 0x80...: JSONSyntaxError(offset: offset + 1, reason: .invalidUTF8)
        default: nil
        }
      for rest in [1, 8] {
        let text = Array("\"\(String(repeating: "a", count: offset))".utf8) + [byte]
        #expect(syntaxError(in: text + Array("\(String(repeating: "!", count: rest))\"".utf8)) == expected, "\(byte)")
      }
    }
  }

  @Test func `the first and last scalars of each UTF-8 length are accepted`() throws {
    for value: UInt32 in [0x80, 0x7FF, 0x800, 0xFFF, 0x1000, 0xD7FF, 0xE000, 0xFFFF, 0x1_0000, 0x3_FFFF, 0x10_FFFF] {
      let text = String(try #require(Unicode.Scalar(value)))
      #expect(try parsed("\"\(text)\"").string == text)
    }
  }

  /// Cases that public JSON test suites leave to the implementation.
  @Test(arguments: [
    // The parser accepts numbers of any size. Reading one as an integer or double checks its range.
    ("[123.456e-789]", true), ("[0.4e00669999999999999999999999999999999999999999999999999999999969]", true),
    ("[-1e+9999]", true), ("[1.5e+9999]", true), ("[-123123123123123123123123123123]", true), ("[123123e100000]", true),
    ("[100000000000000000000]", true), ("[-237462374673276894279832749832423479823246327846]", true),
    // An unpaired surrogate has no UTF-8 encoding.
    ("[\"\\uDADA\"]", false), ("[\"\\uD888\\u1234\"]", false), ("[\"\\uD800\\n\"]", false), ("[\"\\uDd1ea\"]", false),
    ("[\"\\uD800\\uD800\\n\"]", false), ("[\"\\ud800\"]", false), ("[\"\\ud800abc\"]", false),
    ("[\"\\uDd1e\\uD834\"]", false), ("[\"\\uDFAA\"]", false), ("{\"\\uDFAA\":0}", false),
    // RFC 8259 §8.1 allows parsers to ignore a byte order mark. This parser rejects it.
    ("\u{FEFF}{}", false), ("\u{FEFF}", false),
  ])
  func `implementation-defined cases of RFC 8259 are decided`(text: String, isAccepted: Bool) {
    #expect((syntaxError(in: text) == nil) == isAccepted)
  }

  @Test func `encodings other than UTF-8 are rejected`() {
    #expect(syntaxError(in: [0xFF, 0xFE, 0x5B, 0x00, 0x5D, 0x00]) != nil)
    #expect(syntaxError(in: [0x00, 0x5B, 0x00, 0x5D]) != nil)
    #expect(syntaxError(in: [0x5B, 0x00, 0x5D, 0x00]) != nil)
  }

  @Test(arguments: [
    ("", 0, JSONSyntaxError.Reason.unexpectedEnd), ("[1,", 3, .unexpectedEnd), ("[1 2]", 3, .unexpectedByte(0x32)),
    ("{\"a\":01}", 6, .invalidNumber), ("[-x]", 2, .invalidNumber), ("\"\\q\"", 2, .invalidEscape),
    ("\"\\u12g4\"", 5, .invalidEscape), ("[\"\\ud800\"]", 2, .loneSurrogate), ("\"\u{1}\"", 1, .controlCharacter),
    ("{} {}", 3, .trailingBytes), ("\u{FEFF}1", 0, .byteOrderMark), ("-", 1, .unexpectedEnd),
    ("nulx", 3, .unexpectedByte(0x78)),
    ("\"abc", 4, .unexpectedEnd), ("{1:2}", 1, .unexpectedByte(0x31)), ("{\"a\" 1}", 5, .unexpectedByte(0x31)),
  ])
  func `an error has the right offset and reason`(text: String, offset: Int, reason: JSONSyntaxError.Reason) {
    #expect(syntaxError(in: text) == JSONSyntaxError(offset: offset, reason: reason))
  }

  @Test func `an error describes the problem and its position`() {
    #expect(syntaxError(in: "[1 x]")?.description == "unexpected character 'x' at byte offset 3")
    #expect(syntaxError(in: "[\u{1}]")?.description == "unexpected byte 0x01 at byte offset 1")
    #expect(syntaxError(in: "[1]]")?.description == "unexpected data after the end of the JSON value at byte offset 3")
  }

  @Test(arguments: [1, 2, 64, 1_000]) func `nesting is accepted up to the limit`(limit: Int) {
    func nested(_ depth: Int, _ open: String, _ close: String) -> [UInt8] {
      Array((String(repeating: open, count: depth) + String(repeating: close, count: depth)).utf8)
    }
    #expect(syntaxError(in: nested(limit, "[", "]"), maximumDepth: limit) == nil)
    #expect(
      syntaxError(in: nested(limit + 1, "[", "]"), maximumDepth: limit)
        == JSONSyntaxError(offset: limit, reason: .tooDeep(limit: limit)))
    #expect(syntaxError(in: nested(100_000, "[", ""), maximumDepth: limit)?.reason == .tooDeep(limit: limit))
    #expect(syntaxError(in: nested(100_000, "{\"a\":", "}"), maximumDepth: limit)?.reason == .tooDeep(limit: limit))
    // Siblings do not add to the depth.
    #expect(syntaxError(in: Array("[\(String(repeating: "[],{},", count: 2_000))0]".utf8), maximumDepth: 2) == nil)
  }

  @Test func `a depth limit above 1000 is a programming error`() async {
    await #expect(processExitsWith: .failure) { _ = try JSONDocument(parsing: [0x30], maximumDepth: 100_000) }
  }

  @Test func `a span is parsed like an array`() throws {
    let bytes = Array("[1,2]".utf8)
    #expect(try JSONDocument(parsing: bytes.span).root.count == 2)
  }
}
