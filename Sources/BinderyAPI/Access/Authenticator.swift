import BinderyCore
import BinderyHTTP
import BinderyText

/// The credential with which a request was authenticated. Streams and long polls keep it, because it is checked again
/// when tokens or sessions change.
enum Principal: Sendable {
  /// No credential: the service did not require a token.
  case open
  /// No credential: the requested document is public.
  case document
  case token(AccessTokens.ID)
  case session(Session)

  /// Whether the caller may see details of the service's health.
  var isTrusted: Bool { if case .document = self { false } else { true } }
}

/// The reason why a credential is no longer valid, as sent in the `cancel` event of a stream.
enum Revocation: String, Sendable {
  case tokenRequired = "token-required"
  case tokenRevoked = "token-revoked"
  case sessionEnded = "session-ended"
  case sessionExpired = "session-expired"
}

/// Authenticates and authorizes every request of one event loop before it is routed.
final class Authenticator {
  private let accessControl: AccessControl
  private let origins: Origins
  private let changes: AccessChanges
  /// A copy of the valid tokens; nil if the service does not require a token.
  private var tokens: AccessTokens?
  /// The `Host` that was accepted last, as a cache: nearly every request of an event loop has the same one.
  private var lastAcceptedHost: [UInt8] = []

  /// - Parameter fields: The header fields that every response has beside those of ``Origins``.
  init(_ accessControl: AccessControl, _ fields: FieldLines, _ loop: LoopHandle) {
    self.accessControl = accessControl
    origins = accessControl.origins.adding(fields)
    commonFields = origins.fields
    // Registered before the tokens are copied, so that no change is missed.
    changes = accessControl.changes(wake: loop)
    tokens = accessControl.tokens
  }

  /// Takes the changes of the rules since the last call, and copies the tokens if they have changed.
  ///
  /// - Returns: Whether the tokens have changed, and the sessions that were ended; nil if there are no changes.
  func refresh() -> (haveTokensChanged: Bool, endedSessions: [Session])? {
    guard let taken = changes.take() else { return nil }
    if taken.haveTokensChanged { tokens = accessControl.tokens }
    return taken
  }

  /// The header fields of every response, except those to an allowed origin.
  let commonFields: FieldLines

  /// Sets the header fields of all responses to this request: the common fields, or the CORS fields.
  func setFields(of output: inout ResponseWriter, for head: borrowing RequestHead, _ bytes: Span<UInt8>) {
    output.setCommonFields(origins.fields(for: head, bytes) ?? commonFields)
  }

  /// Authenticates and authorizes a request.
  ///
  /// - Parameters:
  ///   - path: The range of the path after the base path.
  ///   - isPublic: Returns whether the request needs no credential.
  /// - Returns: The principal, or nil if the request is an allowed CORS preflight.
  /// - Throws: The problem, if the request is not permitted.
  func authenticate(
    _ head: borrowing RequestHead, _ path: Range<Int>, _ bytes: Span<UInt8>, isPublic: () -> Bool
  ) throws(Problem) -> Principal? {
    var isNamed = true
    do throws(Problem) { try checkHost(head, bytes) } catch {
      // A load balancer may send a health check to a name of its own.
      guard FixedPath.isProbe(path, bytes) else { throw error }
      isNamed = false
    }
    if isAllowedPreflight(head, bytes) { return nil }
    let principal = try authorize(
      head, bytes, isRead: head.method.isSafe || FixedPath.isPostedRead(head, path, bytes), isPublic: isPublic,
      allowsReadScope: { bytes.holds(FixedPath.session, at: path) })
    // Any web page can send a probe with a name of its own (DNS rebinding), so it is told no details.
    if !isNamed, case .open = principal { return .document }
    return principal
  }

  /// Rejects a request whose host is not one of the server's names, as a defense against DNS rebinding.
  ///
  /// A request without a host passes: only HTTP/1.0 permits one, and browsers always send a host.
  ///
  /// - Throws: A problem with status 421.
  private func checkHost(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) throws(Problem) {
    guard let hosts = accessControl.hosts, !head.authority.isEmpty else { return }
    let known = lastAcceptedHost
    if known.span.hasSameBytes(as: bytes.extracting(head.authority)) { return }
    guard hosts.contains(head.authority, bytes) else {
      let name = bytes.text(HostNames.host(of: head.authority, bytes))
      throw Problem(
        .misdirectedRequest,
        "“\(name)” is not a name of this server: it accepts IP addresses, localhost and the host names that it allows. "
          + "To allow this name, add it to them: on the command line with --allow-host \(name).")
    }
    lastAcceptedHost = bytes.slice(head.authority)
  }

  /// Returns the server as suggested commands address it; nil if the host of the request was not checked.
  func commandServer(
    _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ basePath: BasePath
  ) -> CurlCommand.Server? {
    guard accessControl.hosts != nil, !head.authority.isEmpty else { return nil }
    let scheme = accessControl.cookie.isSecure ? "https" : "http"
    let origin = "\(scheme)://\(bytes.text(head.authority))\(basePath.text)"
    return CurlCommand.Server(origin: origin, needsToken: tokens != nil)
  }

  /// Returns whether a request is a CORS preflight (https://fetch.spec.whatwg.org/#cors-preflight-request) from an
  /// allowed origin. A preflight never carries a credential.
  private func isAllowedPreflight(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> Bool {
    guard case .options = head.method, head.contains(.accessControlRequestMethod) else { return false }
    return origins.fields(for: head, bytes) != nil
  }

  /// Authenticates a request, and checks that its origin and its credential permit it.
  ///
  /// - Parameters:
  ///   - isRead: Whether the request only reads.
  ///   - isPublic: Returns whether the request needs no credential.
  ///   - allowsReadScope: Returns whether a read-only token is enough for a request that is not a read.
  /// - Throws: A problem with status 400, 401 or 403.
  private func authorize(
    _ head: borrowing RequestHead, _ bytes: Span<UInt8>, isRead: Bool, isPublic: () -> Bool, allowsReadScope: () -> Bool
  ) throws(Problem) -> Principal {
    guard let tokens else {
      if !isRead { try checkOrigin(head, bytes) }
      return .open
    }
    let identity: (principal: Principal, entry: AccessTokens.Entry)
    do throws(Problem) { identity = try identify(head, bytes, tokens) } catch {
      guard isPublic() else { throw error }
      if !isRead { try checkOrigin(head, bytes) }
      return .document
    }
    guard !isRead else { return identity.principal }
    try checkOrigin(head, bytes)
    guard identity.entry.scope == .write || allowsReadScope() || isPublic() else {
      throw Problem(.forbidden, "This token is read-only. Use a token with write permission.")
        .with { $0.challenge = Challenge.insufficientScope }
    }
    return identity.principal
  }

  private func identify(
    _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ tokens: AccessTokens
  ) throws(Problem) -> (principal: Principal, entry: AccessTokens.Entry) {
    // A token takes precedence over a cookie, because browsers send cookies automatically but never tokens. The parser
    // rejects a request with more than one Authorization header.
    guard let value = head.first(.authorization) else { return try identifySession(head, bytes, tokens) }
    guard let token = Self.bearerToken(in: value, bytes) else {
      throw Problem(
        .unauthorized, "The Authorization header must use the Bearer scheme, as in “Bearer TOKEN”."
      )
      .with { $0.challenge = Challenge.plain }
    }
    guard let entry = tokens.entry(matching: bytes.extracting(token)) else {
      throw Self.invalidCredential(
        "The token in the Authorization header is not valid: it is not one of the tokens that the server accepts.")
    }
    return (.token(entry.id), entry)
  }

  /// Returns the range of the token in a value of `Authorization` (RFC 9110 §11.6.2); nil if it has another scheme.
  private static func bearerToken(in value: Range<Int>, _ bytes: Span<UInt8>) -> Range<Int>? {
    var end = value.lowerBound
    while end < value.upperBound, bytes[end] != UInt8(ascii: " ") { end += 1 }
    guard bytes.matches(value.lowerBound..<end, ignoringCase: "bearer") else { return nil }
    while end < value.upperBound, bytes[end] == UInt8(ascii: " ") { end += 1 }
    return end..<value.upperBound
  }

  private func identifySession(
    _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ tokens: AccessTokens
  ) throws(Problem) -> (principal: Principal, entry: AccessTokens.Entry) {
    switch accessControl.cookie.find(head, bytes) {
    case .none: throw Revocation.tokenRequired.problem
    case .multiple: throw Self.invalidCredential("The request has more than one session cookie.")
    case .one(let text):
      guard let session = Session(text: text, tokens), let entry = tokens[id: session.token],
        revocation(of: .session(session)) == nil
      else { throw Revocation.sessionEnded.problem }
      return (.session(session), entry)
    }
  }

  private static func invalidCredential(_ detail: String) -> Problem {
    Problem(.unauthorized, detail).with { $0.challenge = Challenge.invalidToken }
  }

  /// Rejects a write that a page of another origin sent, whatever its credential.
  ///
  /// Browsers send no write of another site: cookies are `SameSite=Strict`, and the methods and media types of writes
  /// require a preflight. This check does not depend on the browser. It also excludes other hosts of the same site,
  /// such as a neighboring subdomain, and other ports of this machine.
  private func checkOrigin(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) throws(Problem) {
    let isAllowed =
      if let origin = head.first(.origin) {
        Origins.isOwn(origin, head, bytes) || origins.fields(for: head, bytes) != nil
      } else {
        Origins.isOwnSite(head, bytes)
      }
    guard isAllowed else {
      throw Problem(
        .forbidden,
        """
        A web page of another origin sent this write. Only pages of this server and of allowed origins may write. To \
        allow the page, add its origin to --allow-origin. A proxy in front of the server must pass on the Host header. \
        Programs other than browsers should not send Origin or Sec-Fetch-Site.
        """)
    }
  }

  /// Returns why a credential is no longer valid, or nil if it is valid.
  func revocation(of principal: Principal) -> Revocation? {
    switch principal {
    case .document: return nil
    case .open: return tokens == nil ? nil : .tokenRequired
    case .token(let id): return tokens?[id: id] == nil ? .tokenRevoked : nil
    case .session(let session):
      if tokens?[id: session.token] == nil { return .tokenRevoked }
      if session.expires <= accessControl.now { return .sessionExpired }
      return accessControl.endedSessions.contains(session) ? .sessionEnded : nil
    }
  }

  /// Returns what the credential that authenticated a request permits.
  ///
  /// - Returns: nil if no credential authenticated the request, although the service requires one.
  func access(of principal: Principal) -> ClientAccess? {
    if tokens == nil { return .open }
    return entry(of: principal).map { ClientAccess(scope: $0.scope, group: $0.group) }
  }

  /// Returns the token that authenticated a request, itself or by a session of it; nil if none did.
  private func entry(of principal: Principal) -> AccessTokens.Entry? {
    switch principal {
    case .open, .document: nil
    case .token(let id): tokens?[id: id]
    case .session(let session): tokens?[id: session.token]
    }
  }

  /// The metadata of commits by clients without a token.
  private static let anonymous = CommitMetadata(author: "anonymous")

  /// Returns what the history stores about the commits of a principal.
  func commitMetadata(of principal: Principal) -> CommitMetadata {
    entry(of: principal)?.commitMetadata ?? Self.anonymous
  }

  /// The current time in seconds since 1970.
  var now: Int64 { accessControl.now }

  /// Begins a session of the token that authenticated the request.
  ///
  /// - Returns: The value of `Set-Cookie`; nil if the service does not require a token.
  /// - Throws: A problem with status 401 if the request was authenticated by a session: sessions cannot be renewed.
  func beginSession(_ principal: Principal) throws(Problem) -> String? {
    switch principal {
    case .token(let id):
      guard let entry = tokens?[id: id] else { return nil }
      let (expires, overflows) = accessControl.now.addingReportingOverflow(accessControl.cookie.lifetime)
      let session = Session(of: entry, expires: overflows ? .max : expires)
      return accessControl.cookie.header(setting: session.cookieValue(signedWith: entry))
    case .session:
      throw Problem(.unauthorized, "A new session needs a token: add the header “Authorization: Bearer TOKEN”.")
        .with { $0.challenge = Challenge.plain }
    case .open, .document: return nil
    }
  }

  /// Ends the session of the request's cookie, also if a token authenticated the request.
  ///
  /// - Parameter completion: Called on any thread once the end is stored, or with the reason if it is not stored yet.
  /// - Returns: The value of `Set-Cookie`; nil if the service does not require a token. And whether the completion will
  ///   be called.
  /// - Throws: `unavailable` if the end is not stored.
  func endSession(
    _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ completion: @escaping @Sendable (JournalFailure?) -> Void
  ) throws(Problem) -> (cookie: String?, isPending: Bool) {
    guard let tokens, let (principal, _) = try? identifySession(head, bytes, tokens),
      case .session(let session) = principal
    else { return (deletionCookie, false) }
    return (deletionCookie, try accessControl.end(session, completion))
  }

  /// The value of `Set-Cookie` that deletes the cookie; nil if the service does not require a token.
  var deletionCookie: String? { tokens == nil ? nil : accessControl.cookie.deletionHeader }
}

/// The values of `WWW-Authenticate` (RFC 6750 §3).
enum Challenge {
  static let plain = "Bearer realm=\"bindery\""
  static let invalidToken = plain + ", error=\"invalid_token\""
  static let insufficientScope = plain + ", error=\"insufficient_scope\", scope=\"write\""
}

extension Method {
  /// Whether the method is safe: it does not ask for a change (RFC 9110 §9.2.1).
  package var isSafe: Bool {
    switch self {
    case .get, .head, .options: true
    case .patch, .put, .post, .delete, .unknown: false
    }
  }
}

extension Revocation {
  /// The response to a request whose credential is not valid.
  var problem: Problem {
    let detail =
      switch self {
      case .tokenRequired: "This request needs a token: add the header “Authorization: Bearer TOKEN”."
      case .tokenRevoked: "The token has been revoked."
      case .sessionEnded, .sessionExpired: "The session has ended or expired. Begin a new one with POST /session."
      }
    let challenge = if case .tokenRequired = self { Challenge.plain } else { Challenge.invalidToken }
    return Problem(.unauthorized, detail).with { $0.challenge = challenge }
  }
}
