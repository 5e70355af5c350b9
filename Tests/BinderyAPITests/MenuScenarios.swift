import BinderyCore
import BinderyMenu

/// The scenarios of the menu model: every kind of path with every method.
enum MenuScenarios {
  typealias Row = Scenario<Menu>

  static let all: [Row] = [
    unknownPaths, inactiveCases, nilOptionals, missingElements, equalValues, wrongValues, rejectedByModel,
    droppedWrites, readOnly, conditions, mediaTypes,
  ].flatMap(\.self)

  static let dish = "/state/dishes/" + Menus.first
  private static let missingDish = "/state/dishes/" + Menus.unknownID

  static let unknownTargets = [
    "/state/nope", "/state/", "/state//dishes", "/state/dishes/", "/state/time/tonight", "/state/time/nope",
    "/state/time/custom/x", "/state/dishes/not-an-id", "/state/dishes/0", "/state/dishes/-", "/state/favorites/0",
    "/state/editing/name", "/state/pinnedDish/some", "/state/evening", "/state/today/year", "/state/Dishes",
    "/state/dishes/%7Bb10de400-0000-8000-8000-000000000001%7D", dish + "/status/inStock/nope", dish + "/status/nope",
    dish + "//name", "/states", "/nope", "/problems/nope",
  ]

  static let unknownPaths: [Row] = unknownTargets.flatMap { target -> [Row] in
    let bodied = ["PATCH", "PUT", "POST"].map { method in
      Row("unknown path", Menus.fresh, method, target, "1", expecting: "404 unknown-path")
    }
    let bare = ["GET", "DELETE", "OPTIONS"].map { method in
      Row("unknown path", Menus.fresh, method, target, expecting: "404 unknown-path")
    }
    return bodied + bare + [Row("unknown path", Menus.fresh, "HEAD", target, expecting: "404")]
  }

  static let inactiveCases: [Row] = [
    Row("another case", Menus.fresh, "GET", "/state/time/custom", expecting: "404 inactive-case"),
    Row("another case", Menus.fresh, "HEAD", "/state/time/custom", expecting: "404"),
    Row(
      "another case", Menus.fresh, "PATCH", "/state/time/custom", "\"\(Menus.date)\"", expecting: "409 inactive-case"),
    Row("another case", Menus.fresh, "PATCH", "/state/time/custom", "17", expecting: "409 inactive-case"),
    Row("another case", Menus.fresh, "PUT", "/state/time/custom", "\"\(Menus.date)\"", expecting: "201", changed: true),
    Row("another case", Menus.fresh, "PUT", "/state/time/custom", "17", expecting: "422 invalid-value", pointer: ""),
    Row("another case", Menus.fresh, "PUT", "/state/time/custom", "null", expecting: "422 invalid-value", pointer: ""),
    Row("another case", Menus.fresh, "DELETE", "/state/time/custom", expecting: "405 method-not-allowed"),
    Row("another case", Menus.fresh, "GET", dish + "/status/outOfStock", expecting: "404 inactive-case"),
    Row(
      "another case", Menus.fresh, "PATCH", dish + "/status/outOfStock", #"{"isOnBackOrder":true}"#,
      expecting: "409 inactive-case"
    ),
    Row(
      "another case", Menus.fresh, "PUT", dish + "/status/outOfStock", #"{"isOnBackOrder":true}"#, expecting: "201",
      changed: true),
    Row(
      "another case", Menus.fresh, "PUT", dish + "/status/outOfStock", "{}", expecting: "422 missing-member",
      pointer: "/isOnBackOrder"),
    Row("another case", Menus.fresh, "GET", dish + "/status/outOfStock/isOnBackOrder", expecting: "404 inactive-case"),
    Row(
      "another case", Menus.fresh, "PATCH", dish + "/status/outOfStock/isOnBackOrder", "true",
      expecting: "409 inactive-case"),
    Row(
      "another case", Menus.fresh, "PUT", dish + "/status/outOfStock/isOnBackOrder", "true", expecting: "201",
      changed: true
    ),
    Row(
      "another case", Menus.fresh, "PUT", dish + "/status/outOfStock/isOnBackOrder", "1",
      expecting: "422 invalid-value",
      pointer: ""),
    Row(
      "another case", Menus.fresh, "DELETE", dish + "/status/outOfStock/isOnBackOrder",
      expecting: "405 method-not-allowed"),
    Row("the active case", Menus.custom, "GET", "/state/time/custom", expecting: "200"),
    Row(
      "the active case", Menus.custom, "PUT", "/state/time/custom", "\"\(Menus.evening)\"", expecting: "200",
      changed: true),
    Row(
      "the active case", Menus.custom, "PATCH", "/state/time/custom", "\"\(Menus.evening)\"", expecting: "200",
      changed: true),
  ]

  static let nilOptionals: [Row] = [
    Row("a nil optional", Menus.fresh, "GET", "/state/editing", expecting: "200"),
    Row("a nil optional", Menus.unpinned, "GET", "/state/pinnedDish", expecting: "200"),
    Row("below nil", Menus.fresh, "GET", "/state/editing/some", expecting: "404 nil-optional"),
    Row("below nil", Menus.fresh, "HEAD", "/state/editing/some", expecting: "404"),
    Row("below nil", Menus.fresh, "PATCH", "/state/editing/some", "null", expecting: "409 nil-optional"),
    Row("below nil", Menus.fresh, "PUT", "/state/editing/some", "null", expecting: "201", changed: true),
    Row(
      "below nil", Menus.fresh, "PUT", "/state/editing/some", #"{"name":"Tiramisù"}"#, expecting: "201", changed: true),
    Row(
      "below nil", Menus.fresh, "PUT", "/state/editing/some", "{}", expecting: "422 missing-member", pointer: "/name"),
    Row("below nil", Menus.fresh, "DELETE", "/state/editing/some", expecting: "204", changed: false),
    Row("below nil", Menus.fresh, "GET", "/state/editing/some/name", expecting: "404 nil-optional"),
    Row("below nil", Menus.fresh, "PATCH", "/state/editing/some/name", "\"x\"", expecting: "409 nil-optional"),
    Row("below nil", Menus.fresh, "PUT", "/state/editing/some/name", "\"x\"", expecting: "409 cannot-create"),
    Row("below nil", Menus.newDish, "GET", "/state/editing/some", expecting: "200"),
    Row("below nil", Menus.newDish, "GET", "/state/editing/some/name", expecting: "404 nil-optional"),
    Row("below nil", Menus.newDish, "PATCH", "/state/editing/some/name", "\"x\"", expecting: "409 nil-optional"),
    Row("below nil", Menus.newDish, "PUT", "/state/editing/some/name", "\"x\"", expecting: "409 cannot-create"),
    Row(
      "below nil", Menus.newDish, "PUT", "/state/editing/some/status/inStock", #"{"quantity":2}"#,
      expecting: "409 cannot-create"),
    Row(
      "a nil optional", Menus.newDish, "PATCH", "/state/editing/some", #"{"name":"Tiramisù"}"#, expecting: "200",
      changed: true),
    Row("a nil optional", Menus.newDish, "DELETE", "/state/editing/some", expecting: "204", changed: false),
    Row("below nil", Menus.unpinned, "GET", "/state/pinnedDish/name", expecting: "404 nil-optional"),
    Row("below nil", Menus.unpinned, "PATCH", "/state/pinnedDish/name", "\"x\"", expecting: "409 nil-optional"),
    Row("below nil", Menus.unpinned, "PUT", "/state/pinnedDish/name", "\"x\"", expecting: "409 cannot-create"),
    Row(
      "nothing pinned", Menus.unpinned, "PATCH", "/state/pinnedDish", #"{"name":"x"}"#, expecting: "409 nil-optional"),
    Row(
      "nothing pinned", Menus.unpinned, "PUT", "/state/pinnedDish", Menus.dish(Menus.first, "x"),
      expecting: "409 nil-optional"),
    Row(
      "nothing pinned", Menus.unpinned, "PATCH", "/state", #"{"pinnedDish":{"name":"x"}}"#,
      expecting: "409 nil-optional"),
    Row("nothing pinned", Menus.unpinned, "DELETE", "/state/pinnedDish", expecting: "204", changed: false),
    Row("nothing pinned", Menus.unpinned, "DELETE", "/state/pinnedID", expecting: "204", changed: false),
    Row("not nil", Menus.fresh, "DELETE", "/state/pinnedDish", expecting: "204", changed: true),
    Row("not nil", Menus.fresh, "DELETE", "/state/pinnedID", expecting: "204", changed: true),
    Row("not nil", Menus.editing, "DELETE", "/state/editing", expecting: "204", changed: true),
    Row("not nil", Menus.editing, "DELETE", "/state/editing/some", expecting: "204", changed: true),
  ]

  static let missingElements: [Row] = [
    Row("no such element", Menus.fresh, "GET", missingDish, expecting: "404 no-such-element"),
    Row("no such element", Menus.fresh, "HEAD", missingDish, expecting: "404"),
    Row("no such element", Menus.fresh, "PATCH", missingDish, #"{"name":"x"}"#, expecting: "404 no-such-element"),
    Row("no such element", Menus.fresh, "PUT", missingDish, #"{"name":"x"}"#, expecting: "201", changed: true),
    Row(
      "no such element", Menus.fresh, "PUT", missingDish, Menus.dish(Menus.unknownID, "x"), expecting: "201",
      changed: true),
    Row(
      "no such element", Menus.fresh, "PUT", missingDish, Menus.dish(Menus.first, "x"),
      expecting: "422 read-only-member",
      pointer: "/id"),
    Row("no such element", Menus.fresh, "PUT", missingDish, "{}", expecting: "422 missing-member", pointer: "/name"),
    Row("no such element", Menus.fresh, "DELETE", missingDish, expecting: "204", changed: false),
    Row("no such element", Menus.fresh, "GET", missingDish + "/name", expecting: "404 no-such-element"),
    Row("no such element", Menus.fresh, "PATCH", missingDish + "/name", "\"x\"", expecting: "404 no-such-element"),
    Row("no such element", Menus.fresh, "PUT", missingDish + "/name", "\"x\"", expecting: "409 cannot-create"),
    Row(
      "no such element", Menus.fresh, "PUT", missingDish + "/status/inStock", #"{"quantity":1}"#,
      expecting: "409 cannot-create"),
    Row("an element", Menus.fresh, "DELETE", dish, expecting: "204", changed: true),
    Row("no such card", Menus.fresh, "GET", "/state/days/2026-12-02", expecting: "404 no-such-element"),
    Row(
      "no such card", Menus.fresh, "PATCH", "/state/days/2026-12-02/isSelected", "true",
      expecting: "404 no-such-element"),
    Row(
      "no such card", Menus.fresh, "PUT", "/state/days/2026-12-02/isSelected", "true", expecting: "409 cannot-create"),
    Row(
      "no such card", Menus.fresh, "PUT", "/state/days/2026-12-02", #"{"isSelected":true}"#,
      expecting: "409 cannot-create"),
    Row("a card", Menus.fresh, "DELETE", "/state/days/2026-11-22", expecting: "405 method-not-allowed"),
    Row("cards", Menus.fresh, "POST", "/state/days", "{}", expecting: "405 method-not-allowed"),
  ]

  static let equalValues: [Row] = [
    Row("equal", Menus.fresh, "PATCH", dish + "/isFavorite", "false", expecting: "200", changed: false),
    Row("equal", Menus.fresh, "PUT", dish + "/isFavorite", "false", expecting: "200", changed: false),
    Row("equal", Menus.fresh, "PATCH", dish, "{}", expecting: "200", changed: false),
    Row("equal", Menus.fresh, "PATCH", "/state", "{}", expecting: "200", changed: false),
    Row("equal", Menus.fresh, "PUT", dish + "/status/inStock/quantity", "1.0", expecting: "200", changed: false),
    Row("equal", Menus.fresh, "PATCH", "/state/time", "\"tonight\"", expecting: "200", changed: false),
    Row(
      "equal", Menus.custom, "PUT", "/state/time/custom", #""2026-12-24T19:30:00+01:00""#, expecting: "200",
      changed: false),
    Row(
      "equal", Menus.fresh, "PATCH", "/state/pinnedID", "\"\(Menus.first.uppercased())\"", expecting: "200",
      changed: false),
    Row("equal", Menus.fresh, "PATCH", "/state/editing", "null", expecting: "200", changed: false),
    Row("different", Menus.fresh, "PATCH", dish + "/isFavorite", "true", expecting: "200", changed: true),
    Row("different", Menus.fresh, "PUT", dish + "/isFavorite", "true", expecting: "200", changed: true),
  ]
}
