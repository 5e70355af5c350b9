import BinderyCore
import BinderyHTTP

extension APIResponder {
  static var sessionSegment: String { "session" }

  /// Handles `/session`, which exchanges a token for a session cookie and describes the credential of the client.
  ///
  /// Browsers need it because `EventSource` cannot send an `Authorization` header.
  func session(
    _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ body: RequestBody
  ) throws(Problem) -> Reply {
    if let response = try optionsResponse(head.method, .session) { return .response(response) }
    guard try bodyRange(body) != nil else { return .needsBody }
    _ = try Query(head, bytes, accepting: [])
    let cookie: String?
    switch head.method {
    case .post: cookie = try authenticator.beginSession(caller)
    case .delete: cookie = authenticator.endSession(caller)
    default:
      guard let access = authenticator.access(of: caller) else { throw Revocation.tokenRequired.problem }
      var response = Response(.ok, .json(access.json))
      response.isVolatile = true
      return .response(response)
    }
    var response = Response(.noContent)
    response.addField(.setCookie, cookie)
    response.isVolatile = true
    return .response(response)
  }
}

/// Paths with their own authentication rules, as bytes, so that they can be compared before the path is decoded.
enum FixedPath {
  static let session = Array("/session".utf8)
  static let events = Array("/events".utf8)
  static let livez = Array("/livez".utf8)
  static let readyz = Array("/readyz".utf8)

  /// Returns whether a request is `POST /events`, which has a body only because its list of places can be long.
  static func isPostedRead(_ head: borrowing RequestHead, _ path: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
    if case .post = head.method { bytes.holds(events, at: path) } else { false }
  }

  /// Returns whether a path is that of a health check.
  static func isProbe(_ path: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
    bytes.holds(livez, at: path) || bytes.holds(readyz, at: path)
  }
}
