import Synchronization

/// The sessions that were ended before they expired. Each is stored until it would have expired.
///
/// Sessions are stateless. To end one with certainty, for example after its cookie was stolen, revoke its token: a
/// restored backup does not have the ends of sessions after it.
package final class EndedSessions: Sendable {
  /// The maximum number of stored sessions per token. When it is exceeded, the sessions of that token that expire first
  /// end early: an ended session is never valid again, and no token affects the sessions of another.
  private let maximumPerToken: Int
  /// Guards the sessions. Held for one look-up or insertion.
  private let state = Mutex((tokens: [AccessTokens.ID: OfToken](), lastRemoval: Int64.min))
  /// Whether there are any ended sessions, so that requests take no lock while there are none.
  private let isInUse = Atomic<Bool>(false)

  init(maximumPerToken: Int) { self.maximumPerToken = maximumPerToken }

  /// The number of stored sessions.
  package var count: Int { state.withLock { state in state.tokens.values.reduce(0) { $0 + $1.count } } }

  func contains(_ session: Session) -> Bool {
    guard isInUse.load(ordering: .acquiring) else { return false }
    return state.withLock { state in
      guard let ended = state.tokens[session.token] else { return false }
      return session.expires <= ended.expiryBound
        || ended.hours[Self.hour(session.expires)]?.nonces.contains(session.nonce) ?? false
    }
  }

  /// Adds a session, and once per hour removes those that have expired.
  ///
  /// - Returns: False if the maximum number of sessions of its token were added before it, without those that would
  ///   have expired by now.
  /// - Complexity: O(1) amortized; once per hour O(hours of a session's lifetime).
  func insert(_ session: Session, now: Int64) -> Bool {
    state.withLock { state in
      if state.lastRemoval != Self.hour(now) {
        state.lastRemoval = Self.hour(now)
        for token in Array(state.tokens.keys) {
          let isEmpty = state.tokens[token]?.removeExpired(now: now) ?? true
          if isEmpty { state.tokens[token] = nil }
        }
      }
      isInUse.store(true, ordering: .releasing)
      return state.tokens[session.token, default: OfToken()].insert(session, atMost: maximumPerToken)
    }
  }

  /// Returns the hour of a time in seconds since 1970.
  private static func hour(_ seconds: Int64) -> Int64 { seconds / 3_600 }
}

extension EndedSessions {
  /// The ended sessions of one token.
  private struct OfToken {
    /// The sessions by the hour in which they expire, so that expired ones are removed without visiting each.
    private(set) var hours: [Int64: Hour] = [:]
    private(set) var count = 0
    /// The number of sessions that were added, by the hour in which they expire, also of those that ended early.
    private var additions: [Int64: Int] = [:]
    private var additionCount = 0
    /// All sessions that expire at this time or before it have ended.
    private(set) var expiryBound = Int64.min

    struct Hour {
      private(set) var nonces: Set<UInt128> = []
      private(set) var lastExpiry = Int64.min

      /// - Returns: Whether the session was not stored yet.
      mutating func insert(_ session: Session) -> Bool {
        lastExpiry = max(lastExpiry, session.expires)
        return nonces.insert(session.nonce).inserted
      }
    }

    mutating func insert(_ session: Session, atMost maximum: Int) -> Bool {
      let hour = EndedSessions.hour(session.expires)
      guard hours[hour, default: Hour()].insert(session) else { return true }
      count += 1
      if count > maximum, let first = hours.keys.min() {
        expiryBound = max(expiryBound, hours[first]?.lastExpiry ?? .min)
        remove(first)
      }
      guard additionCount < maximum else { return false }
      additions[hour, default: 0] += 1
      additionCount += 1
      return true
    }

    /// - Returns: Whether no ended session remains.
    mutating func removeExpired(now: Int64) -> Bool {
      let current = EndedSessions.hour(now)
      for hour in Array(hours.keys) where hour < current { remove(hour) }
      for hour in Array(additions.keys) where hour < current {
        additionCount -= additions.removeValue(forKey: hour) ?? 0
      }
      return hours.isEmpty && additions.isEmpty && expiryBound <= now
    }

    private mutating func remove(_ hour: Int64) { count -= hours.removeValue(forKey: hour)?.nonces.count ?? 0 }
  }
}
