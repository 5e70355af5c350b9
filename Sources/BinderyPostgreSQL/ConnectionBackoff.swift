/// The times at which a server tries to connect to a database that it cannot reach.
struct ConnectionBackoff {
  /// The maximum time between two attempts, in milliseconds.
  private static let maximumDelay: Int64 = 500

  /// The error of the last attempt.
  let error: PostgreSQLError
  /// The time of the next attempt, in milliseconds of the monotonic clock.
  let nextAttempt: Int64
  /// The maximum time between the last attempt and the next one, in milliseconds.
  private let delay: Int64

  /// Records an attempt that failed.
  ///
  /// - Parameters:
  ///   - previous: The attempts before; nil if the server was connected before.
  ///   - now: The time, in milliseconds of the monotonic clock.
  init(_ error: PostgreSQLError, after previous: ConnectionBackoff?, at now: Int64) {
    self.error = error
    delay = previous.map { min(2 * $0.delay, Self.maximumDelay) } ?? 20
    // Randomly delayed, so that servers do not reconnect at the same moment.
    nextAttempt = now + Int64.random(in: delay / 2...delay)
  }
}
