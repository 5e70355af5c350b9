import Synchronization

/// Reports that the state of an open store was replaced by one of another history, so that it must be opened again.
package final class StateReplacement: Sendable {
  private struct State {
    var reason: String?
    var observer: (@Sendable () -> Void)?
  }

  /// Guards the reason and the observer; held only to read or replace them.
  private let state = Mutex(State())

  package init() {}

  /// The reason; nil if the state was not replaced.
  package var reason: String? { state.withLock { $0.reason } }

  /// Reports the replacement.
  ///
  /// - Returns: False if it was reported before.
  package func report(_ reason: String) -> Bool {
    let (isFirst, observer) = state.withLock { state in
      defer { state.reason = state.reason ?? reason }
      return (state.reason == nil, state.observer)
    }
    if isFirst { observer?() }
    return isFirst
  }

  /// Calls a function once when the state is replaced, or now if it was replaced already.
  func observe(_ observer: @escaping @Sendable () -> Void) {
    let isReplaced = state.withLock { state in
      state.observer = observer
      return state.reason != nil
    }
    if isReplaced { observer() }
  }
}
