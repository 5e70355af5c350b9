import BinderyCore
import BinderyMenu

extension MenuScenarios {
  static let wrongValues: [Row] = [
    Row("malformed", Menus.fresh, "PATCH", dish, "{", expecting: "400 malformed-json"),
    Row("malformed", Menus.fresh, "PATCH", dish, "", expecting: "400 malformed-json"),
    Row("malformed", Menus.fresh, "PUT", dish, #"{"name":}"#, expecting: "400 malformed-json"),
    Row(
      "malformed", Menus.fresh, "POST", "/state/dishes", "[", expecting: "400 malformed-json",
      ["Content-Type": "application/json"]
    ),
    Row("wrong type", Menus.fresh, "PATCH", dish + "/name", "1", expecting: "422 invalid-value", pointer: ""),
    Row("wrong type", Menus.fresh, "PUT", dish + "/name", "1", expecting: "422 invalid-value", pointer: ""),
    Row("wrong type", Menus.fresh, "PATCH", dish, #"{"name":1}"#, expecting: "422 invalid-value", pointer: "/name"),
    Row("wrong type", Menus.fresh, "PATCH", dish, "[]", expecting: "422 invalid-value", pointer: ""),
    Row("wrong type", Menus.fresh, "PATCH", "/state/dishes", "{}", expecting: "422 invalid-value", pointer: ""),
    Row(
      "wrong type", Menus.fresh, "PATCH", dish, #"{"status":"inStock"}"#, expecting: "422 invalid-value",
      pointer: "/status"
    ),
    Row("wrong shape", Menus.fresh, "PATCH", dish, #"{"nome":"x"}"#, expecting: "422 unknown-member", pointer: "/nome"),
    Row(
      "wrong shape", Menus.fresh, "PATCH", dish, #"{"a/b~c":"x"}"#, expecting: "422 unknown-member", pointer: "/a~1b~0c"
    ),
    Row(
      "wrong shape", Menus.fresh, "PATCH", dish, #"{"name":"x","name":"y"}"#, expecting: "422 duplicate-member",
      pointer: "/name"),
    Row(
      "wrong shape", Menus.fresh, "PATCH", dish, #"{"name":"x","n\u0061me":"y"}"#, expecting: "422 duplicate-member",
      pointer: "/name"),
    Row(
      "wrong shape", Menus.fresh, "PATCH", "/state/time", #"{"never":1}"#, expecting: "422 unknown-member",
      pointer: "/never"),
    Row("wrong shape", Menus.fresh, "PATCH", "/state/time", "\"never\"", expecting: "422 invalid-value", pointer: ""),
    Row("wrong shape", Menus.fresh, "PATCH", "/state/time", "\"custom\"", expecting: "422 invalid-value", pointer: ""),
    Row(
      "wrong shape", Menus.fresh, "PATCH", "/state/time", #"{"tonight":null}"#, expecting: "422 unknown-member",
      pointer: "/tonight"),
    Row(
      "wrong shape", Menus.fresh, "PATCH", dish + "/status",
      #"{"inStock":{"quantity":2},"outOfStock":{"isOnBackOrder":true}}"#, expecting: "422 invalid-value"),
    Row(
      "wrong shape", Menus.fresh, "PUT", "/state/editing", #"{"name":"x"}"#, expecting: "422 unknown-member",
      pointer: "/name"),
    Row("wrong shape", Menus.fresh, "PUT", "/state/editing", "{}", expecting: "422 missing-member", pointer: "/some"),
    Row(
      "out of range", Menus.fresh, "PUT", dish + "/status/inStock/quantity", "0", expecting: "422 invalid-value",
      pointer: ""),
    Row(
      "out of range", Menus.fresh, "PUT", dish + "/status/inStock/quantity", "1.5", expecting: "422 invalid-value",
      pointer: ""),
    Row(
      "out of range", Menus.fresh, "PUT", dish + "/status/inStock/quantity", "9223372036854775808",
      expecting: "422 invalid-value",
      pointer: ""),
    Row(
      "out of range", Menus.fresh, "PATCH", dish, #"{"status":{"inStock":{"quantity":0}}}"#,
      expecting: "422 invalid-value",
      pointer: "/status/inStock/quantity"),
    Row("out of range", Menus.fresh, "PATCH", dish + "/name", "\"\"", expecting: "422 invalid-value", pointer: ""),
    Row("out of range", Menus.fresh, "PATCH", dish + "/name", "\"  \"", expecting: "422 invalid-value", pointer: ""),
    Row("out of range", Menus.fresh, "PATCH", dish + "/name", #""a\nb""#, expecting: "422 invalid-value", pointer: ""),
    Row(
      "out of range", Menus.fresh, "PATCH", dish + "/name", "\"\(String(repeating: "x", count: 101))\"",
      expecting: "422 invalid-value", pointer: ""),
    Row(
      "out of range", Menus.fresh, "PUT", "/state/selectedDay", "\"2026-02-29\"", expecting: "422 invalid-value",
      pointer: ""),
    Row(
      "out of range", Menus.fresh, "PUT", "/state/time/custom", "\"2026-12-24T18:30:00.0001Z\"",
      expecting: "422 invalid-value",
      pointer: ""),
    Row(
      "out of range", Menus.fresh, "PUT", "/state/time/custom", "\"0000-12-24T18:30:00Z\"",
      expecting: "422 invalid-value",
      pointer: ""),
    Row("null", Menus.fresh, "PATCH", dish, #"{"name":null}"#, expecting: "422 invalid-value", pointer: "/name"),
    Row("null", Menus.fresh, "PATCH", dish + "/name", "null", expecting: "422 invalid-value", pointer: ""),
    Row("null", Menus.fresh, "PUT", dish, "null", expecting: "422 invalid-value", pointer: ""),
    Row("null", Menus.fresh, "PATCH", "/state", #"{"time":null}"#, expecting: "422 invalid-value", pointer: "/time"),
    Row(
      "incomplete", Menus.fresh, "PUT", dish, #"{"name":"x"}"#, expecting: "422 missing-member", pointer: "/isFavorite"),
    Row(
      "incomplete", Menus.fresh, "PUT", "/state", #"{"time":"tonight"}"#, expecting: "422 missing-member",
      pointer: "/dishes"),
    Row(
      "incomplete", Menus.fresh, "PUT", dish + "/status/inStock", "{}", expecting: "422 missing-member",
      pointer: "/quantity"),
    Row(
      "another id", Menus.fresh, "PUT", dish, Menus.dish(Menus.second, "x"), expecting: "422 read-only-member",
      pointer: "/id"),
    Row(
      "another id", Menus.fresh, "PATCH", dish, #"{"id":"\#(Menus.second)"}"#, expecting: "422 read-only-member",
      pointer: "/id"),
    Row(
      "another id", Menus.fresh, "PUT", "/state/pinnedDish", Menus.dish(Menus.second, "x"),
      expecting: "422 read-only-member",
      pointer: "/id"),
    Row(
      "another id", Menus.fresh, "PATCH", "/state/pinnedDish", #"{"id":"\#(Menus.second)"}"#,
      expecting: "422 read-only-member",
      pointer: "/id"),
    Row(
      "duplicate id", Menus.fresh, "POST", "/state/dishes", Menus.dish(Menus.first, "x"), expecting: "422 duplicate-id",
      pointer: "/id", ["Content-Type": "application/json"]),
    Row(
      "duplicate id", Menus.fresh, "PUT", "/state/dishes",
      "[\(Menus.dish(Menus.first, "x")),\(Menus.dish(Menus.first, "y"))]", expecting: "422 duplicate-id"),
  ]

  static let rejectedByModel: [Row] = [
    Row(
      "rejected by the model", Menus.fresh, "PATCH", "/state/pinnedID", "\"\(Menus.unknownID)\"",
      expecting: "422 invalid-state",
      pointer: "/pinnedID"),
    Row(
      "rejected by the model", Menus.fresh, "PUT", "/state/pinnedID", "\"\(Menus.unknownID)\"",
      expecting: "422 invalid-state",
      pointer: "/pinnedID"
    ),
    Row("repaired", Menus.fresh, "PUT", "/state/dishes", "[]", expecting: "200", changed: true),
  ]

  static let droppedWrites: [Row] = [
    Row(
      "not applied", Menus.fresh, "PATCH", "/state/days/2026-11-21", #"{"isSelected":false}"#, expecting: "200",
      changed: false
    ),
    Row(
      "not applied", Menus.fresh, "PATCH", "/state/days/2026-11-21/isSelected", "false", expecting: "200",
      changed: false),
    Row(
      "not applied", Menus.fresh, "PUT", "/state/days/2026-11-21/isSelected", "false", expecting: "200", changed: false),
    Row(
      "not applied, strict", Menus.fresh, "PATCH", "/state/days/2026-11-21/isSelected", "false",
      expecting: "409 write-not-kept",
      ["Prefer": "handling=strict"]),
    Row(
      "not applied, strict", Menus.fresh, "PUT", "/state/days/2026-11-21/isSelected", "false",
      expecting: "409 write-not-kept",
      ["Prefer": "handling=strict"]),
    Row(
      "applied, strict", Menus.fresh, "PATCH", "/state/days/2026-11-22/isSelected", "true", expecting: "200",
      changed: true,
      ["Prefer": "handling=strict"]),
  ]

  private static let readOnlyTargets = [
    "/state/today", "/state/favorites", "/state/lastCustomTime", "/state/selectedDayLabel", dish + "/id",
    "/state/pinnedDish/id", "/state/days/2026-11-22/weekday", "/state/days/2026-11-22/number",
    "/state/days/2026-11-22/date",
  ]

  static let readOnly: [Row] = readOnlyTargets.flatMap { target -> [Row] in
    let reads = ["GET", "HEAD"].map { Row("read-only", Menus.fresh, $0, target, expecting: "200") }
    let writes = ["PATCH", "PUT", "POST", "DELETE"].map { method in
      Row("read-only", Menus.fresh, method, target, "1", expecting: "405 method-not-allowed")
    }
    return reads + writes
  }

  private static let stale: KeyValuePairs = ["If-Match": "\"AAAAAAAAAAAAAAAAAAAAAA\""]

  static let conditions: [Row] = [
    Row("stale tag", Menus.fresh, "GET", dish, expecting: "412 precondition-failed", stale),
    Row("stale tag", Menus.fresh, "PATCH", dish, "{}", expecting: "412 precondition-failed", stale),
    Row(
      "stale tag", Menus.fresh, "PUT", dish, Menus.dish(Menus.first, "x"), expecting: "412 precondition-failed", stale),
    Row("stale tag", Menus.fresh, "DELETE", dish, expecting: "412 precondition-failed", stale),
    Row(
      "stale tag", Menus.fresh, "POST", "/state/dishes", "{}", expecting: "412 precondition-failed",
      ["Content-Type": "application/json", "If-Match": "\"x\""]),
    Row(
      "stale tag, absent value", Menus.fresh, "GET", "/state/time/custom", expecting: "412 precondition-failed",
      ["If-Match": "*"]),
    Row(
      "stale tag, absent value", Menus.fresh, "PATCH", "/state/time/custom", "1", expecting: "412 precondition-failed",
      ["If-Match": "*"]),
    Row(
      "stale tag, absent value", Menus.fresh, "PUT", "/state/time/custom", "1", expecting: "412 precondition-failed",
      ["If-Match": "*"]),
    Row(
      "stale tag, absent value", Menus.fresh, "DELETE", "/state/editing/some", expecting: "412 precondition-failed",
      ["If-Match": "*"]),
    Row(
      "stale tag, absent value", Menus.fresh, "PATCH", "/state/dishes/" + Menus.unknownID, "1",
      expecting: "412 precondition-failed",
      stale),
    Row(
      "already exists", Menus.fresh, "PUT", dish, Menus.dish(Menus.first, "x"), expecting: "412 precondition-failed",
      ["If-None-Match": "*"]),
    Row(
      "does not exist yet", Menus.fresh, "PUT", "/state/time/custom", "\"\(Menus.date)\"", expecting: "201",
      changed: true,
      ["If-None-Match": "*"]),
    Row("not modified", Menus.fresh, "GET", dish, expecting: "304", ["If-None-Match": "*"]),
    Row("not modified", Menus.fresh, "HEAD", dish, expecting: "304", ["If-None-Match": "*"]),
    Row("absent", Menus.fresh, "GET", "/state/time/custom", expecting: "404 inactive-case", ["If-None-Match": "*"]),
  ]

  private static let big = "\"" + String(repeating: "x", count: 1_048_576) + "\""

  static let mediaTypes: [Row] = [
    Row("type", Menus.fresh, "GET", dish, expecting: "406 not-acceptable", ["Accept": "text/html"]),
    Row("type", Menus.fresh, "HEAD", dish, expecting: "406", ["Accept": "text/html"]),
    Row(
      "type", Menus.fresh, "PATCH", dish, "{}", expecting: "415 unsupported-media-type", ["Content-Type": "text/plain"]),
    Row(
      "type", Menus.fresh, "PUT", dish, "{}", expecting: "415 unsupported-media-type",
      ["Content-Type": "application/merge-patch+json"]),
    Row(
      "type", Menus.fresh, "PUT", dish, "{}", expecting: "415 unsupported-media-type",
      ["Content-Type": "application/json-patch+json"]),
    Row("type", Menus.fresh, "POST", "/state/dishes", "{}", expecting: "422 missing-member"),
    Row(
      "type", Menus.fresh, "POST", "/state/dishes", "{}", expecting: "422 missing-member",
      ["Content-Type": "application/x-www-form-urlencoded"]),
    Row(
      "type", Menus.fresh, "POST", "/state/dishes", "{}", expecting: "415 unsupported-media-type",
      ["Content-Type": "text/plain"]),
    Row("size", Menus.fresh, "PATCH", dish, big, expecting: "413 content-too-large"),
    Row("size", Menus.fresh, "PUT", dish, big, expecting: "413 content-too-large"),
    Row(
      "size", Menus.fresh, "POST", "/state/dishes", big, expecting: "413 content-too-large",
      ["Content-Type": "application/json"]),
  ]
}
