package import BinderyCore
import BinderyHTTP
import Synchronization

/// The authentication and authorization rules of a service, shared by all event loops.
///
/// Tokens and sessions can change while the service runs. Host names, origins and cookie settings cannot.
package final class AccessControl: Sendable {
  /// The accepted host names; nil if every name is accepted.
  let hosts: HostNames?
  let origins: Origins
  let cookie: SessionCookie
  /// The sessions that were ended before they expired.
  package let endedSessions: EndedSessions
  private let clock: @Sendable () -> Int64
  /// Stores the end of a session; nil if ends are not stored.
  private let storeEnd: StoringEnd?
  /// The lock protects the valid tokens (nil if the service does not require one) and the list of event loops. It is
  /// held only to copy or replace them: event loops are notified after it is released.
  private let state: Mutex<(tokens: AccessTokens?, loops: [AccessChanges])>

  /// Creates the rules of a service.
  ///
  /// - Parameters:
  ///   - tokens: The valid tokens; nil if no token is required.
  ///   - hosts: The accepted host names; nil if every name is accepted.
  ///   - origins: The origins whose pages may send requests (CORS).
  ///   - cookie: The session cookie settings.
  ///   - endedSessionsPerToken: The maximum number of ended sessions that are stored for each token.
  ///   - storeEnd: Stores the end of a session; nil if ends are not stored.
  ///   - clock: Returns seconds since 1970.
  package init(
    tokens: AccessTokens? = nil, hosts: HostNames? = nil, origins: Origins = Origins([]),
    cookie: SessionCookie = SessionCookie(isSecure: false, lifetime: 3_600), endedSessionsPerToken: Int = 65_536,
    storeEnd: StoringEnd? = nil,
    clock: @escaping @Sendable () -> Int64
  ) {
    self.hosts = hosts
    self.origins = origins
    self.cookie = cookie
    endedSessions = EndedSessions(maximumPerToken: endedSessionsPerToken)
    self.clock = clock
    self.storeEnd = storeEnd
    state = Mutex((tokens, []))
  }

  /// Replaces the valid tokens. Streams and long polls of removed tokens, and those that were opened when no token was
  /// required, are ended.
  package func replace(_ tokens: AccessTokens) {
    let loops = state.withLock { state in
      state.tokens = tokens
      return state.loops
    }
    for loop in loops { loop.tokensDidChange() }
  }

  /// The current time in seconds since 1970.
  var now: Int64 { clock() }

  /// The valid tokens; nil if the service does not require a token.
  var tokens: AccessTokens? { state.withLock { $0.tokens } }

  /// Registers an event loop, which is woken after every change.
  func changes(wake loop: LoopHandle) -> AccessChanges {
    let changes = AccessChanges(loop)
    state.withLock { $0.loops.append(changes) }
    return changes
  }

  /// Stores the end of a session, for all servers of the store and for later runs. The completion gets the reason if
  /// it is not stored yet.
  package typealias StoringEnd =
    @Sendable (
      _ session: [UInt8], _ expires: Int64, _ completion: @escaping @Sendable (JournalFailure?) -> Void
    ) -> Void

  /// Ends sessions whose ends are stored.
  ///
  /// - Parameter sessions: Their bytes, as they were stored.
  package func sessionsDidEnd(_ sessions: [[UInt8]]) {
    // A store may also have ends of sessions that have expired since.
    let now = now
    for session in sessions.compactMap(Session.init(message:)) where session.expires > now { _ = end(session) }
  }

  /// Ends a session before it expires: at once on this server, and for the others and later runs when its end is
  /// stored.
  ///
  /// - Returns: Whether the end is being stored; otherwise the completion is not called.
  /// - Throws: `unavailable` if so many sessions of the token have ended that this end is not stored.
  func end(
    _ session: Session, _ completion: @escaping @Sendable (JournalFailure?) -> Void
  ) throws(Problem) -> Bool {
    let mayBeStored = end(session)
    guard let storeEnd else { return false }
    guard mayBeStored else {
      throw Problem(
        .unavailable,
        "The session has ended on this server. Its end is not stored, because too many sessions of its token have "
          + "ended: until it expires, it is valid on other servers, and after a restart. To end all sessions of the "
          + "token, revoke the token.")
    }
    storeEnd(session.message, session.expires, completion)
    return true
  }

  /// Ends a session on this server before it expires.
  ///
  /// - Returns: False if too many sessions of its token have ended.
  private func end(_ session: Session) -> Bool {
    let isWithinLimit = endedSessions.insert(session, now: now)
    for loop in state.withLock({ $0.loops }) { loop.sessionDidEnd(session) }
    return isWithinLimit
  }
}

/// The changes of the access rules that one event loop has not handled yet.
final class AccessChanges: Sendable {
  /// Whether there are changes, so that the loop can check without a lock.
  private let isPending = Atomic<Bool>(false)
  /// The lock protects the changes. It is held only to add or take them.
  private let state = Mutex((haveTokensChanged: false, endedSessions: [Session]()))
  private let loop: LoopHandle

  init(_ loop: LoopHandle) { self.loop = loop }

  func tokensDidChange() {
    state.withLock { $0.haveTokensChanged = true }
    wake()
  }

  func sessionDidEnd(_ session: Session) {
    state.withLock { $0.endedSessions.append(session) }
    wake()
  }

  private func wake() {
    isPending.store(true, ordering: .releasing)
    loop.wake()
  }

  /// Removes and returns the changes; nil if there are none. Takes no lock then.
  func take() -> (haveTokensChanged: Bool, endedSessions: [Session])? {
    guard isPending.load(ordering: .acquiring) else { return nil }
    isPending.store(false, ordering: .relaxed)
    return state.withLock { state in
      defer { state = (false, []) }
      return state
    }
  }
}
