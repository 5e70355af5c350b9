import BinderySystem
import Synchronization

/// The time of the last answer of a database, readable from any thread.
package final class DatabaseContact: Sendable {
  private let last = Atomic(Clock.monotonicMilliseconds)
  private let connections = Atomic(0)

  private let lost = Atomic(false)

  func record() {
    last.store(Clock.monotonicMilliseconds, ordering: .relaxed)
    lost.store(false, ordering: .relaxed)
  }

  func recordLoss() { lost.store(true, ordering: .relaxed) }

  /// Whether the last attempt to reach the database failed.
  package var isLost: Bool { lost.load(ordering: .relaxed) }

  func recordConnection() { connections.add(1, ordering: .relaxed) }

  /// The time since the last answer.
  package var milliseconds: Int64 { Clock.monotonicMilliseconds - last.load(ordering: .relaxed) }

  /// The number of connections that were made after the first one.
  package var reconnections: Int { max(0, connections.load(ordering: .relaxed) - 1) }
}
