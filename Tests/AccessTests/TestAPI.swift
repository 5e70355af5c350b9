import BinderyAPI
import BinderyCore
import BinderyDigest
import BinderyMenu
import BinderyTestKit
import FoundationEssentials
import Synchronization

/// The API of a menu with access control, in memory. The test controls the wall clock.
final class TestAPI {
  static let writeToken = "write-token-0123456789"
  static let readToken = "read-token-0123456789"
  static let unknownToken = "wrong-token-0123456789"

  static let menu = Menu(
    today: CalendarDay(year: 2026, month: 11, day: 21)!, evening: Date(timeIntervalSince1970: 1_795_287_600))
  static let secret = [UInt8](repeating: 7, count: 192)

  let loop: MemoryLoop<Menu>
  let accessControl: AccessControl
  private let wallClock: WallClock

  /// - Parameters:
  ///   - requiresToken: Whether requests need a token.
  ///   - origins: The allowed origins (CORS).
  ///   - hosts: The accepted host names; nil for any.
  ///   - isSecure: Whether browsers use TLS.
  ///   - basePath: The base path of the service.
  ///   - secret: The secret of the store.
  ///   - endedSessionsPerToken: The maximum number of stored ended sessions of each token.
  ///   - sessionLifetime: The lifetime of a session in seconds.
  ///   - now: The initial time of the wall clock, in seconds since 1970.
  init(
    requiresToken: Bool = true, origins: [String] = [], hosts: [String]? = nil, isSecure: Bool = false,
    basePath: BasePath = .root,
    secret: [UInt8] = TestAPI.secret, endedSessionsPerToken: Int = 65_536, sessionLifetime: Int64 = 1_000,
    now: Int64 = 1_795_000_000
  ) throws {
    let tokens = try Self.tokens(write: [Self.writeToken], read: [Self.readToken], secret)
    let wallClock = WallClock(now)
    self.wallClock = wallClock
    accessControl = AccessControl(
      tokens: requiresToken ? tokens : nil, hosts: hosts.map(HostNames.init), origins: Origins(origins),
      cookie: SessionCookie(isSecure: isSecure, lifetime: sessionLifetime, basePath: basePath),
      endedSessionsPerToken: endedSessionsPerToken, clock: { wallClock.read() })
    loop = MemoryLoop(
      Store(Self.menu), key: DigestKey(secret: secret), accessControl: accessControl, basePath: basePath)
  }

  static func tokens(write: [String], read: [String] = [], _ secret: [UInt8] = TestAPI.secret) throws -> AccessTokens {
    AccessTokens(
      write: try write.map { try AccessToken($0.utf8) }, read: try read.map { try AccessToken($0.utf8) },
      secret: secret)
  }

  /// Advances the wall clock, and then the event loop's clock by one round of heartbeats.
  func wait(seconds: Int64) {
    wallClock.advance(seconds)
    loop.advance(milliseconds: 15_000)
  }

  /// How often the wall clock has been read.
  var clockReadCount: Int { wallClock.readCount.load(ordering: .relaxed) }

  /// Begins a session with a token and returns its cookie.
  func signIn(_ token: String = TestAPI.writeToken, at path: String = "/session") throws -> String {
    let reply = try loop.send("POST", path, nil, ["Authorization": "Bearer \(token)"])
    guard reply.status == 204, let cookie = reply["Set-Cookie"] else { throw SignInFailure(reply: reply) }
    return String(cookie.prefix { $0 != ";" })
  }

  struct SignInFailure: Error { let reply: Reply }

  private final class WallClock: Sendable {
    private let now: Atomic<Int64>
    let readCount = Atomic<Int>(0)

    init(_ now: Int64) { self.now = Atomic(now) }

    func read() -> Int64 {
      readCount.add(1, ordering: .relaxed)
      return now.load(ordering: .relaxed)
    }

    func advance(_ seconds: Int64) { now.add(seconds, ordering: .relaxed) }
  }
}

extension TestAPI {
  /// The header fields of a request.
  typealias Fields = KeyValuePairs<String, String>
  static var writeCredential: Fields { ["Authorization": "Bearer \(writeToken)"] }
  static var readCredential: Fields { ["Authorization": "Bearer \(readToken)"] }
}
