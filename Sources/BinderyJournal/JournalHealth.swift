import BinderyCore
import Synchronization

/// The current failure of a journal, readable from any thread. It is set before any writer gets the failure.
final class JournalHealth: Sendable {
  /// Guards the current failure; held only to read or replace it.
  private let state = Mutex<JournalFailure?>(nil)
  private let onChange: @Sendable (JournalFailure?) -> Void

  /// - Parameter onChange: Called with the failure when writes begin to fail, and with nil when they succeed again.
  init(_ onChange: @escaping @Sendable (JournalFailure?) -> Void) { self.onChange = onChange }

  /// The reason why writes fail at present; nil if they succeed.
  var failure: JournalFailure? { state.withLock { $0 } }

  func set(_ failure: JournalFailure?) {
    let previous = state.withLock { exchange(&$0, with: failure) }
    if (previous == nil) != (failure == nil) { onChange(failure) }
  }
}
