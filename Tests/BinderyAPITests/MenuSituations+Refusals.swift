import BinderyCore
import BinderyMenu

extension MenuSituations {
  static let wrongValues: [Cell] = [
    Cell("malformed", Menus.fresh, "PATCH", dish, "{", gives: "400 malformed-json"),
    Cell("malformed", Menus.fresh, "PATCH", dish, "", gives: "400 malformed-json"),
    Cell("malformed", Menus.fresh, "PUT", dish, #"{"name":}"#, gives: "400 malformed-json"),
    Cell(
      "malformed", Menus.fresh, "POST", "/state/dishes", "[", gives: "400 malformed-json",
      ["Content-Type": "application/json"]
    ),
    Cell("wrong type", Menus.fresh, "PATCH", dish + "/name", "1", gives: "422 invalid-value", pointer: ""),
    Cell("wrong type", Menus.fresh, "PUT", dish + "/name", "1", gives: "422 invalid-value", pointer: ""),
    Cell("wrong type", Menus.fresh, "PATCH", dish, #"{"name":1}"#, gives: "422 invalid-value", pointer: "/name"),
    Cell("wrong type", Menus.fresh, "PATCH", dish, "[]", gives: "422 invalid-value", pointer: ""),
    Cell("wrong type", Menus.fresh, "PATCH", "/state/dishes", "{}", gives: "422 invalid-value", pointer: ""),
    Cell(
      "wrong type", Menus.fresh, "PATCH", dish, #"{"status":"inStock"}"#, gives: "422 invalid-value", pointer: "/status"
    ),
    Cell("wrong shape", Menus.fresh, "PATCH", dish, #"{"nome":"x"}"#, gives: "422 unknown-member", pointer: "/nome"),
    Cell(
      "wrong shape", Menus.fresh, "PATCH", dish, #"{"a/b~c":"x"}"#, gives: "422 unknown-member", pointer: "/a~1b~0c"),
    Cell(
      "wrong shape", Menus.fresh, "PATCH", dish, #"{"name":"x","name":"y"}"#, gives: "422 duplicate-member",
      pointer: "/name"),
    Cell(
      "wrong shape", Menus.fresh, "PATCH", dish, #"{"name":"x","n\u0061me":"y"}"#, gives: "422 duplicate-member",
      pointer: "/name"),
    Cell(
      "wrong shape", Menus.fresh, "PATCH", "/state/time", #"{"never":1}"#, gives: "422 unknown-member",
      pointer: "/never"),
    Cell("wrong shape", Menus.fresh, "PATCH", "/state/time", "\"never\"", gives: "422 invalid-value", pointer: ""),
    Cell("wrong shape", Menus.fresh, "PATCH", "/state/time", "\"custom\"", gives: "422 invalid-value", pointer: ""),
    Cell(
      "wrong shape", Menus.fresh, "PATCH", "/state/time", #"{"tonight":null}"#, gives: "422 unknown-member",
      pointer: "/tonight"),
    Cell(
      "wrong shape", Menus.fresh, "PATCH", dish + "/status",
      #"{"inStock":{"quantity":2},"outOfStock":{"isOnBackOrder":true}}"#, gives: "422 invalid-value"),
    Cell(
      "wrong shape", Menus.fresh, "PUT", "/state/editing", #"{"name":"x"}"#, gives: "422 unknown-member",
      pointer: "/name"),
    Cell("wrong shape", Menus.fresh, "PUT", "/state/editing", "{}", gives: "422 missing-member", pointer: "/some"),
    Cell(
      "out of range", Menus.fresh, "PUT", dish + "/status/inStock/quantity", "0", gives: "422 invalid-value",
      pointer: ""),
    Cell(
      "out of range", Menus.fresh, "PUT", dish + "/status/inStock/quantity", "1.5", gives: "422 invalid-value",
      pointer: ""),
    Cell(
      "out of range", Menus.fresh, "PUT", dish + "/status/inStock/quantity", "9223372036854775808",
      gives: "422 invalid-value",
      pointer: ""),
    Cell(
      "out of range", Menus.fresh, "PATCH", dish, #"{"status":{"inStock":{"quantity":0}}}"#, gives: "422 invalid-value",
      pointer: "/status/inStock/quantity"),
    Cell("out of range", Menus.fresh, "PATCH", dish + "/name", "\"\"", gives: "422 invalid-value", pointer: ""),
    Cell("out of range", Menus.fresh, "PATCH", dish + "/name", "\"  \"", gives: "422 invalid-value", pointer: ""),
    Cell("out of range", Menus.fresh, "PATCH", dish + "/name", #""a\nb""#, gives: "422 invalid-value", pointer: ""),
    Cell(
      "out of range", Menus.fresh, "PATCH", dish + "/name", "\"\(String(repeating: "x", count: 101))\"",
      gives: "422 invalid-value", pointer: ""),
    Cell(
      "out of range", Menus.fresh, "PUT", "/state/selectedDay", "\"2026-02-29\"", gives: "422 invalid-value",
      pointer: ""),
    Cell(
      "out of range", Menus.fresh, "PUT", "/state/time/custom", "\"2026-12-24T18:30:00.0001Z\"",
      gives: "422 invalid-value",
      pointer: ""),
    Cell(
      "out of range", Menus.fresh, "PUT", "/state/time/custom", "\"0000-12-24T18:30:00Z\"", gives: "422 invalid-value",
      pointer: ""),
    Cell("null", Menus.fresh, "PATCH", dish, #"{"name":null}"#, gives: "422 invalid-value", pointer: "/name"),
    Cell("null", Menus.fresh, "PATCH", dish + "/name", "null", gives: "422 invalid-value", pointer: ""),
    Cell("null", Menus.fresh, "PUT", dish, "null", gives: "422 invalid-value", pointer: ""),
    Cell("null", Menus.fresh, "PATCH", "/state", #"{"time":null}"#, gives: "422 invalid-value", pointer: "/time"),
    Cell("incomplete", Menus.fresh, "PUT", dish, #"{"name":"x"}"#, gives: "422 missing-member", pointer: "/isFavorite"),
    Cell(
      "incomplete", Menus.fresh, "PUT", "/state", #"{"time":"tonight"}"#, gives: "422 missing-member",
      pointer: "/dishes"),
    Cell(
      "incomplete", Menus.fresh, "PUT", dish + "/status/inStock", "{}", gives: "422 missing-member",
      pointer: "/quantity"),
    Cell(
      "another id", Menus.fresh, "PUT", dish, Menus.dish(Menus.second, "x"), gives: "422 read-only-member",
      pointer: "/id"),
    Cell(
      "another id", Menus.fresh, "PATCH", dish, #"{"id":"\#(Menus.second)"}"#, gives: "422 read-only-member",
      pointer: "/id"),
    Cell(
      "another id", Menus.fresh, "PUT", "/state/pinnedDish", Menus.dish(Menus.second, "x"),
      gives: "422 read-only-member",
      pointer: "/id"),
    Cell(
      "another id", Menus.fresh, "PATCH", "/state/pinnedDish", #"{"id":"\#(Menus.second)"}"#,
      gives: "422 read-only-member",
      pointer: "/id"),
    Cell(
      "taken id", Menus.fresh, "POST", "/state/dishes", Menus.dish(Menus.first, "x"), gives: "422 duplicate-id",
      pointer: "/id", ["Content-Type": "application/json"]),
    Cell(
      "taken id", Menus.fresh, "PUT", "/state/dishes",
      "[\(Menus.dish(Menus.first, "x")),\(Menus.dish(Menus.first, "y"))]", gives: "422 duplicate-id"),
  ]

  static let refusedByTheModel: [Cell] = [
    Cell(
      "refused", Menus.fresh, "PATCH", "/state/pinnedID", "\"\(Menus.nobody)\"", gives: "422 invalid-state",
      pointer: "/pinnedID"),
    Cell(
      "refused", Menus.fresh, "PUT", "/state/pinnedID", "\"\(Menus.nobody)\"", gives: "422 invalid-state",
      pointer: "/pinnedID"
    ),
    Cell("repaired", Menus.fresh, "PUT", "/state/dishes", "[]", gives: "200", changed: true),
  ]

  static let droppedWrites: [Cell] = [
    Cell(
      "not kept", Menus.fresh, "PATCH", "/state/days/2026-11-21", #"{"isSelected":false}"#, gives: "200", changed: false
    ),
    Cell("not kept", Menus.fresh, "PATCH", "/state/days/2026-11-21/isSelected", "false", gives: "200", changed: false),
    Cell("not kept", Menus.fresh, "PUT", "/state/days/2026-11-21/isSelected", "false", gives: "200", changed: false),
    Cell(
      "not kept, strict", Menus.fresh, "PATCH", "/state/days/2026-11-21/isSelected", "false",
      gives: "409 write-not-kept",
      ["Prefer": "handling=strict"]),
    Cell(
      "not kept, strict", Menus.fresh, "PUT", "/state/days/2026-11-21/isSelected", "false", gives: "409 write-not-kept",
      ["Prefer": "handling=strict"]),
    Cell(
      "kept, strict", Menus.fresh, "PATCH", "/state/days/2026-11-22/isSelected", "true", gives: "200", changed: true,
      ["Prefer": "handling=strict"]),
  ]

  private static let readOnlyTargets = [
    "/state/today", "/state/favorites", "/state/lastCustomTime", "/state/selectedDayLabel", dish + "/id",
    "/state/pinnedDish/id", "/state/days/2026-11-22/weekday", "/state/days/2026-11-22/number",
    "/state/days/2026-11-22/date",
  ]

  static let readOnly: [Cell] = readOnlyTargets.flatMap { target -> [Cell] in
    let reads = ["GET", "HEAD"].map { Cell("read-only", Menus.fresh, $0, target, gives: "200") }
    let writes = ["PATCH", "PUT", "POST", "DELETE"].map { method in
      Cell("read-only", Menus.fresh, method, target, "1", gives: "405 method-not-allowed")
    }
    return reads + writes
  }

  private static let stale: KeyValuePairs = ["If-Match": "\"AAAAAAAAAAAAAAAAAAAAAA\""]

  static let conditions: [Cell] = [
    Cell("stale", Menus.fresh, "GET", dish, gives: "412 precondition-failed", stale),
    Cell("stale", Menus.fresh, "PATCH", dish, "{}", gives: "412 precondition-failed", stale),
    Cell("stale", Menus.fresh, "PUT", dish, Menus.dish(Menus.first, "x"), gives: "412 precondition-failed", stale),
    Cell("stale", Menus.fresh, "DELETE", dish, gives: "412 precondition-failed", stale),
    Cell(
      "stale", Menus.fresh, "POST", "/state/dishes", "{}", gives: "412 precondition-failed",
      ["Content-Type": "application/json", "If-Match": "\"x\""]),
    Cell(
      "stale and absent", Menus.fresh, "GET", "/state/time/custom", gives: "412 precondition-failed", ["If-Match": "*"]),
    Cell(
      "stale and absent", Menus.fresh, "PATCH", "/state/time/custom", "1", gives: "412 precondition-failed",
      ["If-Match": "*"]),
    Cell(
      "stale and absent", Menus.fresh, "PUT", "/state/time/custom", "1", gives: "412 precondition-failed",
      ["If-Match": "*"]),
    Cell(
      "stale and absent", Menus.fresh, "DELETE", "/state/editing/some", gives: "412 precondition-failed",
      ["If-Match": "*"]),
    Cell(
      "stale and absent", Menus.fresh, "PATCH", "/state/dishes/" + Menus.nobody, "1", gives: "412 precondition-failed",
      stale),
    Cell(
      "there already", Menus.fresh, "PUT", dish, Menus.dish(Menus.first, "x"), gives: "412 precondition-failed",
      ["If-None-Match": "*"]),
    Cell(
      "not there yet", Menus.fresh, "PUT", "/state/time/custom", "\"\(Menus.date)\"", gives: "201", changed: true,
      ["If-None-Match": "*"]),
    Cell("not modified", Menus.fresh, "GET", dish, gives: "304", ["If-None-Match": "*"]),
    Cell("not modified", Menus.fresh, "HEAD", dish, gives: "304", ["If-None-Match": "*"]),
    Cell("absent", Menus.fresh, "GET", "/state/time/custom", gives: "404 inactive-case", ["If-None-Match": "*"]),
  ]

  private static let big = "\"" + String(repeating: "x", count: 1_048_576) + "\""

  static let mediaTypes: [Cell] = [
    Cell("type", Menus.fresh, "GET", dish, gives: "406 not-acceptable", ["Accept": "text/html"]),
    Cell("type", Menus.fresh, "HEAD", dish, gives: "406", ["Accept": "text/html"]),
    Cell("type", Menus.fresh, "PATCH", dish, "{}", gives: "415 unsupported-media-type", ["Content-Type": "text/plain"]),
    Cell(
      "type", Menus.fresh, "PUT", dish, "{}", gives: "415 unsupported-media-type",
      ["Content-Type": "application/merge-patch+json"]),
    Cell(
      "type", Menus.fresh, "PUT", dish, "{}", gives: "415 unsupported-media-type",
      ["Content-Type": "application/json-patch+json"]),
    Cell("type", Menus.fresh, "POST", "/state/dishes", "{}", gives: "415 unsupported-media-type"),
    Cell(
      "type", Menus.fresh, "POST", "/state/dishes", "{}", gives: "415 unsupported-media-type",
      ["Content-Type": "application/x-www-form-urlencoded"]),
    Cell(
      "type", Menus.fresh, "POST", "/state/dishes", "{}", gives: "415 unsupported-media-type",
      ["Content-Type": "text/plain"]),
    Cell("size", Menus.fresh, "PATCH", dish, big, gives: "413 content-too-large"),
    Cell("size", Menus.fresh, "PUT", dish, big, gives: "413 content-too-large"),
    Cell(
      "size", Menus.fresh, "POST", "/state/dishes", big, gives: "413 content-too-large",
      ["Content-Type": "application/json"]),
  ]
}
