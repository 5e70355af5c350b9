import BinderyCore

/// Scenarios for the kinds of values that the menu does not have.
enum ZooScenarios {
  typealias Row = Scenario<Zoo>

  private static func zoo(_ change: (inout Zoo) -> Void) -> Zoo {
    var zoo = Zoo()
    change(&zoo)
    return zoo
  }

  private static let worded = zoo { $0.cell = .word("hi") }
  private static let open = zoo { $0.sheet = .some(.none) }
  private static let deepNil = zoo { $0.deep = .some(.some(.none)) }

  static let all: [Row] = [cases, optionals, elements, dictionaries, setters, model].flatMap(\.self)

  private static let cases: [Row] = [
    Row("another case", Zoo(), "GET", "/state/cell/word", expecting: "404 inactive-case"),
    Row("another case", Zoo(), "DELETE", "/state/cell/word", expecting: "204", changed: false),
    Row("another case", Zoo(), "DELETE", "/state/cell/room/door", expecting: "204", changed: false),
    Row("another case", Zoo(), "DELETE", "/state/cell/herd/5", expecting: "204", changed: false),
    Row("another case", Zoo(), "PUT", "/state/cell/word", "null", expecting: "201", changed: true),
    Row("another case", Zoo(), "PUT", "/state/cell/point", #"{"x":1,"y":2}"#, expecting: "201", changed: true),
    Row("several labels", Zoo(), "PUT", "/state/cell/point/x", "1", expecting: "409 cannot-create"),
    Row("one label", Zoo(), "PUT", "/state/cell/size/width", "1", expecting: "201", changed: true),
    Row("one label", Zoo(), "PUT", "/state/cell/size/width", "0", expecting: "422 invalid-value", pointer: ""),
    Row("a member of a payload", Zoo(), "PUT", "/state/cell/room/name", "\"x\"", expecting: "409 cannot-create"),
    Row(
      "an element in another case", Zoo(), "PUT", "/state/cell/herd/5", #"{"name":"x"}"#, expecting: "201",
      changed: true),
    Row("an element in another case", Zoo(), "PUT", "/state/cell/herd/5/name", "\"x\"", expecting: "409 cannot-create"),
    Row(
      "an element in another case", Zoo(), "PATCH", "/state/cell/herd/5", #"{"name":"x"}"#,
      expecting: "409 inactive-case"),
    Row("a case without payload", worded, "PUT", "/state/cell", "\"empty\"", expecting: "200", changed: true),
    Row("the active case", worded, "DELETE", "/state/cell/word", expecting: "204", changed: true),
    Row("the active case", worded, "PATCH", "/state/cell", #"{"room":{"name":"x"}}"#, expecting: "200", changed: true),
    Row(
      "the active case", worded, "PATCH", "/state/cell", #"{"room":{}}"#, expecting: "422 missing-member",
      pointer: "/room/name"),
  ]

  private static let optionals: [Row] = [
    Row("a nil optional", Zoo(), "PUT", "/state/maybeCell", #"{"number":1}"#, expecting: "200", changed: true),
    Row("below nil", Zoo(), "GET", "/state/maybeCell/number", expecting: "404 nil-optional"),
    Row("below nil", Zoo(), "PATCH", "/state/maybeCell/number", "1", expecting: "409 nil-optional"),
    Row("below nil", Zoo(), "PUT", "/state/maybeCell/number", "1", expecting: "201", changed: true),
    Row("below nil", Zoo(), "PUT", "/state/maybeCell/size/width", "1", expecting: "201", changed: true),
    Row("below nil", Zoo(), "PUT", "/state/maybeCell/point/x", "1", expecting: "409 cannot-create"),
    Row("below nil", Zoo(), "PUT", "/state/maybeCell/word", "null", expecting: "201", changed: true),
    Row("below nil", Zoo(), "DELETE", "/state/maybeCell/word", expecting: "204", changed: false),
    Row("below nil", Zoo(), "PUT", "/state/deep/some/some", "1", expecting: "201", changed: true),
    Row("below nil", Zoo(), "PUT", "/state/deep/some/some", "null", expecting: "201", changed: true),
    Row("below nil", Zoo(), "GET", "/state/deep/some", expecting: "404 nil-optional"),
    Row("a nil optional", deepNil, "GET", "/state/deep/some/some", expecting: "200"),
    Row("a nil optional", deepNil, "PUT", "/state/deep/some/some", "1", expecting: "200", changed: true),
    Row("a nil optional", deepNil, "DELETE", "/state/deep/some/some", expecting: "204", changed: false),
    Row("a nil optional", deepNil, "DELETE", "/state/deep/some", expecting: "204", changed: true),
    Row("below nil", open, "PUT", "/state/sheet/some/door", "\"x\"", expecting: "409 cannot-create"),
    Row("below nil", open, "DELETE", "/state/sheet/some/door", expecting: "204", changed: false),
  ]

  private static let elements: [Row] = [
    Row("no such element", Zoo(), "PUT", "/state/animals/7", #"{"name":"Cat"}"#, expecting: "201", changed: true),
    Row("no such element", Zoo(), "DELETE", "/state/animals/7/nick", expecting: "204", changed: false),
    Row("a malformed id", Zoo(), "GET", "/state/animals/07", expecting: "404 unknown-path"),
    Row("a malformed id", Zoo(), "GET", "/state/animals/-0", expecting: "404 unknown-path"),
    Row("no index in a URL", Zoo(), "GET", "/state/animals/1", expecting: "404 no-such-element"),
    Row("no index in a URL", Zoo(), "GET", "/state/tags/0", expecting: "404 unknown-path"),
    Row("an array is a leaf", Zoo(), "PATCH", "/state/tags", #"["c"]"#, expecting: "200", changed: true),
    Row(
      "an array is a leaf", Zoo(), "POST", "/state/tags", #""c""#, expecting: "405 method-not-allowed",
      ["Content-Type": "application/json"]),
    Row(
      "an id is needed", Zoo(), "POST", "/state/animals", #"{"name":"x"}"#, expecting: "422 missing-member",
      pointer: "/id",
      ["Content-Type": "application/json"]),
  ]

  private static let dictionaries: [Row] = [
    Row("no such key", Zoo(), "GET", "/state/prices/dog", expecting: "404 no-such-element"),
    Row("no such key", Zoo(), "PATCH", "/state/prices/dog", "1", expecting: "404 no-such-element"),
    Row("a new key", Zoo(), "PATCH", "/state/prices", #"{"dog":1}"#, expecting: "200", changed: true),
    Row("no such key", Zoo(), "PATCH", "/state/prices", #"{"dog":null}"#, expecting: "200", changed: false),
    Row("no such key", Zoo(), "PUT", "/state/prices/dog", "1", expecting: "201", changed: true),
    Row("no such key", Zoo(), "DELETE", "/state/prices/dog", expecting: "204", changed: false),
    Row("no such key", Zoo(), "DELETE", "/state/rooms/attic/door", expecting: "204", changed: false),
    Row("no such key", Zoo(), "PUT", "/state/rooms/attic", #"{"name":"Attic"}"#, expecting: "201", changed: true),
    Row("no such key", Zoo(), "PUT", "/state/rooms/attic/name", "\"Attic\"", expecting: "409 cannot-create"),
    Row("a key", Zoo(), "DELETE", "/state/prices/adult", expecting: "204", changed: true),
    Row("a key", Zoo(), "PATCH", "/state/prices", #"{"adult":1}"#, expecting: "200", changed: true),
    Row("a key", Zoo(), "PATCH", "/state/prices", #"{"adult":null}"#, expecting: "200", changed: true),
    Row(
      "a key", Zoo(), "PATCH", "/state/prices/adult", "null", expecting: "422 invalid-value", pointer: ""),
    Row("a key", Zoo(), "PUT", "/state/prices", "{}", expecting: "200", changed: true),
    Row(
      "a key twice", Zoo(), "PATCH", "/state/prices", #"{"adult":1,"adult":2}"#, expecting: "422 duplicate-member",
      pointer: "/adult"),
  ]

  private static let setters: [Row] = [
    Row("adjusted", Zoo(), "PATCH", "/state/doubled", "9", expecting: "200", changed: true),
    Row("adjusted", Zoo(), "PUT", "/state/doubled", "9", expecting: "200", changed: true),
    Row("adjusted back", Zoo(), "PUT", "/state/doubled", "7", expecting: "200", changed: false),
    Row("dropped", Zoo(), "PUT", "/state/seven", "8", expecting: "200", changed: false),
    Row(
      "strict", Zoo(), "PATCH", "/state/doubled", "9", expecting: "409 write-not-kept", ["Prefer": "handling=strict"]),
    Row(
      "strict", Zoo(), "PATCH", "/state", #"{"doubled":9}"#, expecting: "409 write-not-kept",
      ["Prefer": "handling=strict"]),
    Row(
      "strict", Zoo(), "PATCH", "/state", #"{"seven":8,"title":"x"}"#, expecting: "409 write-not-kept",
      ["Prefer": "handling=strict"]),
    Row(
      "conflicting", Zoo(), "PATCH", "/state", #"{"count":4,"doubled":10}"#, expecting: "422 conflicting-members",
      pointer: "/count"),
    Row("agreeing", Zoo(), "PATCH", "/state", #"{"count":5,"doubled":10}"#, expecting: "200", changed: true),
    Row("read-only", Zoo(), "PATCH", "/state", #"{"total":1}"#, expecting: "422 read-only-member", pointer: "/total"),
    Row(
      "read-only, before", Zoo(), "PATCH", "/state", #"{"total":17,"prices":{"adult":13}}"#, expecting: "200",
      changed: true
    ),
    Row(
      "read-only, after", Zoo(), "PATCH", "/state", #"{"total":18,"prices":{"adult":13}}"#, expecting: "200",
      changed: true),
    Row(
      "read-only, neither", Zoo(), "PATCH", "/state", #"{"total":19,"prices":{"adult":13}}"#,
      expecting: "422 read-only-member",
      pointer: "/total"),
  ]

  private static let model: [Row] = [
    Row(
      "rejected by the model", Zoo(), "PATCH", "/state/count", "101", expecting: "422 invalid-state", pointer: "/count"),
    Row(
      "rejected by the model", Zoo(), "PUT", "/state/count", "101", expecting: "422 invalid-state", pointer: "/count"),
    Row("out of its range", Zoo(), "PUT", "/state/count", "1001", expecting: "422 invalid-value", pointer: ""),
    Row(
      "rejected by the model", zoo { $0.animals.remove(id: 0) }, "DELETE", "/state/animals/10",
      expecting: "422 invalid-state",
      pointer: "/animals"),
  ]
}
