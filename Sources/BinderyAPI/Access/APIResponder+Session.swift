import BinderyCore
import BinderyHTTP

extension APIResponder {
  static var sessionSegment: String { "session" }

  /// Handles `/session`, which exchanges a token for a session cookie.
  ///
  /// Browsers need it because `EventSource` cannot send an `Authorization` header.
  func session(
    _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ body: RequestBody, _ output: inout ResponseWriter
  ) throws(Problem) -> Disposition {
    if try respondToOptions(head.method, .session, &output) { return .complete }
    guard try bodyRange(body) != nil else { return .needsBody }
    _ = try Query(head, bytes, accepting: [])
    let cookie = head.method == .post ? try authenticator.beginSession(caller) : authenticator.endSession(caller)
    output.start(.noContent)
    if let cookie { output.field(.setCookie, cookie) }
    output.field(.cacheControl, "no-store")
    output.finish()
    return .complete
  }
}

/// Paths with their own authentication rules, as bytes, so that they can be compared before the path is decoded.
enum FixedPath {
  static let session = Array("/session".utf8)
  static let livez = Array("/livez".utf8)
  static let readyz = Array("/readyz".utf8)
}
