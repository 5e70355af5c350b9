import BinderyCore
import BinderyJournal

/// Why a file cannot be opened as a store.
package enum StoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another server has it.
  case owned
  /// There is none.
  case missing
  /// It is another kind of file.
  case foreign
  /// It was written by a later version of this program.
  case newer(Int)
  case damaged(String)
  case unusable(String)

  init(_ error: SQLiteError) {
    self = error.isDamage ? .damaged(error.description) : .unusable(error.description)
  }

  init(_ failure: StorageFailure) {
    self = if case .damaged(let what) = failure { .damaged(what) } else { .unusable(failure.failure.reason) }
  }

  package var description: String {
    switch self {
    case .owned: "another server has it; --store-wait 30 waits until that has ended"
    case .missing: "there is no such file"
    case .foreign: "it is not a store of this program"
    case .newer(let version): "a later version of this program has written it (format \(version))"
    case .damaged(let reason): "it is damaged (\(reason)); bring back a backup"
    case .unusable(let reason): "it cannot be opened: \(reason)"
    }
  }
}
