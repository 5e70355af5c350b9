package import BinderyAPI
import BinderyDigest
import BinderySystem

/// Authentication and authorization of a service: which clients may connect, and under which host names.
public struct AccessPolicy: Sendable {
  /// How clients authenticate.
  enum Authentication: Sendable {
    /// No authentication. Only the loopback interface and Unix sockets are allowed.
    case local
    /// No authentication, on any address.
    case open
    /// A token is required.
    case tokens(write: [AccessToken], read: [AccessToken])
  }

  var authentication: Authentication

  /// The origins whose web pages may send requests from a browser (CORS), such as `https://menu.example`. None by
  /// default.
  public var allowedOrigins: [String] = []
  /// Host names that the `Host` header may contain, in addition to IP addresses and `localhost`.
  ///
  /// The `Host` header is checked if the service listens on the loopback interface, if it requires no tokens
  /// (``open``), or if this list is not empty. The check protects against DNS rebinding.
  public var allowedHosts: [String] = []
  /// Whether a proxy in front of the service terminates TLS. Session cookies are then `Secure`.
  public var isBehindTLS = false
  /// The lifetime of a browser session, in whole seconds. The default is 7 days.
  public var sessionLifetime = Duration.seconds(7 * 86_400)

  /// Allows all clients on this machine without authentication.
  ///
  /// A service with this policy does not start if it listens on an address other than the loopback interface or a Unix
  /// socket.
  public static var local: AccessPolicy { AccessPolicy(authentication: .local) }

  /// Allows all clients that can connect, without authentication.
  public static var open: AccessPolicy { AccessPolicy(authentication: .open) }

  /// Requires a bearer token: `Authorization: Bearer …` (RFC 6750).
  ///
  /// A token has 16 to 512 letters, digits and `-._~+/`, and may end with `=`.
  ///
  /// - Parameters:
  ///   - write: The tokens that may read and write.
  ///   - read: The read-only tokens.
  /// - Throws: ``ServiceError/invalidAccess(_:)`` for a malformed token, and for a token in both lists.
  public static func tokens(_ write: [String], reading read: [String] = []) throws(ServiceError) -> AccessPolicy {
    let (write, read) = try disjointTokens(write, read)
    return tokens(write: write, read: read)
  }

  /// Requires a bearer token.
  package static func tokens(write: [AccessToken], read: [AccessToken]) -> AccessPolicy {
    AccessPolicy(authentication: .tokens(write: write, read: read))
  }

  /// Parses the tokens that may read and write, and the read-only ones.
  static func disjointTokens(
    _ write: [String], _ read: [String]
  ) throws(ServiceError) -> (write: [AccessToken], read: [AccessToken]) {
    let (write, read) = (try tokens(write), try tokens(read))
    // A client that received the token as read-only could write with it.
    guard Set(write).isDisjoint(with: read) else {
      throw .invalidAccess("a token is in both lists: pass one that may write, and another one that may only read")
    }
    return (write, read)
  }

  /// Parses tokens.
  static func tokens(_ texts: [String]) throws(ServiceError) -> [AccessToken] {
    do throws(AccessToken.Malformed) {
      return try texts.map { text throws(AccessToken.Malformed) in try AccessToken(text.utf8) }
    } catch { throw .invalidAccess("\(error)") }
  }
}

extension AccessPolicy {
  /// Returns the access control of a service that listens on the given addresses.
  ///
  /// - Parameters:
  ///   - sessionEnds: The ends of sessions that the store keeps; nil if they are not stored.
  ///   - clock: Returns milliseconds since 1970.
  /// - Throws: ``ServiceError/unprotected(_:)`` or ``ServiceError/invalidAccess(_:)``.
  func accessControl(
    at addresses: [SocketAddress], below basePath: BasePath, _ key: DigestKey, _ sessionEnds: SessionEnds? = nil,
    clock: @escaping @Sendable () -> Int64 = { Clock.wallMilliseconds }
  ) throws(ServiceError) -> AccessControl {
    var tokens: AccessTokens?
    switch authentication {
    case .open: break
    case .local:
      if let address = addresses.first(where: { !$0.isLoopback }) { throw .unprotected("\(address)") }
    case .tokens(let write, let read):
      guard !write.isEmpty || !read.isEmpty else {
        throw .invalidAccess("there are no tokens: pass at least one")
      }
      tokens = AccessTokens(write: write, read: read, secret: key.secret)
    }
    let storeEnd = sessionEnds.map { ends -> AccessControl.StoringEnd in { ends.end($0, expires: $1, $2) } }
    let lifetime = sessionLifetime.bounded.components.seconds
    let control = AccessControl(
      tokens: tokens, hosts: try hostNames(at: addresses), origins: try origins(),
      cookie: SessionCookie(isSecure: isBehindTLS, lifetime: lifetime, basePath: basePath),
      storeEnd: storeEnd, clock: { clock() / 1_000 })
    sessionEnds?.observe { [weak control] in control?.sessionsDidEnd($0) }
    return control
  }

  /// Returns the accepted host names, or nil if the `Host` header is not checked.
  private func hostNames(at addresses: [SocketAddress]) throws(ServiceError) -> HostNames? {
    for name in allowedHosts where !HostNames.isName(name) {
      throw .invalidAccess(
        "“\(name)” is not a host: expected a name or an IP address without a port, such as menu.example")
    }
    let isOpen = if case .open = authentication { true } else { false }
    guard isOpen || addresses.contains(where: \.isLoopbackInterface) || !allowedHosts.isEmpty else { return nil }
    return HostNames(allowedHosts)
  }

  private func origins() throws(ServiceError) -> Origins {
    var origins: [String] = []
    for text in allowedOrigins {
      guard let origin = Origins.normalized(text) else {
        throw .invalidAccess(
          "“\(text)” is not an origin: expected a scheme and a host, such as https://menu.example (not * or null)")
      }
      origins.append(origin)
    }
    return Origins(origins)
  }
}

extension SocketAddress {
  /// Whether the address is on the loopback interface, and not a Unix socket.
  fileprivate var isLoopbackInterface: Bool {
    guard case .internet = self else { return false }
    return isLoopback
  }
}
