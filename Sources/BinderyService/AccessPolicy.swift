package import BinderyAPI
import BinderyDigest
import BinderySystem

/// Who may use a service, and under which names.
public struct AccessPolicy: Sendable {
  /// Who is let in.
  enum Entry: Sendable {
    case local
    case open
    case tokens(write: [AccessToken], read: [AccessToken])
  }

  var entry: Entry

  /// The origins, as `https://menu.example`, whose pages may ask from a browser; none by default.
  public var allowedOrigins: [String] = []
  /// Names under which the service may be called, beside those of the loopback and of the addresses it listens on. They
  /// are looked at where the service listens on the loopback alone, or where there is one here.
  public var allowedHosts: [String] = []
  /// Browsers reach the service over TLS, which somebody in front of it speaks: cookies are then `Secure`.
  public var isBehindTLS = false
  /// How long a browser's session holds, in seconds.
  public var sessionSeconds: Int64 = 7 * 24 * 3_600

  /// Everybody who can reach the loopback or a Unix socket; a service that others can reach does not start.
  public static var local: AccessPolicy { AccessPolicy(entry: .local) }

  /// Everybody who can reach the service.
  public static var open: AccessPolicy { AccessPolicy(entry: .open) }

  /// Those who bring a token: `Authorization: Bearer …`.
  ///
  /// - Parameters:
  ///   - write: tokens for reading and writing; 16 to 512 letters, digits and `-._~+/`, with `=` at the end.
  ///   - read: tokens for reading.
  /// - Throws: ``ServiceError/invalidAccess(_:)``.
  public static func tokens(_ write: [String], reading read: [String] = []) throws(ServiceError) -> AccessPolicy {
    AccessPolicy(entry: .tokens(write: try tokens(write), read: try tokens(read)))
  }

  /// Those who bring a token.
  package static func tokens(write: [AccessToken], read: [AccessToken]) -> AccessPolicy {
    AccessPolicy(entry: .tokens(write: write, read: read))
  }

  static func tokens(_ texts: [String]) throws(ServiceError) -> [AccessToken] {
    var tokens: [AccessToken] = []
    for text in texts {
      do throws(AccessToken.Malformed) {
        tokens.append(try AccessToken(text.utf8))
      } catch { throw .invalidAccess("\(error)") }
    }
    return tokens
  }
}

extension AccessPolicy {
  /// What the policy means for a service at some addresses.
  func accessControl(at addresses: [SocketAddress], _ key: DigestKey) throws(ServiceError) -> AccessControl {
    var tokens: AccessTokens?
    switch entry {
    case .open: break
    case .local:
      if let address = addresses.first(where: { !$0.isLoopback }) { throw .unprotected("\(address)") }
    case .tokens(let write, let read):
      guard !write.isEmpty || !read.isEmpty else { throw .invalidAccess("there is no token") }
      tokens = AccessTokens(write: write, read: read, secret: key.secret)
    }
    return AccessControl(
      tokens: tokens, hosts: try hostNames(at: addresses), origins: try origins(),
      cookie: SessionCookie(isSecure: isBehindTLS, lifetime: sessionSeconds),
      clock: { Clock.wallMilliseconds / 1_000 })
  }

  /// nil where any name will do.
  private func hostNames(at addresses: [SocketAddress]) throws(ServiceError) -> HostNames? {
    for name in allowedHosts where !HostNames.isName(name) {
      throw .invalidAccess("“\(name)” is no host: a name without a port, or an address, is one")
    }
    let hosts = addresses.compactMap(\.host)
    let isLocal = !hosts.isEmpty && addresses.allSatisfy(\.isLoopback)
    guard isLocal || !allowedHosts.isEmpty else { return nil }
    return HostNames(hosts + allowedHosts)
  }

  private func origins() throws(ServiceError) -> Origins {
    var origins: [String] = []
    for text in allowedOrigins {
      guard let origin = Origins.normalized(text) else {
        throw .invalidAccess("“\(text)” is no origin: https://menu.example is one, and neither * nor null is")
      }
      origins.append(origin)
    }
    return Origins(origins)
  }
}

extension SocketAddress {
  /// As a `Host` would name it, without the port; nil for a Unix socket.
  fileprivate var host: String? {
    guard case .internet(let host, _) = self else { return nil }
    return host.contains(":") ? "[\(host)]" : host
  }
}
