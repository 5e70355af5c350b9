import BinderyAPI
import BinderyCore
import BinderyDigest
import BinderyMenu
import BinderyTestKit
import FoundationEssentials
import Synchronization

/// A menu behind tokens, in memory; its test owns the clock on the wall.
final class Door {
  static let write = "write-token-0123456789"
  static let read = "read-token-0123456789"
  static let noToken = "wrong-token-0123456789"

  static let menu = Menu(
    today: Day(year: 2026, month: 11, day: 21)!, evening: Date(timeIntervalSince1970: 1_795_287_600))
  static let secret = [UInt8](repeating: 7, count: 192)

  let loop: MemoryLoop<Menu>
  let accessControl: AccessControl
  private let wall = Wall()

  /// - Parameter isGuarded: tokens are asked for.
  init(
    isGuarded: Bool = true, origins: [String] = [], hosts: [String]? = nil, isSecure: Bool = false,
    secret: [UInt8] = Door.secret
  ) throws {
    let tokens = try Self.tokens(write: [Self.write], read: [Self.read], secret)
    let wall = wall
    accessControl = AccessControl(
      tokens: isGuarded ? tokens : nil, hosts: hosts.map(HostNames.init), origins: Origins(origins),
      cookie: SessionCookie(isSecure: isSecure, lifetime: 1_000), clock: { wall.seconds })
    loop = MemoryLoop(Store(Self.menu), key: DigestKey(secret: secret), accessControl: accessControl)
  }

  static func tokens(write: [String], read: [String] = [], _ secret: [UInt8] = Door.secret) throws -> AccessTokens {
    AccessTokens(
      write: try write.map { try AccessToken($0.utf8) }, read: try read.map { try AccessToken($0.utf8) },
      secret: secret)
  }

  /// Lets time pass on the wall, and then a round of heartbeats.
  func wait(seconds: Int64) {
    wall.pass(seconds)
    loop.advance(milliseconds: 15_000)
  }

  /// The cookie that a token gives.
  func signIn(_ token: String = Door.write) throws -> String {
    let reply = try loop.send("POST", "/session", nil, ["Authorization": "Bearer \(token)"])
    guard reply.status == 204, let cookie = reply["Set-Cookie"] else { throw Refused(reply: reply) }
    return String(cookie.prefix { $0 != ";" })
  }

  struct Refused: Error { let reply: Reply }

  private final class Wall: Sendable {
    private let now = Atomic<Int64>(1_795_000_000)
    var seconds: Int64 { now.load(ordering: .relaxed) }
    func pass(_ seconds: Int64) { now.add(seconds, ordering: .relaxed) }
  }
}

extension Door {
  /// Who asks.
  typealias Fields = KeyValuePairs<String, String>
  static var writer: Fields { ["Authorization": "Bearer \(write)"] }
  static var reader: Fields { ["Authorization": "Bearer \(read)"] }
}
