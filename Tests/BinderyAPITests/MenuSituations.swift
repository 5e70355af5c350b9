import BinderyCore
import BinderyMenu

/// The table for the menu, row by row.
enum MenuSituations {
  typealias Cell = Situation<Menu>

  static let all: [Cell] = [
    unknownPaths, inactiveCases, nilOptionals, missingElements, equalValues, wrongValues, refusedByTheModel,
    droppedWrites, readOnly, conditions, mediaTypes,
  ].flatMap(\.self)

  static let dish = "/state/dishes/" + Menus.first
  private static let gone = "/state/dishes/" + Menus.nobody

  static let unknownTargets = [
    "/state/nope", "/state/", "/state//dishes", "/state/dishes/", "/state/time/tonight", "/state/time/nope",
    "/state/time/custom/x", "/state/dishes/not-an-id", "/state/dishes/0", "/state/dishes/-", "/state/favorites/0",
    "/state/editing/name", "/state/pinnedDish/some", "/state/evening", "/state/today/year", "/state/Dishes",
    "/state/dishes/%7Bb10de400-0000-8000-8000-000000000001%7D", dish + "/status/inStock/nope", dish + "/status/nope",
    dish + "//name", "/states", "/nope", "/problems/nope",
  ]

  static let unknownPaths: [Cell] = unknownTargets.flatMap { target -> [Cell] in
    let bodied = ["PATCH", "PUT", "POST"].map { method in
      Cell("no such path", Menus.fresh, method, target, "1", gives: "404 unknown-path")
    }
    let bare = ["GET", "DELETE", "OPTIONS"].map { method in
      Cell("no such path", Menus.fresh, method, target, gives: "404 unknown-path")
    }
    return bodied + bare + [Cell("no such path", Menus.fresh, "HEAD", target, gives: "404")]
  }

  static let inactiveCases: [Cell] = [
    Cell("another case", Menus.fresh, "GET", "/state/time/custom", gives: "404 inactive-case"),
    Cell("another case", Menus.fresh, "HEAD", "/state/time/custom", gives: "404"),
    Cell("another case", Menus.fresh, "PATCH", "/state/time/custom", "\"\(Menus.date)\"", gives: "409 inactive-case"),
    Cell("another case", Menus.fresh, "PATCH", "/state/time/custom", "17", gives: "409 inactive-case"),
    Cell("another case", Menus.fresh, "PUT", "/state/time/custom", "\"\(Menus.date)\"", gives: "201", changed: true),
    Cell("another case", Menus.fresh, "PUT", "/state/time/custom", "17", gives: "422 invalid-value", pointer: ""),
    Cell("another case", Menus.fresh, "PUT", "/state/time/custom", "null", gives: "422 invalid-value", pointer: ""),
    Cell("another case", Menus.fresh, "DELETE", "/state/time/custom", gives: "405 method-not-allowed"),
    Cell("another case", Menus.fresh, "GET", dish + "/status/outOfStock", gives: "404 inactive-case"),
    Cell(
      "another case", Menus.fresh, "PATCH", dish + "/status/outOfStock", #"{"isOnBackOrder":true}"#,
      gives: "409 inactive-case"
    ),
    Cell(
      "another case", Menus.fresh, "PUT", dish + "/status/outOfStock", #"{"isOnBackOrder":true}"#, gives: "201",
      changed: true),
    Cell(
      "another case", Menus.fresh, "PUT", dish + "/status/outOfStock", "{}", gives: "422 missing-member",
      pointer: "/isOnBackOrder"),
    Cell("another case", Menus.fresh, "GET", dish + "/status/outOfStock/isOnBackOrder", gives: "404 inactive-case"),
    Cell(
      "another case", Menus.fresh, "PATCH", dish + "/status/outOfStock/isOnBackOrder", "true",
      gives: "409 inactive-case"),
    Cell(
      "another case", Menus.fresh, "PUT", dish + "/status/outOfStock/isOnBackOrder", "true", gives: "201", changed: true
    ),
    Cell(
      "another case", Menus.fresh, "PUT", dish + "/status/outOfStock/isOnBackOrder", "1", gives: "422 invalid-value",
      pointer: ""),
    Cell(
      "another case", Menus.fresh, "DELETE", dish + "/status/outOfStock/isOnBackOrder", gives: "405 method-not-allowed"),
    Cell("the active case", Menus.custom, "GET", "/state/time/custom", gives: "200"),
    Cell(
      "the active case", Menus.custom, "PUT", "/state/time/custom", "\"\(Menus.evening)\"", gives: "200", changed: true),
    Cell(
      "the active case", Menus.custom, "PATCH", "/state/time/custom", "\"\(Menus.evening)\"", gives: "200",
      changed: true),
  ]

  static let nilOptionals: [Cell] = [
    Cell("nil itself", Menus.fresh, "GET", "/state/editing", gives: "200"),
    Cell("nil itself", Menus.unpinned, "GET", "/state/pinnedDish", gives: "200"),
    Cell("nil on the way", Menus.fresh, "GET", "/state/editing/some", gives: "404 nil-optional"),
    Cell("nil on the way", Menus.fresh, "HEAD", "/state/editing/some", gives: "404"),
    Cell("nil on the way", Menus.fresh, "PATCH", "/state/editing/some", "null", gives: "409 nil-optional"),
    Cell("nil on the way", Menus.fresh, "PUT", "/state/editing/some", "null", gives: "201", changed: true),
    Cell(
      "nil on the way", Menus.fresh, "PUT", "/state/editing/some", #"{"name":"Tiramisù"}"#, gives: "201", changed: true),
    Cell(
      "nil on the way", Menus.fresh, "PUT", "/state/editing/some", "{}", gives: "422 missing-member", pointer: "/name"),
    Cell("nil on the way", Menus.fresh, "DELETE", "/state/editing/some", gives: "204", changed: false),
    Cell("nil on the way", Menus.fresh, "GET", "/state/editing/some/name", gives: "404 nil-optional"),
    Cell("nil on the way", Menus.fresh, "PATCH", "/state/editing/some/name", "\"x\"", gives: "409 nil-optional"),
    Cell("nil on the way", Menus.fresh, "PUT", "/state/editing/some/name", "\"x\"", gives: "409 cannot-create"),
    Cell("nil on the way", Menus.newDish, "GET", "/state/editing/some", gives: "200"),
    Cell("nil on the way", Menus.newDish, "GET", "/state/editing/some/name", gives: "404 nil-optional"),
    Cell("nil on the way", Menus.newDish, "PATCH", "/state/editing/some/name", "\"x\"", gives: "409 nil-optional"),
    Cell("nil on the way", Menus.newDish, "PUT", "/state/editing/some/name", "\"x\"", gives: "409 cannot-create"),
    Cell(
      "nil on the way", Menus.newDish, "PUT", "/state/editing/some/status/inStock", #"{"quantity":2}"#,
      gives: "409 cannot-create"),
    Cell(
      "nil itself", Menus.newDish, "PATCH", "/state/editing/some", #"{"name":"Tiramisù"}"#, gives: "200", changed: true),
    Cell("nil itself", Menus.newDish, "DELETE", "/state/editing/some", gives: "204", changed: false),
    Cell("nil on the way", Menus.unpinned, "GET", "/state/pinnedDish/name", gives: "404 nil-optional"),
    Cell("nil on the way", Menus.unpinned, "PATCH", "/state/pinnedDish/name", "\"x\"", gives: "409 nil-optional"),
    Cell("nil on the way", Menus.unpinned, "PUT", "/state/pinnedDish/name", "\"x\"", gives: "409 cannot-create"),
    Cell("nothing pinned", Menus.unpinned, "PATCH", "/state/pinnedDish", #"{"name":"x"}"#, gives: "409 nil-optional"),
    Cell(
      "nothing pinned", Menus.unpinned, "PUT", "/state/pinnedDish", Menus.dish(Menus.first, "x"),
      gives: "409 nil-optional"),
    Cell(
      "nothing pinned", Menus.unpinned, "PATCH", "/state", #"{"pinnedDish":{"name":"x"}}"#, gives: "409 nil-optional"),
    Cell("nothing pinned", Menus.unpinned, "DELETE", "/state/pinnedDish", gives: "204", changed: false),
    Cell("nothing pinned", Menus.unpinned, "DELETE", "/state/pinnedID", gives: "204", changed: false),
    Cell("not nil", Menus.fresh, "DELETE", "/state/pinnedDish", gives: "204", changed: true),
    Cell("not nil", Menus.fresh, "DELETE", "/state/pinnedID", gives: "204", changed: true),
    Cell("not nil", Menus.editing, "DELETE", "/state/editing", gives: "204", changed: true),
    Cell("not nil", Menus.editing, "DELETE", "/state/editing/some", gives: "204", changed: true),
  ]

  static let missingElements: [Cell] = [
    Cell("no such element", Menus.fresh, "GET", gone, gives: "404 no-such-element"),
    Cell("no such element", Menus.fresh, "HEAD", gone, gives: "404"),
    Cell("no such element", Menus.fresh, "PATCH", gone, #"{"name":"x"}"#, gives: "404 no-such-element"),
    Cell("no such element", Menus.fresh, "PUT", gone, #"{"name":"x"}"#, gives: "201", changed: true),
    Cell("no such element", Menus.fresh, "PUT", gone, Menus.dish(Menus.nobody, "x"), gives: "201", changed: true),
    Cell(
      "no such element", Menus.fresh, "PUT", gone, Menus.dish(Menus.first, "x"), gives: "422 read-only-member",
      pointer: "/id"),
    Cell("no such element", Menus.fresh, "PUT", gone, "{}", gives: "422 missing-member", pointer: "/name"),
    Cell("no such element", Menus.fresh, "DELETE", gone, gives: "204", changed: false),
    Cell("no such element", Menus.fresh, "GET", gone + "/name", gives: "404 no-such-element"),
    Cell("no such element", Menus.fresh, "PATCH", gone + "/name", "\"x\"", gives: "404 no-such-element"),
    Cell("no such element", Menus.fresh, "PUT", gone + "/name", "\"x\"", gives: "409 cannot-create"),
    Cell(
      "no such element", Menus.fresh, "PUT", gone + "/status/inStock", #"{"quantity":1}"#, gives: "409 cannot-create"),
    Cell("an element", Menus.fresh, "DELETE", dish, gives: "204", changed: true),
    Cell("no such card", Menus.fresh, "GET", "/state/days/2026-12-02", gives: "404 no-such-element"),
    Cell(
      "no such card", Menus.fresh, "PATCH", "/state/days/2026-12-02/isSelected", "true", gives: "404 no-such-element"),
    Cell("no such card", Menus.fresh, "PUT", "/state/days/2026-12-02/isSelected", "true", gives: "409 cannot-create"),
    Cell(
      "no such card", Menus.fresh, "PUT", "/state/days/2026-12-02", #"{"isSelected":true}"#, gives: "409 cannot-create"),
    Cell("a card", Menus.fresh, "DELETE", "/state/days/2026-11-22", gives: "405 method-not-allowed"),
    Cell("cards", Menus.fresh, "POST", "/state/days", "{}", gives: "405 method-not-allowed"),
  ]

  static let equalValues: [Cell] = [
    Cell("equal", Menus.fresh, "PATCH", dish + "/isFavorite", "false", gives: "200", changed: false),
    Cell("equal", Menus.fresh, "PUT", dish + "/isFavorite", "false", gives: "200", changed: false),
    Cell("equal", Menus.fresh, "PATCH", dish, "{}", gives: "200", changed: false),
    Cell("equal", Menus.fresh, "PATCH", "/state", "{}", gives: "200", changed: false),
    Cell("equal", Menus.fresh, "PUT", dish + "/status/inStock/quantity", "1.0", gives: "200", changed: false),
    Cell("equal", Menus.fresh, "PATCH", "/state/time", "\"tonight\"", gives: "200", changed: false),
    Cell(
      "equal", Menus.custom, "PUT", "/state/time/custom", #""2026-12-24T19:30:00+01:00""#, gives: "200", changed: false),
    Cell(
      "equal", Menus.fresh, "PATCH", "/state/pinnedID", "\"\(Menus.first.uppercased())\"", gives: "200", changed: false),
    Cell("equal", Menus.fresh, "PATCH", "/state/editing", "null", gives: "200", changed: false),
    Cell("different", Menus.fresh, "PATCH", dish + "/isFavorite", "true", gives: "200", changed: true),
    Cell("different", Menus.fresh, "PUT", dish + "/isFavorite", "true", gives: "200", changed: true),
  ]
}
