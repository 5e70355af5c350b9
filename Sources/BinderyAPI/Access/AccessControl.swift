import BinderyHTTP
import Synchronization

/// Who may ask, and how: one for all loops of a service. What it says of tokens and sessions can change at any time.
package final class AccessControl: Sendable {
  /// What can change while the service is at work.
  struct Rules: Sendable {
    /// nil where nobody is asked for a token.
    var tokens: AccessTokens?
    var ended = EndedSessions()
  }

  /// nil where the server may be called by any name.
  let hosts: HostNames?
  let origins: Origins
  let cookie: SessionCookie
  private let clock: @Sendable () -> Int64
  /// Counts the changes, so that a loop sees without a lock that nothing has changed.
  private let changes = Atomic<Int>(0)
  /// Guards the rules and who is told of their changes; held only to copy them.
  private let state: Mutex<(rules: Rules, loops: [LoopHandle])>

  /// - Parameters:
  ///   - tokens: nil where nobody is asked for a token.
  ///   - hosts: nil where the server may be called by any name.
  ///   - clock: seconds since 1970.
  package init(
    tokens: AccessTokens? = nil, hosts: HostNames? = nil, origins: Origins = Origins([]),
    cookie: SessionCookie = SessionCookie(isSecure: false, lifetime: 3_600),
    clock: @escaping @Sendable () -> Int64 = { 0 }
  ) {
    self.hosts = hosts
    self.origins = origins
    self.cookie = cookie
    self.clock = clock
    state = Mutex((Rules(tokens: tokens), []))
  }

  /// From now on these tokens are good, and no others: what others have open is ended.
  package func replace(_ tokens: AccessTokens) { change { $0.tokens = tokens } }

  /// Seconds since 1970.
  var now: Int64 { clock() }

  /// How often the rules have changed.
  var changeCount: Int { changes.load(ordering: .acquiring) }

  var rules: Rules { state.withLock { $0.rules } }

  /// Has a loop woken at each change.
  func tell(_ loop: LoopHandle) { state.withLock { $0.loops.append(loop) } }

  /// Ends a session before its time.
  func end(_ session: Session) {
    let now = now
    change { $0.ended.insert(session, now: now) }
  }

  private func change(_ body: (inout Rules) -> Void) {
    let loops = state.withLock { state in
      body(&state.rules)
      return state.loops
    }
    changes.add(1, ordering: .releasing)
    for loop in loops { loop.wake() }
  }
}

/// The sessions that were ended before their time, until that has come.
///
/// This process alone knows of them, and of so many: a session is stateless, and who has copied its cookie loses it for
/// certain with its token.
struct EndedSessions: Sendable {
  private static let most = 4_096
  private var sessions: Set<Session> = []

  func contains(_ session: Session) -> Bool { sessions.contains(session) }

  /// - Complexity: O(number of ended sessions).
  mutating func insert(_ session: Session, now: Int64) {
    sessions = sessions.filter { $0.expires > now }
    if sessions.count >= Self.most, let first = sessions.min(by: { $0.expires < $1.expires }) { sessions.remove(first) }
    sessions.insert(session)
  }
}
