import BinderyCore
import BinderyJournal
import CBinderySQLite

/// An error that SQLite reported.
struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The primary result code.
  let code: Int32
  let description: String
  /// Whether the error may have occurred after everything was written, as at fsync.
  var isAfterWrite = false

  /// An error for a row whose content differs from what was written.
  static func damaged(_ subject: String) -> SQLiteError {
    SQLiteError(code: SQLITE_CORRUPT, description: "\(subject) failed its integrity check")
  }

  static func missing(_ revision: Int) -> SQLiteError {
    SQLiteError(code: SQLITE_CORRUPT, description: "revision \(revision) is missing")
  }

  static let busy = SQLITE_BUSY

  /// Whether another program holds a lock.
  var isBusy: Bool { code == SQLITE_BUSY || code == SQLITE_LOCKED }
  /// Whether the file is damaged, or not a database. For some damage to the header, SQLite has no code.
  var isDamage: Bool {
    code == SQLITE_CORRUPT || code == SQLITE_NOTADB
      || code == SQLITE_ERROR && description.contains("unsupported file format")
  }
  /// Whether a transaction that failed with this error has certainly changed nothing. On a full disk the
  /// frame that ends a transaction, the last one to be written, is missing in the WAL file.
  var isHarmless: Bool {
    isBusy || (code == SQLITE_FULL && !isAfterWrite) || code == SQLITE_READONLY || code == SQLITE_TOOBIG
  }

  /// The failure that is reported to waiting writers.
  var failure: JournalFailure {
    if code == SQLITE_FULL {
      return .full("The store cannot grow, because the disk is full or a limit is reached: \(description).")
    }
    if isBusy { return .unavailable("Another program has locked the store: \(description).") }
    return .unavailable("The store cannot be written: \(description).")
  }

  /// The failure that is reported to a reader. The outcome of a failed read is never unknown.
  var readFailure: StorageFailure { isDamage ? .damaged(description) : .refused(failure) }
}
