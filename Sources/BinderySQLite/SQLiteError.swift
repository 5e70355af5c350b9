import BinderyCore
import BinderyJournal
import CBinderySQLite

/// What SQLite says when it does not do what it was asked to.
struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The primary result code.
  let code: Int32
  let description: String

  /// What stands there is not what was written there.
  static func damaged(_ what: String) -> SQLiteError {
    SQLiteError(code: SQLITE_CORRUPT, description: "\(what) is not as it was written")
  }

  static func missing(_ revision: Int) -> SQLiteError {
    SQLiteError(code: SQLITE_CORRUPT, description: "revision \(revision) is missing")
  }

  static let busy = SQLITE_BUSY

  /// Another program holds a lock.
  var isBusy: Bool { code == SQLITE_BUSY || code == SQLITE_LOCKED }
  /// It is no database, or a damaged one.
  var isDamage: Bool { code == SQLITE_CORRUPT || code == SQLITE_NOTADB }
  /// A statement that failed in this way has changed nothing.
  var isHarmless: Bool { isBusy || code == SQLITE_FULL || code == SQLITE_READONLY }

  /// As writers are told it.
  var failure: JournalFailure {
    if code == SQLITE_FULL { return .full("There is no room left where the state is kept: \(description).") }
    if isBusy { return .unavailable("Another program has locked the store: \(description).") }
    return .unavailable("The store cannot be written: \(description).")
  }

  /// As a reader is told it: a failure to read is none of unknown outcome.
  var readFailure: StorageFailure { isDamage ? .damaged(description) : .refused(failure) }
}
