import BinderyTestKit
import Testing

/// Request bodies that are malformed, extreme or unusual JSON.
struct JSONTextTests {
  private static func nested(_ depth: Int) -> [UInt8] {
    Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
  }

  /// Bodies that are sent to a string member, and the status of each response.
  static let bodies: [(name: String, body: [UInt8], status: Int)] = [
    ("64 levels", nested(64), 422), ("65 levels", nested(65), 400), ("100 000 levels", nested(100_000), 400),
    ("100 000 open brackets", [UInt8](repeating: UInt8(ascii: "["), count: 100_000), 400),
    ("100 000 open objects", Array(String(repeating: "{\"a\":", count: 100_000).utf8), 400),
    ("a lone high surrogate", Array(#""\ud800""#.utf8), 400), ("a lone low surrogate", Array(#""\udc00""#.utf8), 400),
    ("swapped surrogates", Array(#""\udc00\ud800""#.utf8), 400), ("half a pair", Array(#""\ud834\u0041""#.utf8), 400),
    ("a pair", Array(#""\ud834\udd1e""#.utf8), 200),
    ("a surrogate in UTF-8", [0x22, 0xED, 0xA0, 0x80, 0x22], 400),
    ("an overlong slash", [0x22, 0xC0, 0xAF, 0x22], 400),
    ("a truncated character", [0x22, 0xE2, 0x82, 0x22], 400),
    ("beyond Unicode", [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], 400),
    ("a stray continuation", [0x22, 0x80, 0x22], 400),
    ("a byte order mark", [0xEF, 0xBB, 0xBF] + Array("\"a\"".utf8), 400),
    ("UTF-16", [0xFF, 0xFE, 0x22, 0x00, 0x61, 0x00, 0x22, 0x00], 400),
    ("a huge number", [UInt8](repeating: UInt8(ascii: "9"), count: 100_000), 422),
    ("a huge exponent", Array("1e999999999999999999".utf8), 422), ("a tiny number", Array("1e-999999999".utf8), 422),
    ("a leading zero", Array("01".utf8), 400), ("a plus", Array("+1".utf8), 400),
    ("a lone minus", Array("-".utf8), 400),
    ("a bare point", Array("1.".utf8), 400), ("NaN", Array("NaN".utf8), 400),
    ("Infinity", Array("-Infinity".utf8), 400),
    ("hexadecimal", Array("0x1".utf8), 400), ("an empty body", [], 400), ("blanks", Array(" \t\r\n".utf8), 400),
    ("trailing garbage", Array("\"a\" b".utf8), 400), ("two values", Array("\"a\" \"b\"".utf8), 400),
    ("a trailing comma", Array("[1,]".utf8), 400), ("a trailing NUL", Array("\"a\"\0".utf8), 400),
    ("single quotes", Array("'a'".utf8), 400), ("a comment", Array("\"a\" // b".utf8), 400),
    ("a raw control character", Array("\"a\u{1}\"".utf8), 400), ("a raw newline", Array("\"a\nb\"".utf8), 400),
    ("a raw DEL", Array("\"a\u{7f}\"".utf8), 200), ("an escaped NUL", Array(#""\u0000""#.utf8), 200),
    ("an unknown escape", Array(#""\x41""#.utf8), 400), ("an open string", Array("\"a".utf8), 400),
    ("a capital literal", Array("True".utf8), 400), ("true", Array("true".utf8), 422),
    ("blanks around", Array(" \r\n\t\"a\" ".utf8), 200), ("a noncharacter", Array("\"\u{FFFF}\"".utf8), 200),
    ("a separator", Array("\"\u{2028}\"".utf8), 200), ("duplicate members", Array(#"{"a":1,"a":2}"#.utf8), 422),
    ("a form", Array("title=x&y=z".utf8), 400),
  ]

  @Test(arguments: bodies.indices, TestTransport.allCases)
  func `every body gets a response and leaves the service working`(_ index: Int, _ transport: TestTransport) throws {
    let entry = Self.bodies[index]
    try transport.serve(Zoo()) { client, _ throws in
      for method in ["PATCH", "PUT"] {
        let reply = try client.send(Request(method, "/state/title", body: entry.body))
        #expect(reply.status == entry.status, "\(entry.name) \(reply)")
        if entry.status == 400 { #expect(reply.problem == "malformed-json", "\(entry.name)") }
      }
      let title = try client.get("/state/title")
      #expect(title.status == 200)
      #expect(title.json != nil)
      if entry.status != 200 { #expect(title.text == "\"Zoo\"") }
    }
  }

  static let numbers: [(place: String, body: String, text: String?)] = [
    ("count", "1.0", "1"), ("count", "1e2", "100"), ("count", "10e-1", "1"), ("count", "-0", "0"),
    ("count", "0.0", "0"),
    ("count", "1.5", nil), ("count", "1e-1", nil), ("count", "9223372036854775808", nil),
    ("count", "1e400", nil), ("count", "1e99999999999999", nil), ("count", "0e99999999999999", "0"),
    ("prices/adult", "9223372036854775807", "9223372036854775807"),
    ("prices/adult", "-9223372036854775808", "-9223372036854775808"),
    ("prices/adult", "9223372036854775807.0", "9223372036854775807"), ("prices/adult", "9223372036854775807.5", nil),
    ("ratio", "1e308", "1e+308"), ("ratio", "1e309", nil), ("ratio", "5e-324", "5e-324"), ("ratio", "1e-400", "0"),
    ("ratio", "0.1", "0.1"), ("ratio", "1", "1"), ("ratio", "-0.0", "-0"),
  ]

  @Test(arguments: numbers)
  func `a number is stored exactly or rejected`(_ place: String, _ body: String, _ text: String?) throws {
    try TestTransport.memory.serve(Zoo()) { client, _ throws in
      // One price only, because the computed total would overflow with a second one.
      try client.put("/state/prices", #"{"adult":1}"#).expect(200)
      let reply = try client.put("/state/\(place)", body)
      if let text {
        #expect(reply.status == 200, "\(reply)")
        #expect(reply.text == text)
      } else {
        #expect(reply.outcome == "422 invalid-value")
      }
    }
  }
}
