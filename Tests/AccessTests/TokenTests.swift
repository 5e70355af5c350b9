import BinderyAPI
import BinderyCore
import BinderyMenu
import BinderyTestKit
import Testing

/// Authentication with `Authorization: Bearer` (RFC 6750).
struct TokenTests {
  private static let plain = #"Bearer realm="bindery""#
  private static let invalid = plain + #", error="invalid_token""#

  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let authorization: [String]
    let outcome: String
    var challenge: String?

    var testDescription: String { name }
  }

  static let cases = [
    Case(name: "no header", authorization: [], outcome: "401 unauthorized", challenge: plain),
    Case(name: "write token", authorization: ["Bearer \(TestAPI.writeToken)"], outcome: "200"),
    Case(name: "read token", authorization: ["Bearer \(TestAPI.readToken)"], outcome: "200"),
    Case(name: "scheme in another case", authorization: ["bEARER \(TestAPI.readToken)"], outcome: "200"),
    Case(name: "two spaces", authorization: ["Bearer  \(TestAPI.readToken)"], outcome: "200"),
    Case(
      name: "unknown", authorization: ["Bearer \(TestAPI.unknownToken)"], outcome: "401 unauthorized",
      challenge: invalid),
    Case(
      name: "token prefix", authorization: ["Bearer \(TestAPI.writeToken.dropLast())"], outcome: "401 unauthorized",
      challenge: invalid),
    Case(
      name: "token with a suffix", authorization: ["Bearer \(TestAPI.writeToken)x"], outcome: "401 unauthorized",
      challenge: invalid),
    Case(
      name: "token in another case", authorization: ["Bearer \(TestAPI.writeToken.uppercased())"],
      outcome: "401 unauthorized",
      challenge: invalid),
    Case(
      name: "two tokens", authorization: ["Bearer \(TestAPI.writeToken) \(TestAPI.writeToken)"],
      outcome: "401 unauthorized",
      challenge: invalid),
    Case(
      name: "oversized", authorization: ["Bearer " + String(repeating: "x", count: 8_000)], outcome: "401 unauthorized",
      challenge: invalid),
    Case(name: "no token", authorization: ["Bearer"], outcome: "401 unauthorized", challenge: invalid),
    Case(name: "no token after the space", authorization: ["Bearer "], outcome: "401 unauthorized", challenge: invalid),
    Case(name: "no scheme", authorization: [TestAPI.writeToken], outcome: "401 unauthorized", challenge: plain),
    Case(
      name: "another scheme", authorization: ["Basic d3JpdGU6d3JpdGU="], outcome: "401 unauthorized", challenge: plain),
    Case(name: "not UTF-8", authorization: ["Bearer w\u{FC}"], outcome: "401 unauthorized", challenge: invalid),
    Case(
      name: "two headers", authorization: ["Bearer \(TestAPI.writeToken)", "Bearer \(TestAPI.writeToken)"],
      outcome: "400 malformed-request"),
    Case(
      name: "two headers, one invalid", authorization: ["Basic eA==", "Bearer \(TestAPI.writeToken)"],
      outcome: "400 malformed-request"),
  ]

  @Test(arguments: cases)
  func `only a valid bearer token is accepted`(_ testCase: Case) throws {
    let api = try TestAPI()
    let fields = testCase.authorization.map { (name: "Authorization", value: $0) }
    let reply = try api.loop.send(Request("GET", "/state/time", fields: fields))
    #expect(reply.outcome == testCase.outcome)
    #expect(reply["WWW-Authenticate"] == testCase.challenge)
    if reply.status != 200 { #expect(reply["Cache-Control"] == "no-store") }
  }

  @Test func `the error for an unknown token holds for tokens from files and from Swift`() throws {
    let reply = try TestAPI().loop.get("/state/time", ["Authorization": "Bearer \(TestAPI.unknownToken)"])
    #expect(reply.string("detail")?.hasSuffix("it is not one of the tokens that the server accepts.") == true)
  }

  @Test func `a read-only token may read`() throws {
    let api = try TestAPI()
    for method in ["GET", "HEAD", "OPTIONS"] {
      let status = try api.loop.send(method, "/state/time", nil, TestAPI.readCredential).status
      #expect(status == (method == "OPTIONS" ? 204 : 200))
    }
    #expect(try api.loop.get("/history", TestAPI.readCredential).status == 200)
  }

  @Test(
    arguments: ["PATCH", "PUT", "POST", "DELETE"], ["/state/time", "/state/dishes", "/history/1/revert", "/nothing"])
  func `a read-only token may not write, whatever the path`(_ method: String, _ path: String) throws {
    let api = try TestAPI()
    let reply = try api.loop.send(method, path, "\"tomorrow\"", TestAPI.readCredential)
    #expect(reply.outcome == "403 forbidden")
    #expect(reply["WWW-Authenticate"] == Self.plain + #", error="insufficient_scope", scope="write""#)
    #expect(api.loop.store.revision == 0)
  }

  @Test func `a write token may write`() throws {
    let api = try TestAPI()
    #expect(try api.loop.send("PUT", "/state/time", "\"tomorrow\"", TestAPI.writeCredential).status == 200)
    #expect(api.loop.store.revision == 1)
  }

  /// Requests, with the status of the response to a valid token.
  static let requests: [(method: String, path: String, status: Int)] = [
    ("GET", "/state", 200), ("GET", "/state/time", 200), ("GET", "/state/time/custom", 404), ("GET", "/state/x", 404),
    ("GET", "/state/%00", 400), ("GET", "/nothing", 404), ("GET", "/openapi.yaml", 404), ("GET", "/events", 400),
    ("GET", "/history", 200), ("POST", "/livez", 405), ("PUT", "/state/today", 405), ("GET", "/problems/nothing", 404),
    ("GET", "/session", 200), ("OPTIONS", "/state", 204), ("GET", "/livez/", 404),
    ("GET", "/metrics", 404),
  ]

  @Test func `all requests without a token receive the same response`() throws {
    let api = try TestAPI()
    var responses: Set<String> = []
    for request in Self.requests {
      let authorized = try api.loop.send(request.method, request.path, nil, TestAPI.writeCredential)
      #expect(authorized.status == request.status, "\(request)")
      let reply = try api.loop.send(request.method, request.path)
      responses.insert("\(reply.status) \(reply.fields.map { "\($0.name): \($0.value)" }) \(reply.text)")
    }
    #expect(responses.count == 1)
    #expect(responses.first?.hasPrefix("401") == true)
  }

  @Test(arguments: ["/livez", "/%6Civez", "/readyz", "/problems", "/problems/unauthorized", "/problems/inactive-case"])
  func `health checks and problem pages are public`(_ path: String) throws {
    let api = try TestAPI()
    for method in ["GET", "HEAD"] {
      #expect(try api.loop.send(method, path).status == 200)
      #expect(try api.loop.send(method, path, nil, ["Authorization": "Bearer \(TestAPI.unknownToken)"]).status == 200)
    }
    #expect(try api.loop.send("GET", path + "?x=1").status == 200)
    #expect(try api.loop.send("DELETE", path).status == 401)
  }

  @Test func `the readiness check of a service without a journal mentions none`() throws {
    #expect(try TestAPI().loop.get("/readyz").text == "ready\nserver: ok\n")
    #expect(try TestAPI().loop.get("/readyz?exclude=journal").text == "ready\nserver: ok\n")
  }

  @Test func `a service without tokens ignores the Authorization header`() throws {
    let api = try TestAPI(requiresToken: false)
    for testCase in Self.cases where testCase.authorization.count < 2 {
      let fields = testCase.authorization.map { (name: "Authorization", value: $0) }
      #expect(try api.loop.send(Request("GET", "/state/time", fields: fields)).status == 200, "\(testCase.name)")
    }
  }

  @Test(arguments: [
    "short", "fifteen-chars-x", "has blank in it 123", "has\"quote-0123456789", "ümlaut-0123456789",
    "=starts-0123456789", "mid=dle-0123456789", "",
  ])
  func `a text with an invalid syntax is not a token`(_ text: String) {
    #expect(throws: AccessToken.Malformed.self) { try AccessToken(text.utf8) }
  }

  @Test func `a token has 16 to 512 characters`() throws {
    #expect(throws: AccessToken.Malformed.unusableName) { try AccessToken("a/b \(TestAPI.writeToken)".utf8) }
    let longName = String(repeating: "n", count: 65)
    #expect(throws: AccessToken.Malformed.unusableName) { try AccessToken("\(longName) \(TestAPI.writeToken)".utf8) }
    let named = try AccessToken("alice.-_9 \t \(TestAPI.writeToken)".utf8)
    #expect(try named == AccessToken(TestAPI.writeToken.utf8), "the name is not a part of the token")
    #expect(throws: AccessToken.Malformed.tooShort) { try AccessToken(repeatElement(0x61, count: 15)) }
    _ = try AccessToken(repeatElement(0x61, count: 16))
    _ = try AccessToken(repeatElement(0x61, count: 512))
    #expect(throws: AccessToken.Malformed.tooLong) { try AccessToken(repeatElement(0x61, count: 513)) }
    _ = try AccessToken("abcXYZ019-._~+/====".utf8)
  }
}
