import BinderyCore
import BinderyHTTP

extension APIResponder {
  static var sessionSegment: String { "session" }

  /// `/session`: a cookie for a token, because `EventSource` can send no token.
  func session(
    _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ body: RequestBody, _ output: inout ResponseWriter
  ) throws(Problem) -> Disposition {
    let allow = "POST, DELETE, OPTIONS"
    guard try content(body) != nil else { return .needsBody }
    let cookie: String?
    switch head.method {
    case .post: cookie = try authenticator.beginSession(caller)
    case .delete: cookie = authenticator.endSession(caller)
    case .options:
      var response = Response(.noContent)
      response.say(.allow, allow)
      response.write(to: &output)
      return .complete
    default: throw Problem(.methodNotAllowed, "\(head.method.name) is not allowed here.").with { $0.allow = allow }
    }
    output.start(.noContent)
    if let cookie { output.field(.setCookie, cookie) }
    output.field(.cacheControl, "no-store")
    output.finish()
    return .complete
  }
}

/// The paths that matter before a request is let in, as they are sent.
enum FixedPath {
  static let session = Array("/session".utf8)
  static let livez = Array("/livez".utf8)
  static let readyz = Array("/readyz".utf8)
}
