/// The times after which a store gives up waiting for a database, in milliseconds. Tests use shorter ones.
package struct DatabaseTimeouts: Sendable {
  /// The time that an operation waits for a connection, unless its caller has set another time.
  package var connection: Int64 = 2_000
  /// The time after which a statement without an answer is given up. A commit that waits for a synchronous standby is
  /// not cancelled: its outcome is then unknown.
  package var answer: Int64 = 2_000
  /// The time that a statement waits for a lock. Shorter than ``answer``, so that the database refuses the statement
  /// and the connection stays open.
  package var lockWait: Int64 = 1_800
  /// The time after which PostgreSQL ends a transaction that does nothing, and so gives up its locks.
  static var idleTransaction: String { "1s" }
  /// The time that writes wait for a database that cannot be reached.
  package var patience: Int64 = 2_000
  /// The time without an answer after which an outage is logged, and the service is not ready.
  package var silence: Int64 = 5_000
  /// The time for which the head stays locked while event loops decide.
  package var lock: Int64 = 200
  /// The time without a commit of another server after which servers no longer compete.
  package var contention: Int64 = 100

  package init() {}
}
