import BinderyHTTP

/// What let a request in; it can be looked at again later.
enum Principal: Sendable {
  /// Nobody is asked for anything.
  case open
  /// What was asked for is for everybody.
  case document
  case token(AccessTokens.ID)
  case session(Session)

  /// Whether the caller may know how the service is.
  var isTrusted: Bool { if case .document = self { false } else { true } }
}

/// Why what was let in may not stay.
enum Revocation: String, Sendable {
  case tokenRevoked = "token-revoked"
  case sessionEnded = "session-ended"
  case sessionExpired = "session-expired"
}

/// Where the requests of one loop are let in or turned away, before anybody looks at what they ask for.
final class Authenticator {
  private let accessControl: AccessControl
  private var rules: AccessControl.Rules
  private var changeCount: Int
  /// The host that was let in last: nearly every request of a loop names the same.
  private var knownHost: [UInt8] = []

  init(_ accessControl: AccessControl, _ loop: LoopHandle) {
    self.accessControl = accessControl
    usualFields = accessControl.origins.fields
    changeCount = accessControl.changeCount
    rules = accessControl.rules
    accessControl.tell(loop)
  }

  /// Takes in changed rules; whether there were any.
  func refresh() -> Bool {
    let count = accessControl.changeCount
    guard count != changeCount else { return false }
    changeCount = count
    rules = accessControl.rules
    return true
  }

  /// The fields of every answer, but to a request from an allowed origin.
  let usualFields: FieldLines

  /// Has the answer to a request say what every answer does.
  func setFields(of output: inout ResponseWriter, for head: borrowing RequestHead, _ bytes: Span<UInt8>) {
    if head.contains(.origin), let fields = accessControl.origins.fields(for: head, bytes) {
      output.setCommon(fields)
    } else {
      output.setCommon(usualFields)
    }
  }

  /// Whether a request asks what a page may send, and may know: that never carries a token.
  func isAllowedPreflight(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> Bool {
    Origins.isPreflight(head) && accessControl.origins.fields(for: head, bytes) != nil
  }

  /// Refuses a request that calls this server by a name that is not one of its own. Browsers always name one; HTTP/1.0
  /// need not.
  func checkHost(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) throws(Problem) {
    guard let hosts = accessControl.hosts, !head.authority.isEmpty, !isKnown(head.authority, bytes) else { return }
    guard hosts.contain(head.authority, bytes) else {
      throw Problem(.misdirectedRequest, "The host that the request names is not one of this server's.")
    }
    knownHost = bytes.slice(head.authority)
  }

  private func isKnown(_ authority: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
    let known = knownHost
    guard known.count == authority.count else { return false }
    let asked = bytes.extracting(authority)
    var difference: UInt8 = 0
    for index in asked.indices { difference |= known[index] ^ asked[index] }
    return difference == 0
  }

  /// Finds what lets a request in.
  ///
  /// - Parameters:
  ///   - isForAll: whether it asks for something that everybody may see.
  ///   - changesNothing: whether a token for reading is enough.
  func admit(
    _ head: borrowing RequestHead, _ bytes: Span<UInt8>, isForAll: () -> Bool, changesNothing: () -> Bool
  ) throws(Problem) -> Principal {
    guard let tokens = rules.tokens else { return .open }
    let found: (principal: Principal, entry: AccessTokens.Entry)
    do throws(Problem) { found = try identify(head, bytes, tokens) } catch {
      if head.method.isSafe, isForAll() { return .document }
      throw error
    }
    guard !head.method.isSafe else { return found.principal }
    if case .session = found.principal { try checkOrigin(head, bytes) }
    guard found.entry.scope == .write || changesNothing() else {
      throw Problem(.forbidden, "The token is for reading only.")
        .with { $0.challenge = Challenge.insufficientScope }
    }
    return found.principal
  }

  private func identify(
    _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ tokens: AccessTokens
  ) throws(Problem) -> (principal: Principal, entry: AccessTokens.Entry) {
    switch try Authorization(head, bytes) {
    case .bearer(let token):
      guard let entry = tokens.entry(presenting: token) else { throw Self.invalid("The token is not one of ours.") }
      return (.token(entry.id), entry)
    case .other:
      throw Problem(.unauthorized, "The only scheme known here is Bearer.").with { $0.challenge = Challenge.plain }
    case .none: return try identifySession(head, bytes, tokens)
    }
  }

  private func identifySession(
    _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ tokens: AccessTokens
  ) throws(Problem) -> (principal: Principal, entry: AccessTokens.Entry) {
    switch accessControl.cookie.find(head, bytes) {
    case .none:
      throw Problem(.unauthorized, "A token is needed: “Authorization: Bearer …”.")
        .with { $0.challenge = Challenge.plain }
    case .several: throw Self.invalid("The cookie of the session stands more than once.")
    case .one(let text):
      guard let session = Session(text: text, tokens), let entry = tokens[id: session.token],
        revocation(to: .session(session)) == nil
      else { throw Self.invalid("The session is over.") }
      return (.session(session), entry)
    }
  }

  private static func invalid(_ detail: String) -> Problem {
    Problem(.unauthorized, detail).with { $0.challenge = Challenge.invalidToken }
  }

  /// A cookie goes along whoever's page has the browser ask. `SameSite` and the media types that writes need keep
  /// others out already; this does where a neighbour below the same site's name is the other.
  private func checkOrigin(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) throws(Problem) {
    let isOurs: Bool
    if head.contains(.origin) {
      isOurs =
        Origins.origin(head).map { names($0, ourselves: head, bytes) } ?? false
        || accessControl.origins.fields(for: head, bytes) != nil
    } else if let api = head.first(.secFetchSite) {
      isOurs = bytes.matches(api, ignoringCase: "same-origin") || bytes.matches(api, ignoringCase: "none")
    } else {
      isOurs = true
    }
    guard isOurs else { throw Problem(.forbidden, "A session serves the pages of this server and allowed origins.") }
  }

  /// Whether an origin is the host that the request was sent to; of the scheme only TLS's end knows.
  private func names(_ origin: Range<Int>, ourselves head: borrowing RequestHead, _ bytes: Span<UInt8>) -> Bool {
    let host = bytes.text(head.authority).lowercased()
    return !host.isEmpty && ["http://", "https://"].contains { bytes.matches(origin, ignoringCase: $0 + host) }
  }

  /// Why what was let in may not stay; nil where it may.
  func revocation(to principal: Principal) -> Revocation? {
    switch principal {
    case .open, .document: return nil
    case .token(let id): return rules.tokens?[id: id] == nil ? .tokenRevoked : nil
    case .session(let session):
      if rules.tokens?[id: session.token] == nil { return .tokenRevoked }
      if session.expires <= accessControl.now { return .sessionExpired }
      return rules.ended.contains(session) ? .sessionEnded : nil
    }
  }

  /// Begins a session of the token that let a request in.
  ///
  /// - Returns: the value of `Set-Cookie`; nil where sessions are not needed.
  func beginSession(_ principal: Principal) throws(Problem) -> String? {
    switch principal {
    case .token(let id):
      guard let entry = rules.tokens?[id: id] else { return nil }
      return accessControl.cookie.set(
        Session(of: entry, expires: accessControl.now + accessControl.cookie.lifetime).text(entry))
    case .session:
      throw Problem(.unauthorized, "A session begins with a token.").with { $0.challenge = Challenge.plain }
    case .open, .document: return nil
    }
  }

  /// Ends the session that let a request in.
  ///
  /// - Returns: the value of `Set-Cookie`; nil where sessions are not needed.
  func endSession(_ principal: Principal) -> String? {
    if case .session(let session) = principal { accessControl.end(session) }
    return rules.tokens == nil ? nil : accessControl.cookie.remove
  }
}

/// What `WWW-Authenticate` says (RFC 6750 §3).
enum Challenge {
  static let plain = "Bearer realm=\"bindery\""
  static let invalidToken = plain + ", error=\"invalid_token\""
  static let insufficientScope = plain + ", error=\"insufficient_scope\", scope=\"write\""
}

/// What a request says of its sender (RFC 9110 §11.6.2).
private enum Authorization {
  case none
  case bearer([UInt8])
  case other

  init(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) throws(Problem) {
    var lines: [Range<Int>] = []
    head.forEach(.authorization) { lines.append($0) }
    guard lines.count < 2 else {
      throw Problem(.malformedRequest, "The field Authorization stands more than once.")
    }
    guard let line = lines.first else {
      self = .none
      return
    }
    let parts = bytes.slice(line).split(separator: UInt8(ascii: " "), maxSplits: 1, omittingEmptySubsequences: false)
    let isBearer = String(decoding: parts[0], as: UTF8.self).lowercased() == "bearer"
    self = isBearer ? .bearer(parts.count > 1 ? Array(parts[1].drop { $0 == UInt8(ascii: " ") }) : []) : .other
  }
}

extension Method {
  /// Asks for nothing to be changed (RFC 9110 §9.2.1).
  package var isSafe: Bool { [.get, .head, .options].contains(self) }
}

extension Revocation {
  /// What a request is answered that was let in and may not stay.
  var problem: Problem {
    let detail =
      switch self {
      case .tokenRevoked: "The token is no longer good."
      case .sessionEnded, .sessionExpired: "The session is over."
      }
    return Problem(.unauthorized, detail).with { $0.challenge = Challenge.invalidToken }
  }
}
