import BinderyMenu
import BinderyTestKit
import Testing

/// The error that is reported for a request with several errors.
struct ErrorPrecedenceTests {
  private static let big = "{" + String(repeating: " ", count: 1_048_576)

  /// Each request has the expected error, and as many errors of later checks as possible.
  static let requests: [Scenario<Menu>] = [
    .init("malformed path first", Menus.fresh, "POST", "/state/%ff", big, expecting: "400 malformed-path", wrong),
    .init("unknown path second", Menus.fresh, "POST", "/state/nope", big, expecting: "404 unknown-path", wrong),
    .init("then method", Menus.fresh, "PATCH", "/state/today", big, expecting: "405 method-not-allowed", wrong),
    .init(
      "then media type", Menus.fresh, "PATCH", "/state/time/custom", big, expecting: "415 unsupported-media-type",
      wrong),
    .init("then size", Menus.fresh, "PATCH", "/state/time/custom", big, expecting: "413 content-too-large", stale),
    .init(
      "then the query", Menus.fresh, "PATCH", "/state/time/custom?x", "{", expecting: "400 malformed-query", malformed),
    .init(
      "then conditions that are malformed", Menus.fresh, "PATCH", "/state/time/custom", "{",
      expecting: "400 malformed-header", malformed),
    .init("then JSON", Menus.fresh, "PATCH", "/state/time/custom", "{", expecting: "400 malformed-json", stale),
    .init(
      "then conditions", Menus.fresh, "PATCH", "/state/time/custom", "{}", expecting: "412 precondition-failed", stale),
    .init("then conditions", Menus.fresh, "PUT", "/state/pinnedID", "1", expecting: "412 precondition-failed", stale),
    .init("then absence", Menus.fresh, "PATCH", "/state/time/custom", "{}", expecting: "409 inactive-case"),
    .init("then absence", Menus.fresh, "PATCH", "/state/editing/some", "{}", expecting: "409 nil-optional"),
    .init(
      "then types of values", Menus.fresh, "PATCH", "/state", #"{"pinnedID":"\#(Menus.unknownID)","time":1}"#,
      expecting: "422 invalid-value"),
    .init(
      "then rules of the model", Menus.fresh, "PATCH", "/state", #"{"pinnedID":"\#(Menus.unknownID)"}"#,
      expecting: "422 invalid-state"),
    .init(
      "Accept before conditions", Menus.fresh, "GET", "/state", expecting: "406 not-acceptable",
      ["Accept": "image/png", "If-Match": "\"x\""]),
    .init(
      "conditions before absence", Menus.fresh, "GET", "/state/time/custom", expecting: "412 precondition-failed",
      ["If-Match": "\"x\""]),
    .init(
      "the size of the body before the query", Menus.fresh, "GET", "/state?x", big, expecting: "413 content-too-large"),
    .init(
      "method before the size of the body", Menus.fresh, "PUT", "/events", big, expecting: "405 method-not-allowed"),
    .init(
      "method before the size of the body", Menus.fresh, "PUT", "/session", big, expecting: "405 method-not-allowed"),
    .init(
      "method before the size of the body", Menus.fresh, "GET", "/history/1/revert", big,
      expecting: "405 method-not-allowed"),
    .init(
      "media type before the size of the body", Menus.fresh, "POST", "/history/1/revert?x", big,
      expecting: "415 unsupported-media-type", wrong),
    .init(
      "the size of the body before the query", Menus.fresh, "POST", "/history/1/revert?x", big,
      expecting: "413 content-too-large", malformed),
    .init(
      "the query before conditions", Menus.fresh, "POST", "/history/1/revert?x", "", expecting: "400 malformed-query",
      malformed),
    .init(
      "conditions before the revision", Menus.fresh, "POST", "/history/1/revert", "",
      expecting: "400 malformed-header", malformed),
    .init(
      "unknown path before Accept", Menus.fresh, "GET", "/state/nope", expecting: "404 unknown-path",
      ["Accept": "image/png"]),
    .init(
      "absence before the operations of a patch", Menus.fresh, "PATCH", "/state/editing/some", "{}",
      expecting: "409 nil-optional",
      ["Content-Type": "application/json-patch+json"]),
    .init(
      "conditions before the operations of a patch", Menus.fresh, "PATCH", "/state", "{}",
      expecting: "412 precondition-failed",
      ["Content-Type": "application/json-patch+json", "If-Match": "\"x\""]),
  ]

  private static let malformed: KeyValuePairs = ["If-Match": "AAAAAAAAAAAAAAAAAAAAAA"]
  private static let stale: KeyValuePairs = ["If-Match": "\"AAAAAAAAAAAAAAAAAAAAAA\""]
  private static let wrong: KeyValuePairs = ["If-Match": "\"AAAAAAAAAAAAAAAAAAAAAA\"", "Content-Type": "text/plain"]

  @Test(arguments: requests, TestTransport.allCases)
  func `the first error is reported`(_ request: Scenario<Menu>, _ transport: TestTransport) throws {
    try transport.serve(request.root) { client, _ throws in try request.check(client) }
  }
}
