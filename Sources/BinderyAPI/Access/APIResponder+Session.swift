import BinderyCore
import BinderyHTTP

extension APIResponder {
  static var sessionSegment: String { "session" }

  /// Handles `/session`, which exchanges a token for a session cookie and describes the credential of the client.
  ///
  /// Browsers need it because `EventSource` cannot send an `Authorization` header.
  func session(
    _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ body: RequestBody, _ exchange: ExchangeID
  ) throws(Problem) -> Reply {
    if let response = try optionsResponse(head.method, .session) { return .response(response) }
    guard try bodyRange(body) != nil else { return .needsBody }
    _ = try Query(head, bytes, accepting: [])
    let cookie: String?
    switch head.method {
    case .post: cookie = try authenticator.beginSession(caller)
    case .delete:
      try checkCapacity(for: .commit)
      let complete = responseHandler(for: exchange)
      let deletion = authenticator.deletionCookie
      let end = try authenticator.endSession(head, bytes) { failure in
        complete(failure.map { .failure(Self.sessionEndsLater($0)) } ?? .success(Self.noContent(setting: deletion)))
      }
      if end.isPending { return .later(.awaitingCommit) }
      cookie = end.cookie
    default:
      guard let access = authenticator.access(of: caller) else { throw Revocation.tokenRequired.problem }
      var response = Response(.ok, .json(access.json))
      response.isVolatile = true
      return .response(response)
    }
    return .response(Self.noContent(setting: cookie))
  }

  private static func noContent(setting cookie: String?) -> Response {
    var response = Response(.noContent)
    response.addField(.setCookie, cookie)
    response.isVolatile = true
    return response
  }

  /// The problem of a session whose end could not be stored.
  private static func sessionEndsLater(_ failure: JournalFailure) -> Problem {
    Problem(
      .unavailable,
      "The session has ended on this server. After a restart, and on other servers, it is valid until its end is "
        + "stored: " + failure.reason)
  }
}
