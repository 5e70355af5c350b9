import BinderyCore
import BinderyJournal

/// A reason why a statement failed.
struct PostgreSQLError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The code of the server (https://www.postgresql.org/docs/current/errcodes-appendix.html); nil if the connection
  /// failed.
  let state: String?
  /// The message of the server or of libpq, without the name of the severity.
  let description: String

  /// Whether the statement was not sent, because there was no connection.
  private(set) var isConnecting = false

  /// The error of a connection that failed.
  static func connection(_ reason: String) -> PostgreSQLError { PostgreSQLError(state: nil, description: reason) }

  /// The state of an error that this program has found, and not the server.
  private static let unusableState = ""

  /// The error of a database that must be set up in another way.
  static func unusable(_ reason: String) -> PostgreSQLError {
    PostgreSQLError(state: unusableState, description: reason)
  }

  /// The same error, of an attempt to connect.
  var whileConnecting: PostgreSQLError {
    var error = self
    error.isConnecting = true
    return error
  }

  /// Whether it is worth connecting again: the server is starting, stopping, or cannot be reached.
  var isTemporary: Bool { mayBeCommitted || isReadOnly || state == "53300" }

  /// Whether a statement that failed with this error may have been committed.
  ///
  /// It may if the connection broke, if the server was shut down (57P01), or if the server says so (40003, 08xxx).
  var mayBeCommitted: Bool {
    guard let state else { return true }
    return state.hasPrefix("08") || state.hasPrefix("57P") || state == "40003"
  }

  /// Whether the server only accepts reads: it is a standby, or has become one.
  var isReadOnly: Bool { state == "25006" }

  /// Whether another transaction kept a lock for too long.
  var isLockTimeout: Bool { state == "55P03" }

  /// Whether the role lacks a right.
  var isForbidden: Bool { state == "42501" }

  /// Whether another transaction was in the way, or the transaction took too long, so that it can be repeated.
  var isConflict: Bool { state == "40001" || state == "40P01" || state == "25P03" }

  /// The reason for writers and logs.
  var failure: JournalFailure {
    switch state {
    case "53100", "53200": .full("The database is full: \(description).")
    case Self.unusableState: .unavailable("The database cannot be used: \(description).")
    case nil where isConnecting: .unavailable("Cannot connect to the database: \(description).")
    case nil: .unavailable("The connection to the database was lost: \(description).")
    case let state? where state.hasPrefix("57P"): .unavailable("The database ended the connection: \(description).")
    default: .unavailable("The database refused a statement: \(description).")
    }
  }
}
