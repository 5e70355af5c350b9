import BinderyJSON
import Testing

@Suite struct EqualityTests {
  @Test(arguments: [
    ("null", "null"), ("true", " true "), ("1", "1.0"), ("1", "1e0"), ("100", "1e2"), ("0", "-0.00e7"),
    ("1.50", "15e-1"),
    ("123.45", "0.12345e3"), ("1e400", "10e399"), ("1e99999999999999999999", "1e99999999999999999999"),
    ("0e1", "0e99999999999999999999"),
    ("\"a\"", "\"\\u0061\""), ("\"\\u00e9\"", "\"é\""), ("[]", "[ ]"), ("[1,[2]]", "[1.0,[2]]"), ("{}", "{ }"),
    ("{\"a\":1,\"b\":[2]}", "{\"b\":[2.0],\"a\":1}"), ("{\"a\":1,\"a\":2}", "{\"\\u0061\":1,\"a\":2}"),
    ("{\"a\":{\"x\":1,\"y\":2},\"b\":3}", "{\"b\":3,\"a\":{\"y\":2,\"x\":1}}"),
    ("{\"b\":1,\"a\":2,\"c\":3}", "{\"c\":3,\"b\":1,\"a\":2}"),
  ])
  func `equal values compare equal`(left: String, right: String) throws {
    #expect(try parsed(left).equals(parsed(right)))
    #expect(try parsed(right).equals(parsed(left)))
  }

  @Test(arguments: [
    ("null", "false"), ("true", "false"), ("1", "\"1\""), ("1", "2"), ("1", "-1"), ("1", "10"), ("1.2", "12"),
    ("0.5", "0"), ("12", "13"),
    ("1e400", "1e401"), ("9007199254740993", "9007199254740992"), ("0.1", "0.10000000000000000001"),
    ("1e99999999999999999999", "1e99999999999999999998"), ("\"é\"", "\"e\u{301}\""), ("\"a\"", "\"b\""), ("[]", "{}"),
    ("[1,2]", "[2,1]"), ("[1]", "[1,1]"), ("{\"a\":1}", "{\"b\":1}"), ("{\"a\":1}", "{\"a\":2}"),
    ("{\"a\":1}", "{\"a\":1,\"b\":2}"),
    ("{\"a\":1,\"b\":2}", "{\"b\":1,\"a\":2}"), ("{\"a\":1,\"a\":2}", "{\"a\":2,\"a\":1}"), ("{\"a\":null}", "{}"),
    ("{\"a\":1,\"a\":1}", "{\"a\":1,\"b\":1}"), ("[[]]", "[]"), ("null", "0"), ("\"\"", "null"),
  ])
  func `different values compare unequal`(left: String, right: String) throws {
    #expect(try !parsed(left).equals(parsed(right)))
    #expect(try !parsed(right).equals(parsed(left)))
  }

  @Test func `comparing deeply nested objects in different member order takes linear time`() throws {
    func nested(_ depth: Int, flipped: Bool) -> String {
      guard depth > 0 else { return "0" }
      let inner = "\"a\":\(nested(depth - 1, flipped: flipped))"
      return flipped ? "{\(inner),\"c\":2,\"b\":1}" : "{\(inner),\"b\":1,\"c\":2}"
    }
    #expect(try parsed(nested(60, flipped: false)).equals(parsed(nested(60, flipped: true))))
  }
}
