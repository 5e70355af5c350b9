import BinderyMenu
import BinderyTestKit
import Testing

/// A request with several faults is told the first one.
struct OrderTests {
  private static let big = "{" + String(repeating: " ", count: 1_048_576)

  /// Each request has the fault that it is told, and faults of every later kind that can go with it.
  static let faults: [Situation<Menu>] = [
    .init("syntax first", Menus.fresh, "POST", "/state/%ff", big, gives: "400 malformed-path", wrong),
    .init("then the types", Menus.fresh, "POST", "/state/nope", big, gives: "404 unknown-path", wrong),
    .init("then the method", Menus.fresh, "PATCH", "/state/today", big, gives: "405 method-not-allowed", wrong),
    .init(
      "then the body's type", Menus.fresh, "PATCH", "/state/time/custom", big, gives: "415 unsupported-media-type",
      wrong),
    .init("then the size", Menus.fresh, "PATCH", "/state/time/custom", big, gives: "413 content-too-large", stale),
    .init("then JSON", Menus.fresh, "PATCH", "/state/time/custom", "{", gives: "400 malformed-json", stale),
    .init("then conditions", Menus.fresh, "PATCH", "/state/time/custom", "{}", gives: "412 precondition-failed", stale),
    .init("then conditions", Menus.fresh, "PUT", "/state/pinnedID", "1", gives: "412 precondition-failed", stale),
    .init("then absence", Menus.fresh, "PATCH", "/state/time/custom", "{}", gives: "409 inactive-case"),
    .init("then absence", Menus.fresh, "PATCH", "/state/editing/some", "{}", gives: "409 nil-optional"),
    .init(
      "then the shape", Menus.fresh, "PATCH", "/state", #"{"pinnedID":"\#(Menus.nobody)","time":1}"#,
      gives: "422 invalid-value"),
    .init(
      "then the model", Menus.fresh, "PATCH", "/state", #"{"pinnedID":"\#(Menus.nobody)"}"#, gives: "422 invalid-state"),
    .init(
      "a form before a condition", Menus.fresh, "GET", "/state", gives: "406 not-acceptable",
      ["Accept": "image/png", "If-Match": "\"x\""]),
    .init(
      "a condition before absence", Menus.fresh, "GET", "/state/time/custom", gives: "412 precondition-failed",
      ["If-Match": "\"x\""]),
    .init(
      "types before the form", Menus.fresh, "GET", "/state/nope", gives: "404 unknown-path", ["Accept": "image/png"]),
    .init(
      "a patch's absence before its shape", Menus.fresh, "PATCH", "/state/editing/some", "{}",
      gives: "409 nil-optional",
      ["Content-Type": "application/json-patch+json"]),
    .init(
      "a patch's condition before its shape", Menus.fresh, "PATCH", "/state", "{}", gives: "412 precondition-failed",
      ["Content-Type": "application/json-patch+json", "If-Match": "\"x\""]),
  ]

  private static let stale: KeyValuePairs = ["If-Match": "\"AAAAAAAAAAAAAAAAAAAAAA\""]
  private static let wrong: KeyValuePairs = ["If-Match": "\"AAAAAAAAAAAAAAAAAAAAAA\"", "Content-Type": "text/plain"]

  @Test(arguments: faults, Depth.allCases)
  func `the first fault is told`(_ fault: Situation<Menu>, _ depth: Depth) throws {
    try depth.serve(fault.root) { client, _ throws in try fault.check(client) }
  }
}
