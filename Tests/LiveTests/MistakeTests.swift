import BinderyCore
import BinderyJSON
import BinderyMenu
import BinderyService
import BinderyTestKit
import Foundation
import Testing

/// The mistakes of a newcomer, typed into a shell, and the commands that the answers suggest, pasted into the shell.
struct MistakeTests {
  /// A command with a mistake.
  struct Mistake: Sendable, CustomTestStringConvertible {
    /// `$S` is the server, `$M` its state, and `$D` the path of a dish.
    let command: String
    /// The status and the type of the problem.
    let outcome: String
    /// A part of the detail.
    let hint: String
    /// The suggested command, in which `$S` stands for the server; nil if none is suggested.
    let suggestion: String?

    init(_ command: String, _ outcome: String, _ hint: String, _ suggestion: String? = nil) {
      self.command = command
      self.outcome = outcome
      self.hint = hint
      self.suggestion = suggestion
    }

    var testDescription: String { command }
  }

  private static let token = "mistaken-token-0123456789"

  @Test(arguments: mistakes)
  func `the answer to a mistake says what to do, and its command works`(_ mistake: Mistake) throws {
    try check(mistake, token: nil)
  }

  @Test(arguments: mistakes)
  func `where a token is needed, the command contains the variable and not the token`(_ mistake: Mistake) throws {
    try check(mistake, token: Self.token)
  }

  private func check(_ mistake: Mistake, token: String?) throws {
    let menu = Menu(
      today: CalendarDay(year: 2026, month: 11, day: 21)!, evening: Date(timeIntervalSince1970: 1_795_287_600))
    let live = try LiveService(menu, access: token.map { try .tokens([$0]) } ?? .local)
    defer { live.stop() }
    let server = "http://\(live.address)"
    let bearer = "-H \"Authorization: Bearer $TOKEN\""
    let environment = [
      "S": server, "M": server + "/state", "D": server + "/state/dishes/\(Self.dish)", "TOKEN": Self.token,
    ]
    let sent = token != nil ? mistake.command.replacing("curl ", with: "curl \(bearer) ") : mistake.command
    let revision = live.store.revision
    let answer = try Shell.run(sent, environment).output
    let problem = try #require(try? JSONDocument(parsing: Array(answer.utf8)).root, "\(answer)")
    let type = problem["type"]?.string?.split(separator: "/").last ?? "-"
    let status = problem["status"].map { String(decoding: $0.text, as: UTF8.self) } ?? "-"
    #expect("\(status) \(type)" == mistake.outcome, "\(answer)")
    #expect(problem["detail"]?.string?.contains(mistake.hint) == true, "\(answer)")
    #expect(!answer.contains(Self.token))
    #expect(live.store.revision == revision)
    let suggestion = problem["curl"]?.string
    let header = token == nil ? "" : " \(bearer)"
    let expected = mistake.suggestion.map { text in
      text.replacing("$S", with: server).replacing("$D", with: "/state/dishes/\(Self.dish)").replacing(
        /( 'http\S+')/, with: { "\($0.1)\(header)" })
    }
    #expect(suggestion == expected)
    guard let suggestion else { return }
    let result = try Shell.run(suggestion, environment)
    #expect(result.status == 0)
    #expect(
      !result.output.contains("/problems/") || suggestion.contains("/problems/"), "\(suggestion): \(result.output)")
  }

  static let dish = "b10de400-0000-8000-8000-000000000002"
  private static let unknown = "b10de400-0000-8000-8000-0000000000ff"

  static let mistakes = quotes + values + paths + methods + places + headers + bodies

  /// JSON without its quotation marks, because the shell took them, or because there were none.
  private static let quotes = [
    Mistake(
      "curl -X PATCH $D/name -d Melanzane", "400 malformed-json", #"-d '"x"'"#,
      #"curl -X PATCH '$S$D/name' -d '"Melanzane"'"#),
    Mistake(
      "curl -X PATCH $M/time -d tonight", "400 malformed-json", "double quotes",
      #"curl -X PATCH '$S/state/time' -d '"tonight"'"#),
    Mistake(
      "curl -X PATCH $M/time -d \"tomorrow\"", "400 malformed-json", "double quotes",
      #"curl -X PATCH '$S/state/time' -d '"tomorrow"'"#),
    Mistake(
      "curl -X PATCH $M/time -d Tonight", "400 malformed-json", "double quotes",
      #"curl -X PATCH '$S/state/time' -d '"tonight"'"#),
    Mistake(
      "curl -X PATCH $M/time -d \"'tonight'\"", "400 malformed-json", "double quotes",
      #"curl -X PATCH '$S/state/time' -d '"tonight"'"#),
    Mistake(
      "curl -X PATCH $M/time -d '“tonight”'", "400 malformed-json", "double quotes",
      #"curl -X PATCH '$S/state/time' -d '"tonight"'"#),
    Mistake(
      "curl -X PATCH $M/time -d '\"tonight'", "400 malformed-json", "unexpected end",
      #"curl -X PATCH '$S/state/time' -d '"tonight"'"#),
    Mistake(
      "curl -X PATCH $D/name -d \"Nonna's Soup, with: {beans}\"", "400 malformed-json", "double quotes",
      #"curl -X PATCH '$S$D/name' -d '"Nonna'\''s Soup, with: {beans}"'"#),
    Mistake(
      "curl -X PATCH $D -d isFavorite=true", "400 malformed-json", "double quotes",
      #"curl -X PATCH '$S$D' -d '{"isFavorite":true}'"#),
    Mistake(
      "curl -X PATCH $D -d name=Soup -d isFavorite=True", "400 malformed-json", "double quotes",
      #"curl -X PATCH '$S$D' -d '{"name":"Soup","isFavorite":true}'"#),
    Mistake(
      "curl -X PATCH $D -d {\"name\":\"Soup\"}", "400 malformed-json", "double quotes",
      #"curl -X PATCH '$S$D' -d '{"name":"Soup"}'"#),
    Mistake(
      "curl -X PATCH $D -d \"{'name': 'Soup', 'isFavorite': False,}\"", "400 malformed-json", "double quotes",
      #"curl -X PATCH '$S$D' -d '{"name":"Soup","isFavorite":false}'"#),
    Mistake(
      "curl -X PATCH $D -d '{\"name\": \"Soup\"'", "400 malformed-json", "unexpected end",
      #"curl -X PATCH '$S$D' -d '{"name":"Soup"}'"#),
    Mistake(
      "curl -X POST $M/dishes -d name=Soup", "400 malformed-json", "double quotes",
      #"curl -X POST '$S/state/dishes' -d '{"name":"Soup"}'"#),
    Mistake(
      "curl -X PUT $M/time/custom -d 2026-12-24T19:00:00Z", "400 malformed-json", "double quotes",
      #"curl -X PUT '$S/state/time/custom' -d '"2026-12-24T19:00:00Z"'"#),
    Mistake(
      "curl -X PATCH $M/time/custom -d 2026-12-24T19:00:00Z", "400 malformed-json", "double quotes",
      #"curl -X PUT '$S/state/time/custom' -d '"2026-12-24T19:00:00Z"'"#),
    Mistake("curl -X POST $M/dishes -d Soup", "400 malformed-json", "double quotes"),
    Mistake(
      #"curl -X PATCH $D -d '{name: "a\"b"}'"#, "400 malformed-json", "double quotes",
      #"curl -X PATCH '$S$D' -d '{"name":"a\"b"}'"#),
    // What “\d” and “\q” mean is not certain.
    Mistake(#"curl -X PATCH $D -d '{"name": "C:\dishes\quiche"}'"#, "400 malformed-json", "escape"),
    Mistake(
      "curl -X PATCH $M/time", "400 malformed-json", "The body is empty",
      #"curl -X PATCH '$S/state/time' -d '"tonight"'"#),
  ]

  /// JSON that does not fit the type.
  private static let values = [
    Mistake(
      "curl -X PATCH $M/time -d '\"Tonigt\"'", "422 invalid-value", "is not one of",
      #"curl -X PATCH '$S/state/time' -d '"tonight"'"#),
    Mistake("curl -X PATCH $M/time -d '\"custom\"'", "422 invalid-value", "needs a payload"),
    Mistake(
      "curl -X PATCH $M -d '{\"time\":{\"tonight\":null}}'", "422 unknown-member", "with a payload",
      #"curl -X PATCH '$S/state' -d '{"time":"tonight"}'"#),
    Mistake(
      "curl -X PATCH $D -d '{\"isfavorite\": true}'", "422 unknown-member", "isfavorite",
      #"curl -X PATCH '$S$D' -d '{"isFavorite":true}'"#),
    Mistake(
      "curl -X PATCH $D -d '{\"isFavorite\": \"true\"}'", "422 invalid-value", "is not a boolean (true or false).",
      #"curl -X PATCH '$S$D' -d '{"isFavorite":true}'"#),
    Mistake(
      "curl -X PATCH $D/name -d 5", "422 invalid-value", "5 is not a string.", #"curl -X PATCH '$S$D/name' -d '"5"'"#),
    Mistake(
      "curl -X PATCH $D/status/inStock/quantity -d '\"5\"'", "422 invalid-value", "is not an integer.",
      "curl -X PATCH '$S$D/status/inStock/quantity' -d '5'"),
    Mistake("curl -X PATCH $D/status/inStock/quantity -d 0", "422 invalid-value", "0 is not an integer ≥ 1."),
    Mistake(
      "curl -X PATCH $D/status -d '{\"inStock\": 3}'", "422 invalid-value", "3 is not an object.",
      #"curl -X PATCH '$S$D/status' -d '{"inStock":{"quantity":3}}'"#),
    Mistake(
      "curl -X PATCH $D/status -d '{\"instock\":{\"quantity\":3}}'", "422 unknown-member", "instock",
      #"curl -X PATCH '$S$D/status' -d '{"inStock":{"quantity":3}}'"#),
    Mistake(
      "curl -X PATCH $M/editing -d '{\"name\":\"Soup\"}'", "422 unknown-member", "There is no member",
      #"curl -X PATCH '$S/state/editing' -d '{"some":{"name":"Soup"}}'"#),
    Mistake(
      "curl -X POST $M/dishes -d '{\"nmae\":\"Soup\"}'", "422 unknown-member", "nmae",
      #"curl -X POST '$S/state/dishes' -d '{"name":"Soup"}'"#),
    Mistake(
      "curl -X POST $M/dishes -d '[{\"name\":\"Soup\"}]'", "422 invalid-value", "is not an object.",
      #"curl -X POST '$S/state/dishes' -d '{"name":"Soup"}'"#),
    Mistake(
      "curl -X PUT $M/time/custom -d '\"2026-12-24 19:00\"'", "422 invalid-value", "such as 2026-11-21T19:00:00Z"),
  ]

  /// Paths that do not exist.
  private static let paths = [
    Mistake("curl $M/Dishes", "404 unknown-path", "Did you mean “dishes”?", "curl '$S/state/dishes'"),
    Mistake("curl $M/dish", "404 unknown-path", "Did you mean “dishes”?", "curl '$S/state/dishes'"),
    Mistake("curl $M/selected_day", "404 unknown-path", "“selectedDay”", "curl '$S/state/selectedDay'"),
    Mistake("curl $M/price", "404 unknown-path", "“price” is not a member of /state."),
    Mistake("curl $M/dishes/1", "404 unknown-path", "addressed by id, not by position", "curl '$S$D'"),
    Mistake("curl -X DELETE $M/dishes/1", "404 unknown-path", "addressed by id", "curl -X DELETE '$S$D'"),
    Mistake("curl $M/dishes/99", "404 unknown-path", "addressed by id"),
    Mistake(
      "curl $M/dishes/soup", "404 unknown-path", "such as /state/dishes/b10de400",
      "curl '$S/state/dishes/b10de400-0000-8000-8000-000000000001'"),
    Mistake("curl -X DELETE $M/dishes/soup", "404 unknown-path", "such as /state/dishes/b10de400"),
    Mistake("curl $M/Dishes/1/Nmae", "404 unknown-path", "Did you mean “dishes”?", "curl '$S$D/name'"),
    Mistake("curl $M/dishes/", "404 unknown-path", "trailing slash", "curl '$S/state/dishes'"),
    Mistake("curl $S//state//dishes", "404 unknown-path", "doubled", "curl '$S/state/dishes'"),
    // Without the id that is missing, the command would delete or replace much more.
    Mistake("curl -X DELETE $M/pinnedID/", "404 unknown-path", "trailing slash"),
    Mistake("curl -X PUT $M/dishes/ -d '[]'", "404 unknown-path", "trailing slash"),
    Mistake("curl $S/dishes", "404 unknown-path", "begin with /state", "curl '$S/state/dishes'"),
    Mistake(
      "curl -X PATCH $S/time -d '\"tonight\"'", "404 unknown-path", "begin with /state",
      #"curl -X PATCH '$S/state/time' -d '"tonight"'"#),
    Mistake("curl $S/api/dishes", "404 unknown-path", "begin with /state", "curl '$S/state/dishes'"),
    Mistake("curl $S/State/time", "404 unknown-path", "Did you mean /state/time?", "curl '$S/state/time'"),
    Mistake("curl $S/metric", "404 unknown-path", "Did you mean /metrics?", "curl '$S/metrics'"),
    Mistake("curl $S/event", "404 unknown-path", "Did you mean /events?"),
    Mistake(
      "curl $S/problem/nil-optional", "404 unknown-path", "/problems/nil-optional", "curl '$S/problems/nil-optional'"),
    Mistake("curl $M/time/tonight", "404 unknown-path", "has no payload, so it has no path", "curl '$S/state/time'"),
    Mistake(
      "curl -X PUT $M/time/tomorrow", "404 unknown-path", "PATCH /state/time",
      #"curl -X PATCH '$S/state/time' -d '"tomorrow"'"#),
    Mistake("curl $D/name/first", "404 unknown-path", "has no parts"),
    Mistake("curl $M/favorites/0", "404 unknown-path", "have no ids"),
    Mistake("curl $M/pinnedDish/some/name", "404 unknown-path", "leave out “some”", "curl '$S/state/pinnedDish/name'"),
    Mistake("curl $M/editing/name", "404 unknown-path", "“some” names the inner one"),
    Mistake(
      "curl -X POST $M/dishes/add -d '{\"name\":\"Soup\"}'", "404 unknown-path", "send POST to",
      #"curl -X POST '$S/state/dishes' -d '{"name":"Soup"}'"#),
    Mistake("curl -X POST $D/delete", "404 unknown-path", "send DELETE to", "curl -X DELETE '$S$D'"),
    Mistake("curl -X POST $S/history/1/undo", "404 unknown-path", "/history/REVISION/revert"),
    Mistake("curl -H 'Accept: text/event-stream' \"$S/events?path=/Time\"", "404 unknown-path", "Did you mean “time”?"),
    Mistake(
      "curl -X PATCH $M -H 'Content-Type: application/json-patch+json' -d '[{\"op\":\"remove\",\"path\":\"/tyme\"}]'",
      "409 unknown-path", "Did you mean “time”?"),
  ]

  /// Methods that do not fit the path. `-d` alone means POST.
  private static let methods = [
    Mistake(
      "curl $M/time -d '\"tomorrow\"'", "405 method-not-allowed", "Allowed methods: GET, HEAD, PATCH, PUT, OPTIONS.",
      #"curl -X PATCH '$S/state/time' -d '"tomorrow"'"#),
    Mistake("curl $D/name -d Soup", "405 method-not-allowed", "send PATCH", #"curl -X PATCH '$S$D/name' -d '"Soup"'"#),
    Mistake(
      "curl $D -d '{\"isFavorite\":true}'", "405 method-not-allowed", "send PATCH",
      #"curl -X PATCH '$S$D' -d '{"isFavorite":true}'"#),
    Mistake("curl -X DELETE $D/name", "405 method-not-allowed", "Only optionals, elements and entries can be deleted."),
    Mistake("curl -X PATCH $M/today -d '\"2026-01-01\"'", "405 method-not-allowed", "“today” is read-only."),
    Mistake("curl -X PATCH $M/favorites -d '[]'", "405 method-not-allowed", "computed from dishes"),
    Mistake("curl -X PATCH $D/id -d '\"x\"'", "405 method-not-allowed", "is the id of an element"),
    Mistake("curl -X PUT $S/history", "405 method-not-allowed", "Allowed methods: GET, HEAD, OPTIONS."),
    Mistake("curl -X LIST $M/dishes", "501 not-implemented", "PATCH changes"),
    Mistake("curl -X patch $M/time -d '\"tonight\"'", "501 not-implemented", "in upper case"),
  ]

  /// Places that do not exist at the moment.
  private static let places = [
    Mistake(
      "curl -X PATCH $M/time/custom -d '\"2026-12-24T19:00:00Z\"'", "409 inactive-case", "“tonight” is",
      #"curl -X PUT '$S/state/time/custom' -d '"2026-12-24T19:00:00Z"'"#),
    Mistake("curl $M/time/custom", "404 inactive-case", "“tonight” is"),
    Mistake("curl $M/editing/some/name", "404 nil-optional", "/state/editing is null"),
    Mistake(
      "curl -X PATCH $M/editing/some -d '{\"name\":\"Soup\"}'", "409 nil-optional", "/state/editing is null",
      #"curl -X PUT '$S/state/editing/some' -d '{"name":"Soup"}'"#),
    Mistake("curl $M/dishes/\(unknown)", "404 no-such-element", "GET /state/dishes", "curl '$S/state/dishes'"),
    Mistake(
      "curl -X PATCH $M/dishes/\(unknown) -d '{\"name\":\"Soup\"}'", "404 no-such-element", unknown,
      #"curl -X PUT '$S/state/dishes/\#(unknown)' -d '{"name":"Soup"}'"#),
    Mistake(
      "curl -X PUT $M/dishes/\(unknown)/name -d '\"Soup\"'", "409 cannot-create",
      "/state/dishes/\(unknown) does not exist"),
    Mistake("curl -X PUT $M/days/2030-01-01 -d '{\"isSelected\":true}'", "409 cannot-create", "computed from"),
    Mistake("curl -X POST $S/history/9/revert", "404 no-such-element", "Revision 9 does not exist."),
  ]

  private static let headers = [
    Mistake("curl -X PATCH $M/time -H 'If-Match: abc' -d '\"tonight\"'", "400 malformed-header", "in double quotes"),
    Mistake(
      "curl $M/time -H 'If-None-Match: abc'", "400 malformed-header", "in double quotes",
      #"curl '$S/state/time' -H 'If-None-Match: "abc"'"#),
    Mistake(
      "curl -X POST $M/dishes -H 'Content-Type: text/plain' -d '{\"name\":\"Soup\"}'", "415 unsupported-media-type",
      "“text/plain”", #"curl -X POST '$S/state/dishes' -d '{"name":"Soup"}'"#),
    Mistake(
      "curl -X PATCH $M/time -H 'Content-Type: text/json' -d tonight", "415 unsupported-media-type", "“text/json”",
      #"curl -X PATCH '$S/state/time' -d '"tonight"'"#),
    Mistake("curl -F name=Soup $M/dishes", "415 unsupported-media-type", "multipart/form-data"),
    Mistake("curl -H 'Accept: text/html' $M/time", "406 not-acceptable", "application/json"),
    Mistake("curl -H 'Host: menu.example' $M/time", "421 misdirected-request", "--allow-host menu.example"),
    Mistake("curl \"$M/dishes?limt=2\"", "400 malformed-query", "Did you mean “limit”?"),
    Mistake("curl \"$M/time?limit=2\"", "400 malformed-query", "no query parameter “limit”"),
    Mistake("curl \"$M/dishes?limit=2&limit=3\"", "400 malformed-query", "more than once"),
    Mistake("curl -X DELETE \"$M/pinnedDish?pretty\"", "400 malformed-query", "accepts no query parameters"),
    Mistake("curl \"$S/history?from=2\"", "400 malformed-query", "no query parameter “from”"),
  ]

  /// Bodies for another method or another type.
  private static let bodies = [
    Mistake(
      "curl -X PATCH $M -d '[{\"op\":\"replace\",\"path\":\"/time\",\"value\":\"tomorrow\"}]'", "422 invalid-value",
      "looks like a JSON Patch",
      #"curl -X PATCH '$S/state' -H 'Content-Type: application/json-patch+json' "#
        + #"-d '[{"op":"replace","path":"/time","value":"tomorrow"}]'"#),
    Mistake(
      "curl -X PATCH $M -d '[{\"op\":\"replace\",\"path\":\"/tmie\",\"value\":1}]'", "422 invalid-value",
      "looks like a JSON Patch"),
    Mistake(
      "curl -X PATCH $M/dishes -d '{\"name\":\"Soup\"}'", "422 invalid-value", "send POST",
      #"curl -X POST '$S/state/dishes' -d '{"name":"Soup"}'"#),
    Mistake(
      "curl -X PUT $D -d '{\"name\":\"Soup\"}'", "422 missing-member", "use PATCH",
      #"curl -X PATCH '$S$D' -d '{"name":"Soup"}'"#),
  ]
}
