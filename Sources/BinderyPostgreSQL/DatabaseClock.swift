import BinderySystem
import Synchronization

/// The clock of a database, readable from any thread.
///
/// Between two readings it continues with the monotonic clock of this machine, so that servers with different clocks
/// agree on the time, and no caller waits for the network.
package final class DatabaseClock: Sendable {
  /// The difference between the clock of the database and the monotonic clock, in milliseconds.
  private let offset = Atomic(Clock.wallMilliseconds - Clock.monotonicMilliseconds)

  /// Sets the clock to a reading of the database, in milliseconds since 1970. Its age is at most the time of a round
  /// trip.
  func set(_ time: Int64) { offset.store(time - Clock.monotonicMilliseconds, ordering: .relaxed) }

  /// The time in milliseconds since 1970. The clock of this machine before the first reading.
  package var milliseconds: Int64 { offset.load(ordering: .relaxed) + Clock.monotonicMilliseconds }
}
