package import BinderyCore
import Synchronization

/// The ends of sessions that a store keeps, from earlier runs of the server and from all that share the store.
package final class SessionEnds: Sendable {
  /// Stores the end of a session; the completion gets the reason if it is not stored yet.
  ///
  /// - Parameters:
  ///   - id: The bytes that identify the session. They are not the credential.
  ///   - expires: The time at which the session would have expired, in seconds since 1970.
  package typealias Storing =
    @Sendable (_ id: [UInt8], _ expires: Int64, _ completion: @escaping @Sendable (JournalFailure?) -> Void) -> Void

  private struct State {
    var store: Storing?
    var observer: (@Sendable ([[UInt8]]) -> Void)?
    /// The sessions that ended before there was an observer.
    var ended: [[UInt8]] = []
  }

  /// Guards the state; held only to read or change it.
  private let state = Mutex(State())

  package init() {}

  /// Sets the function that stores the end of a session.
  package func onEnd(_ store: @escaping Storing) { state.withLock { $0.store = store } }

  /// Reports sessions that were ended on any server.
  package func report(_ sessions: [[UInt8]]) {
    let observer = state.withLock { state in
      if state.observer == nil { state.ended += sessions }
      return state.observer
    }
    observer?(sessions)
  }

  /// Calls a function with the sessions that have ended, and with those that end later.
  func observe(_ observer: @escaping @Sendable ([[UInt8]]) -> Void) {
    let ended = state.withLock { state in
      state.observer = observer
      return exchange(&state.ended, with: [])
    }
    observer(ended)
  }

  /// Stores the end of a session, for all servers and later runs.
  func end(_ session: [UInt8], expires: Int64, _ completion: @escaping @Sendable (JournalFailure?) -> Void) {
    guard let store = state.withLock({ $0.store }) else { return completion(nil) }
    store(session, expires, completion)
  }
}
