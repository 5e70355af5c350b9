import BinderyAPI
import BinderyCore
import BinderyTestKit
import Testing

/// Hints in problems that do not depend on a shell. `MistakeTests` covers the commands.
struct GuideTests {
  private static let names = ["dishes", "pinnedID", "time", "timeZone", "selectedDay", "isFavorite", "status", "id"]

  @Test(arguments: [
    ("dishes", "dishes"), ("Dishes", "dishes"), ("dish", "dishes"), ("dihses", "dishes"), ("disches", "dishes"),
    ("pinnedId", "pinnedID"), ("pinned_id", "pinnedID"), ("is-favorite", "isFavorite"), ("favorite", "isFavorite"),
    ("time", "time"), ("times", "time"), ("tim", nil), ("timezone", "timeZone"), ("state", nil), ("statsu", "status"),
    ("ID", "id"),
    ("x", nil), ("", nil), ("selected", "selectedDay"), ("selectedDate", "selectedDay"), ("price", nil), ("d", nil),
    (String(repeating: "dishes", count: 20), nil),
  ])
  func `a similar name is found unless several are equally similar`(_ text: String, _ expected: String?) {
    #expect(Spelling.closest(to: text, among: Self.names) == expected)
  }

  @Test func `a list of names has at most 20`() {
    #expect(Spelling.list(["a", "b"]) == "a, b")
    #expect(Spelling.list((0..<30).map { "n\($0)" }).hasSuffix("n19, … (30 names)"))
  }

  @Test func `a part of a null optional in the body is not taken for the whole path`() throws {
    try TestTransport.memory.serve(Menus.fresh) { client, _ throws in
      #expect(try client.patch("/state/pinnedID", "null").status == 200)
      let inner = try client.patch("/state/pinnedDish", #"{"name": "Soup"}"#)
      #expect(inner.string("detail")?.contains("/state/pinnedDish is null, and it cannot be set.") == true, "\(inner)")
      let outer = try client.patch("/state", #"{"pinnedDish": {"name": "Soup"}}"#)
      #expect(outer.outcome == inner.outcome)
      #expect(outer.string("detail")?.contains("a part of an optional that is null") == true, "\(outer)")
    }
  }

  @Test func `a command that would be refused for its preferences is not suggested`() throws {
    try TestTransport.socket.serve(Menus.fresh) { client, _ throws in
      let path = "/state/days/2026-11-21/isSelected"
      // Only another day can be selected instead.
      let lenient = try client.patch(path, #""false""#)
      #expect(lenient.status == 422 && lenient.string("curl")?.contains("false") == true, "\(lenient)")
      let strict = try client.patch(path, #""false""#, ["Prefer": "handling=strict"])
      #expect(strict.status == 422 && strict.string("curl") == nil, "\(strict)")
    }
  }

  @Test func `a suggested command has the query of the request only if it is valid`() throws {
    try TestTransport.socket.serve(Menus.fresh) { client, _ throws in
      let text: KeyValuePairs = ["Content-Type": "text/plain"]
      let valid = try client.send("PUT", "/state/time?pretty", #""tonight""#, text)
      #expect(valid.string("curl")?.contains("/state/time?pretty'") == true, "\(valid)")
      let invalid = try client.send("PUT", "/state/time?prety", #""tonight""#, text)
      #expect(invalid.string("curl")?.contains("/state/time'") == true, "\(invalid)")
    }
  }

  /// A model with hidden members, whose names and sources must not appear in hints.
  struct Safe: StateModel {
    var label = "x"
    var secretCode = 1
    var isOpen: Bool { secretCode == 0 }
    static let shape = EditableShape<Safe>.members(
      Safe.init(label:secretCode:), StoredMember("label", \.label),
      StoredMember(hidden: "secretCode", \.secretCode, default: 1),
      computed: [ComputedMember("isOpen", readOnly: \.isOpen, from: \.secretCode)])
  }

  @Test(
    arguments: [
      ("GET", "/state/secretcode", nil), ("GET", "/state/secret", nil), ("PATCH", "/state/isOpen", "true"),
      ("PATCH", "/state", #"{"secretcode":2}"#), ("PATCH", "/state", #"{"secretCode":2}"#), ("GET", "/secretCode", nil),
    ] as [(String, String, String?)])
  func `hints do not name hidden members`(_ method: String, _ target: String, _ body: String?) throws {
    try TestTransport.socket.serve(Safe()) { client, _ throws in
      let reply = try client.send(method, target, body)
      #expect(reply.status >= 400)
      let sent = target + (body ?? "")
      for name in ["secretCode", "secretcode"] where !sent.contains(name) { #expect(!reply.text.contains(name)) }
      #expect(reply.string("curl") == nil)
    }
  }

  /// Paths that the types of a zoo do not define, and what the problem says.
  static let paths: [(path: String, detail: String, expected: String?)] = [
    ("/tags/0", "The elements of /state/tags have no ids", nil), ("/count/x", "is a value of type Int", nil),
    ("/rooms/hall/nme", "“nme” is not a member of /state/rooms/hall. Did you mean “name”?", "one of name, size, door"),
    ("/cell/empty", "The case “empty” of /state/cell has no payload", nil),
    ("/cell/nmuber", "“nmuber” is not a case of /state/cell with a payload. Did you mean “number”?", "one of number"),
    ("/cell/point/z", "“z” is not a member of /state/cell/point.", "one of x, y"),
    ("/animals/first", "addressed by id, such as /state/animals/10.", "an id of type integer"),
    ("/animals/10/Legs", "Did you mean “legs”?", "one of id, name, legs, nick"),
    ("/note/some", "leave out “some”", nil), ("/deep/some/x", "“some” names the inner one", "/state/deep/some/some"),
    ("/maybeCell/rom", "Did you mean “room”?", nil),
    ("/xyz", "“xyz” is not a member of /state.", "one of count, ratio"),
  ]

  @Test(arguments: paths, TestTransport.allCases)
  func `an unknown path is explained by the types along it`(
    _ path: (path: String, detail: String, expected: String?), _ transport: TestTransport
  ) throws {
    try transport.serve(MergeTests.zoo) { client, _ throws in
      let reply = try client.get("/state" + path.path)
      #expect(reply.outcome == "404 unknown-path")
      #expect(reply.string("detail")?.contains(path.detail) == true, "\(reply.text)")
      if let expected = path.expected {
        #expect(reply.string("expected")?.hasPrefix(expected) == true, "\(reply.text)")
      }
    }
  }

  /// A model with collections of other types than the zoo.
  struct Lists: StateModel {
    var labels: Set<String> = ["a"]
    var numbers = [1]
    var days: [CalendarDay: String] = [:]
    static let shape = EditableShape<Lists>.members(
      Lists.init(labels:numbers:days:), StoredMember("labels", \.labels), StoredMember("numbers", \.numbers),
      StoredMember("days", \.days))
  }

  @Test(arguments: [
    ("/labels/-", "The elements of /labels have no ids, so they have no paths. A set is read and written as a whole"),
    ("/numbers/x", "“x” is not a position in /numbers."),
  ])
  func `a JSON Patch below a list or a set is not told to send a JSON Patch`(_ path: String, _ detail: String) throws {
    try TestTransport.socket.serve(Lists()) { client, _ throws in
      let reply = try client.jsonPatch("/state", #"[{"op":"add","path":"\#(path)","value":"b"}]"#)
      #expect(reply.outcome == "409 unknown-path")
      #expect(reply.string("detail")?.hasPrefix(detail) == true, "\(reply.text)")
    }
  }

  @Test func `quotes are not suggested where they would lead to the next error`() throws {
    let client = MemoryClient(Store(Zoo()))
    for (path, body, isSuggested) in [("count", "2,00", false), ("count", "yes", false), ("title", "Zoo", true)] {
      let reply = try client.patch("/state/\(path)", body)
      #expect(reply.outcome == "400 malformed-json")
      #expect(reply.string("detail")?.contains("double quotes") == isSuggested, "\(reply)")
    }
  }

  @Test func `a text that is not a key is refused with an example of a key`() throws {
    try TestTransport.socket.serve(Lists()) { client, _ throws in
      let path = try client.put("/state/days/25.12.2026", "\"Christmas\"")
      let member = try client.patch("/state/days", #"{"25.12.2026":"Christmas"}"#)
      #expect(path.outcome == "404 unknown-path" && member.outcome == "422 unknown-member")
      for reply in [path, member] { #expect(reply.string("expected") == "a key of type date, such as 2026-11-21") }
    }
  }

  @Test func `a part of a value that is nil is refused with the place of the whole value`() throws {
    var zoo = Zoo()
    zoo.sheet = .some(.none)
    try TestTransport.socket.serve(zoo) { client, _ throws in
      let reply = try client.send("PUT", "/state/sheet/some/door", "\"oak\"")
      #expect(reply.outcome == "409 cannot-create")
      #expect(reply.string("detail")?.hasPrefix("/state/sheet/some is null, and a part") == true, "\(reply.text)")
    }
  }

  @Test func `a refused write of a long body is answered without hints, and a wrong one costs no revision`() throws {
    try TestTransport.socket.serve(MergeTests.zoo) { client, store throws in
      let long = try client.patch("/state/title", String(repeating: "x", count: 2_000))
      #expect(long.outcome == "400 malformed-json" && long.string("curl") == nil)
      let text = try client.patch("/state/title", [UInt8(0xFF)])
      #expect(text.outcome == "400 malformed-json" && text.string("curl") == nil)
      #expect(try client.patch("/state/title", "x").string("curl")?.hasSuffix(#" -d '"x"'"#) == true)
      // With the mark, the apostrophe is another character, but not for the shell.
      let quoted = try client.patch("/state/title", "a'\u{301}b").string("curl")
      #expect(quoted?.hasSuffix(#" -d '"a'\''"# + "\u{301}b\"'") == true, "\(quoted ?? "")")
      #expect(store.revision == 0)
    }
  }
}

extension Client {
  /// Sends a PATCH request with any bytes.
  fileprivate func patch(_ target: String, _ body: [UInt8]) throws -> Reply {
    try send(Request("PATCH", target, body: body))
  }
}
