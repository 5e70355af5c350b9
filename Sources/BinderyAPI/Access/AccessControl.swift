import BinderyHTTP
import Synchronization

/// The authentication and authorization rules of a service, shared by all event loops.
///
/// Tokens and sessions can change while the service runs. Host names, origins and cookie settings cannot.
package final class AccessControl: Sendable {
  /// The rules that can change while the service runs.
  struct Rules: Sendable {
    /// The valid tokens; nil if the service does not require a token.
    var tokens: AccessTokens?
    var ended = EndedSessions()
  }

  /// The accepted host names; nil if every name is accepted.
  let hosts: HostNames?
  let origins: Origins
  let cookie: SessionCookie
  private let clock: @Sendable () -> Int64
  /// The number of changes, so that an event loop can detect without a lock that its copy of the rules is current.
  private let changes = Atomic<Int>(0)
  /// The lock protects the rules and the list of event loops. It is held only to copy or replace them: wakeups run
  /// after it is released.
  private let state: Mutex<(rules: Rules, loops: [LoopHandle])>

  /// Creates the rules of a service.
  ///
  /// - Parameters:
  ///   - tokens: The valid tokens; nil if no token is required.
  ///   - hosts: The accepted host names; nil if every name is accepted.
  ///   - origins: The origins whose pages may send requests (CORS).
  ///   - cookie: The session cookie settings.
  ///   - clock: Returns seconds since 1970.
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

  /// Replaces the valid tokens. Streams and long polls of removed tokens are ended.
  package func replace(_ tokens: AccessTokens) { change { $0.tokens = tokens } }

  /// The current time in seconds since 1970.
  var now: Int64 { clock() }

  /// The number of changes so far.
  var changeCount: Int { changes.load(ordering: .acquiring) }

  var rules: Rules { state.withLock { $0.rules } }

  /// Registers an event loop that is woken after every change.
  func wakeOnChange(_ loop: LoopHandle) { state.withLock { $0.loops.append(loop) } }

  /// Ends a session before it expires.
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

/// The sessions that were ended before they expired. Each is stored until it would have expired.
///
/// The list is bounded and exists in this process only, because sessions are stateless. To end a session with
/// certainty, for example after its cookie was stolen, revoke its token.
struct EndedSessions: Sendable {
  private static let capacity = 4_096
  private var sessions: Set<Session> = []

  func contains(_ session: Session) -> Bool { sessions.contains(session) }

  /// Adds a session. When the list is full, the session that expires first is dropped.
  ///
  /// - Complexity: O(number of ended sessions).
  mutating func insert(_ session: Session, now: Int64) {
    sessions = sessions.filter { $0.expires > now }
    if sessions.count >= Self.capacity, let first = sessions.min(by: { $0.expires < $1.expires }) {
      sessions.remove(first)
    }
    sessions.insert(session)
  }
}
