import BinderyCore

/// The rows of the table that the menu has no place for.
enum ZooSituations {
  typealias Cell = Situation<Zoo>

  private static func zoo(_ change: (inout Zoo) -> Void) -> Zoo {
    var zoo = Zoo()
    change(&zoo)
    return zoo
  }

  private static let worded = zoo { $0.cell = .word("hi") }
  private static let open = zoo { $0.sheet = .some(.none) }
  private static let deepNil = zoo { $0.deep = .some(.some(.none)) }

  static let all: [Cell] = [cases, optionals, elements, dictionaries, setters, model].flatMap(\.self)

  private static let cases: [Cell] = [
    Cell("another case", Zoo(), "GET", "/state/cell/word", gives: "404 inactive-case"),
    Cell("another case", Zoo(), "DELETE", "/state/cell/word", gives: "204", changed: false),
    Cell("another case", Zoo(), "DELETE", "/state/cell/room/door", gives: "204", changed: false),
    Cell("another case", Zoo(), "DELETE", "/state/cell/herd/5", gives: "204", changed: false),
    Cell("another case", Zoo(), "PUT", "/state/cell/word", "null", gives: "201", changed: true),
    Cell("another case", Zoo(), "PUT", "/state/cell/point", #"{"x":1,"y":2}"#, gives: "201", changed: true),
    Cell("several labels", Zoo(), "PUT", "/state/cell/point/x", "1", gives: "409 cannot-create"),
    Cell("one label", Zoo(), "PUT", "/state/cell/size/width", "1", gives: "201", changed: true),
    Cell("one label", Zoo(), "PUT", "/state/cell/size/width", "0", gives: "422 invalid-value", pointer: ""),
    Cell("a member of a payload", Zoo(), "PUT", "/state/cell/room/name", "\"x\"", gives: "409 cannot-create"),
    Cell(
      "an element in another case", Zoo(), "PUT", "/state/cell/herd/5", #"{"name":"x"}"#, gives: "201", changed: true),
    Cell("an element in another case", Zoo(), "PUT", "/state/cell/herd/5/name", "\"x\"", gives: "409 cannot-create"),
    Cell(
      "an element in another case", Zoo(), "PATCH", "/state/cell/herd/5", #"{"name":"x"}"#, gives: "409 inactive-case"),
    Cell("a case without payload", worded, "PUT", "/state/cell", "\"empty\"", gives: "200", changed: true),
    Cell("the active case", worded, "DELETE", "/state/cell/word", gives: "204", changed: true),
    Cell("the active case", worded, "PATCH", "/state/cell", #"{"room":{"name":"x"}}"#, gives: "200", changed: true),
    Cell(
      "the active case", worded, "PATCH", "/state/cell", #"{"room":{}}"#, gives: "422 missing-member",
      pointer: "/room/name"),
  ]

  private static let optionals: [Cell] = [
    Cell("nil itself", Zoo(), "PUT", "/state/maybeCell", #"{"number":1}"#, gives: "200", changed: true),
    Cell("nil on the way", Zoo(), "GET", "/state/maybeCell/number", gives: "404 nil-optional"),
    Cell("nil on the way", Zoo(), "PATCH", "/state/maybeCell/number", "1", gives: "409 nil-optional"),
    Cell("nil on the way", Zoo(), "PUT", "/state/maybeCell/number", "1", gives: "201", changed: true),
    Cell("nil on the way", Zoo(), "PUT", "/state/maybeCell/size/width", "1", gives: "201", changed: true),
    Cell("nil on the way", Zoo(), "PUT", "/state/maybeCell/point/x", "1", gives: "409 cannot-create"),
    Cell("nil on the way", Zoo(), "PUT", "/state/maybeCell/word", "null", gives: "201", changed: true),
    Cell("nil on the way", Zoo(), "DELETE", "/state/maybeCell/word", gives: "204", changed: false),
    Cell("nil on the way", Zoo(), "PUT", "/state/deep/some/some", "1", gives: "201", changed: true),
    Cell("nil on the way", Zoo(), "PUT", "/state/deep/some/some", "null", gives: "201", changed: true),
    Cell("nil on the way", Zoo(), "GET", "/state/deep/some", gives: "404 nil-optional"),
    Cell("nil itself", deepNil, "GET", "/state/deep/some/some", gives: "200"),
    Cell("nil itself", deepNil, "PUT", "/state/deep/some/some", "1", gives: "200", changed: true),
    Cell("nil itself", deepNil, "DELETE", "/state/deep/some/some", gives: "204", changed: false),
    Cell("nil itself", deepNil, "DELETE", "/state/deep/some", gives: "204", changed: true),
    Cell("nil on the way", open, "PUT", "/state/sheet/some/door", "\"x\"", gives: "409 cannot-create"),
    Cell("nil on the way", open, "DELETE", "/state/sheet/some/door", gives: "204", changed: false),
  ]

  private static let elements: [Cell] = [
    Cell("no such element", Zoo(), "PUT", "/state/animals/7", #"{"name":"Cat"}"#, gives: "201", changed: true),
    Cell("no such element", Zoo(), "DELETE", "/state/animals/7/nick", gives: "204", changed: false),
    Cell("an ill-formed id", Zoo(), "GET", "/state/animals/07", gives: "404 unknown-path"),
    Cell("an ill-formed id", Zoo(), "GET", "/state/animals/-0", gives: "404 unknown-path"),
    Cell("no position in a URL", Zoo(), "GET", "/state/animals/1", gives: "404 no-such-element"),
    Cell("no position in a URL", Zoo(), "GET", "/state/tags/0", gives: "404 unknown-path"),
    Cell("an array is a leaf", Zoo(), "PATCH", "/state/tags", #"["c"]"#, gives: "200", changed: true),
    Cell(
      "an array is a leaf", Zoo(), "POST", "/state/tags", #""c""#, gives: "405 method-not-allowed",
      ["Content-Type": "application/json"]),
    Cell(
      "an id is needed", Zoo(), "POST", "/state/animals", #"{"name":"x"}"#, gives: "422 missing-member", pointer: "/id",
      ["Content-Type": "application/json"]),
  ]

  private static let dictionaries: [Cell] = [
    Cell("no such key", Zoo(), "GET", "/state/prices/dog", gives: "404 no-such-element"),
    Cell("no such key", Zoo(), "PATCH", "/state/prices/dog", "1", gives: "404 no-such-element"),
    Cell("no such key", Zoo(), "PATCH", "/state/prices", #"{"dog":1}"#, gives: "404 no-such-element"),
    Cell("no such key", Zoo(), "PUT", "/state/prices/dog", "1", gives: "201", changed: true),
    Cell("no such key", Zoo(), "DELETE", "/state/prices/dog", gives: "204", changed: false),
    Cell("no such key", Zoo(), "DELETE", "/state/rooms/attic/door", gives: "204", changed: false),
    Cell("no such key", Zoo(), "PUT", "/state/rooms/attic", #"{"name":"Attic"}"#, gives: "201", changed: true),
    Cell("no such key", Zoo(), "PUT", "/state/rooms/attic/name", "\"Attic\"", gives: "409 cannot-create"),
    Cell("a key", Zoo(), "DELETE", "/state/prices/adult", gives: "204", changed: true),
    Cell("a key", Zoo(), "PATCH", "/state/prices", #"{"adult":1}"#, gives: "200", changed: true),
    Cell("a key", Zoo(), "PATCH", "/state/prices", #"{"adult":null}"#, gives: "422 invalid-value", pointer: "/adult"),
    Cell("a key", Zoo(), "PUT", "/state/prices", "{}", gives: "200", changed: true),
    Cell(
      "a key twice", Zoo(), "PATCH", "/state/prices", #"{"adult":1,"adult":2}"#, gives: "422 duplicate-member",
      pointer: "/adult"),
  ]

  private static let setters: [Cell] = [
    Cell("adjusted", Zoo(), "PATCH", "/state/doubled", "9", gives: "200", changed: true),
    Cell("adjusted", Zoo(), "PUT", "/state/doubled", "9", gives: "200", changed: true),
    Cell("adjusted back", Zoo(), "PUT", "/state/doubled", "7", gives: "200", changed: false),
    Cell("dropped", Zoo(), "PUT", "/state/seven", "8", gives: "200", changed: false),
    Cell("strict", Zoo(), "PATCH", "/state/doubled", "9", gives: "409 write-not-kept", ["Prefer": "handling=strict"]),
    Cell(
      "strict", Zoo(), "PATCH", "/state", #"{"doubled":9}"#, gives: "409 write-not-kept", ["Prefer": "handling=strict"]),
    Cell(
      "strict", Zoo(), "PATCH", "/state", #"{"seven":8,"title":"x"}"#, gives: "409 write-not-kept",
      ["Prefer": "handling=strict"]),
    Cell(
      "conflicting", Zoo(), "PATCH", "/state", #"{"count":4,"doubled":10}"#, gives: "422 conflicting-members",
      pointer: "/count"),
    Cell("agreeing", Zoo(), "PATCH", "/state", #"{"count":5,"doubled":10}"#, gives: "200", changed: true),
    Cell("read-only", Zoo(), "PATCH", "/state", #"{"total":1}"#, gives: "422 read-only-member", pointer: "/total"),
    Cell(
      "read-only, before", Zoo(), "PATCH", "/state", #"{"total":17,"prices":{"adult":13}}"#, gives: "200", changed: true
    ),
    Cell(
      "read-only, after", Zoo(), "PATCH", "/state", #"{"total":18,"prices":{"adult":13}}"#, gives: "200", changed: true),
    Cell(
      "read-only, neither", Zoo(), "PATCH", "/state", #"{"total":19,"prices":{"adult":13}}"#,
      gives: "422 read-only-member",
      pointer: "/total"),
  ]

  private static let model: [Cell] = [
    Cell("refused", Zoo(), "PATCH", "/state/count", "101", gives: "422 invalid-state", pointer: "/count"),
    Cell("refused", Zoo(), "PUT", "/state/count", "101", gives: "422 invalid-state", pointer: "/count"),
    Cell("out of its range", Zoo(), "PUT", "/state/count", "1001", gives: "422 invalid-value", pointer: ""),
    Cell(
      "refused", zoo { $0.animals.remove(id: 0) }, "DELETE", "/state/animals/10", gives: "422 invalid-state",
      pointer: "/animals"),
  ]
}
