import BinderyAPI
import BinderyCore
import BinderyMenu
import BinderyTestKit
import Testing

/// `Authorization: Bearer` (RFC 6750).
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
    Case(name: "none", authorization: [], outcome: "401 unauthorized", challenge: plain),
    Case(name: "to write", authorization: ["Bearer \(Door.write)"], outcome: "200"),
    Case(name: "to read", authorization: ["Bearer \(Door.read)"], outcome: "200"),
    Case(name: "scheme in another case", authorization: ["bEARER \(Door.read)"], outcome: "200"),
    Case(name: "two blanks", authorization: ["Bearer  \(Door.read)"], outcome: "200"),
    Case(name: "unknown", authorization: ["Bearer \(Door.noToken)"], outcome: "401 unauthorized", challenge: invalid),
    Case(
      name: "a prefix", authorization: ["Bearer \(Door.write.dropLast())"], outcome: "401 unauthorized",
      challenge: invalid),
    Case(name: "more", authorization: ["Bearer \(Door.write)x"], outcome: "401 unauthorized", challenge: invalid),
    Case(
      name: "another case", authorization: ["Bearer \(Door.write.uppercased())"], outcome: "401 unauthorized",
      challenge: invalid),
    Case(
      name: "two tokens", authorization: ["Bearer \(Door.write) \(Door.write)"], outcome: "401 unauthorized",
      challenge: invalid),
    Case(
      name: "oversized", authorization: ["Bearer " + String(repeating: "x", count: 8_000)], outcome: "401 unauthorized",
      challenge: invalid),
    Case(name: "no token", authorization: ["Bearer"], outcome: "401 unauthorized", challenge: invalid),
    Case(name: "no token after the blank", authorization: ["Bearer "], outcome: "401 unauthorized", challenge: invalid),
    Case(name: "no scheme", authorization: [Door.write], outcome: "401 unauthorized", challenge: plain),
    Case(
      name: "another scheme", authorization: ["Basic d3JpdGU6d3JpdGU="], outcome: "401 unauthorized", challenge: plain),
    Case(name: "not UTF-8", authorization: ["Bearer w\u{FC}"], outcome: "401 unauthorized", challenge: invalid),
    Case(
      name: "twice", authorization: ["Bearer \(Door.write)", "Bearer \(Door.write)"], outcome: "400 malformed-request"),
    Case(
      name: "twice, one wrong", authorization: ["Basic eA==", "Bearer \(Door.write)"], outcome: "400 malformed-request"),
  ]

  @Test(arguments: cases)
  func `a token lets its bearer in, and nothing else does`(_ one: Case) throws {
    let door = try Door()
    let fields = one.authorization.map { (name: "Authorization", value: $0) }
    let reply = try door.loop.send(Request("GET", "/state/time", fields: fields))
    #expect(reply.outcome == one.outcome)
    #expect(reply["WWW-Authenticate"] == one.challenge)
    if reply.status != 200 { #expect(reply["Cache-Control"] == "no-store") }
  }

  @Test func `a token for reading reads`() throws {
    let door = try Door()
    for method in ["GET", "HEAD", "OPTIONS"] {
      let status = try door.loop.send(method, "/state/time", nil, Door.reader).status
      #expect(status == (method == "OPTIONS" ? 204 : 200))
    }
    #expect(try door.loop.get("/history", Door.reader).status == 200)
  }

  @Test(
    arguments: ["PATCH", "PUT", "POST", "DELETE"], ["/state/time", "/state/dishes", "/history/1/revert", "/nothing"])
  func `a token for reading writes nothing, wherever`(_ method: String, _ path: String) throws {
    let door = try Door()
    let reply = try door.loop.send(method, path, "\"tomorrow\"", Door.reader)
    #expect(reply.outcome == "403 forbidden")
    #expect(reply["WWW-Authenticate"] == Self.plain + #", error="insufficient_scope", scope="write""#)
    #expect(door.loop.store.revision == 0)
  }

  @Test func `a token for writing writes`() throws {
    let door = try Door()
    #expect(try door.loop.send("PUT", "/state/time", "\"tomorrow\"", Door.writer).status == 200)
    #expect(door.loop.store.revision == 1)
  }

  /// What is asked, and which answer the bearer of a token gets.
  static let places: [(method: String, path: String, status: Int)] = [
    ("GET", "/state", 200), ("GET", "/state/time", 200), ("GET", "/state/time/custom", 404), ("GET", "/state/x", 404),
    ("GET", "/state/%00", 400), ("GET", "/nothing", 404), ("GET", "/openapi.yaml", 404), ("GET", "/events", 400),
    ("GET", "/history", 200), ("POST", "/livez", 405), ("PUT", "/state/today", 405), ("GET", "/problems/nothing", 404),
    ("GET", "/%6Civez", 200), ("GET", "/session", 405), ("OPTIONS", "/state", 204), ("GET", "/livez/", 404),
    ("GET", "/metrics", 404),
  ]

  @Test func `who has no token learns nothing, not even what there is`() throws {
    let door = try Door()
    var answers: Set<String> = []
    for place in Self.places {
      let known = try door.loop.send(place.method, place.path, nil, Door.writer)
      #expect(known.status == place.status, "\(place)")
      let reply = try door.loop.send(place.method, place.path)
      answers.insert("\(reply.status) \(reply.fields.map { "\($0.name): \($0.value)" }) \(reply.text)")
    }
    #expect(answers.count == 1)
    #expect(answers.first?.hasPrefix("401") == true)
  }

  @Test(arguments: ["/livez", "/readyz", "/problems", "/problems/unauthorized", "/problems/inactive-case"])
  func `health and the pages of problems are for everybody`(_ path: String) throws {
    let door = try Door()
    for method in ["GET", "HEAD"] {
      #expect(try door.loop.send(method, path).status == 200)
      #expect(try door.loop.send(method, path, nil, ["Authorization": "Bearer \(Door.noToken)"]).status == 200)
    }
    #expect(try door.loop.send("GET", path + "?x=1").status == 200)
    #expect(try door.loop.send("DELETE", path).status == 401)
  }

  @Test func `where nobody is asked for a token, one that is sent says nothing`() throws {
    let door = try Door(isGuarded: false)
    for one in Self.cases where one.authorization.count < 2 {
      let fields = one.authorization.map { (name: "Authorization", value: $0) }
      #expect(try door.loop.send(Request("GET", "/state/time", fields: fields)).status == 200, "\(one.name)")
    }
  }

  @Test(arguments: [
    "short", "fifteen-chars-x", "has blank in it 123", "has\"quote-0123456789", "ümlaut-0123456789",
    "=starts-0123456789", "mid=dle-0123456789", "",
  ])
  func `a text that cannot be sent as a token is none`(_ text: String) {
    #expect(throws: AccessToken.Malformed.self) { try AccessToken(text.utf8) }
  }

  @Test func `a token has its lengths`() throws {
    #expect(throws: AccessToken.Malformed.tooShort) { try AccessToken(repeatElement(0x61, count: 15)) }
    _ = try AccessToken(repeatElement(0x61, count: 16))
    _ = try AccessToken(repeatElement(0x61, count: 512))
    #expect(throws: AccessToken.Malformed.tooLong) { try AccessToken(repeatElement(0x61, count: 513)) }
    _ = try AccessToken("abcXYZ019-._~+/====".utf8)
  }
}
