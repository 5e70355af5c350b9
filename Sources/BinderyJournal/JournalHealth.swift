package import BinderyCore
import Synchronization

/// A change in whether writes succeed.
package enum JournalHealthChange: Hashable, Sendable {
  /// Writes begin to fail.
  case failing(JournalFailure)
  /// Writes still fail, for another reason. Each reason is reported once.
  case failingForAnotherReason(JournalFailure)
  /// Writes succeed again.
  case working
}

/// The current failure of a journal, readable from any thread. It is set before any writer gets the failure.
final class JournalHealth: Sendable {
  private struct State {
    var failure: JournalFailure?
    /// The reasons that were reported since writes began to fail.
    var reported: Set<String> = []
  }

  /// The number of reasons that are reported until writes succeed again.
  private static let maximumReasons = 8

  /// The lock is held only to read or replace the failure.
  private let state = Mutex(State())
  private let onChange: @Sendable (JournalHealthChange) -> Void

  init(_ onChange: @escaping @Sendable (JournalHealthChange) -> Void) { self.onChange = onChange }

  /// The reason why writes fail at present; nil if they succeed.
  var failure: JournalFailure? { state.withLock { $0.failure } }

  func set(_ failure: JournalFailure?) {
    let change = state.withLock { state -> JournalHealthChange? in
      let previous = exchange(&state.failure, with: failure)
      guard let failure else {
        state.reported = []
        return previous == nil ? nil : .working
      }
      let isNew = state.reported.count < Self.maximumReasons && state.reported.insert(failure.reason).inserted
      guard isNew else { return nil }
      return previous == nil ? .failing(failure) : .failingForAnotherReason(failure)
    }
    if let change { onChange(change) }
  }
}
