import BinderyCore
import Synchronization

/// Whether a journal can do its work, for everybody to see: known before any writer is told.
final class JournalHealth: Sendable {
  /// Guards the trouble; held only to look and to set.
  private let state = Mutex<JournalFailure?>(nil)
  private let note: @Sendable (JournalFailure?) -> Void

  /// - Parameter note: told when trouble begins, and, with nil, when it has passed.
  init(_ note: @escaping @Sendable (JournalFailure?) -> Void) { self.note = note }

  /// Why nothing can be kept just now; nil where it can.
  var trouble: JournalFailure? { state.withLock { $0 } }

  func set(_ trouble: JournalFailure?) {
    let before = state.withLock { state in
      defer { state = trouble }
      return state
    }
    if (before == nil) != (trouble == nil) { note(trouble) }
  }
}
