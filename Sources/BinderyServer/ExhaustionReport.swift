package import BinderySystem
import Synchronization

/// Reports that no connection can be accepted: at most once a minute, although each event loop tries again several
/// times a second.
package final class ExhaustionReport: Sendable {
  private static let intervalMilliseconds: Int64 = 60_000
  private let nextTime = Atomic(Int64.min)
  private let onExhaustion: @Sendable (Errno) -> Void

  package init(_ onExhaustion: @escaping @Sendable (Errno) -> Void) { self.onExhaustion = onExhaustion }

  /// Reports an error of accept(2), unless one was reported in the last minute.
  package func report(_ error: Errno, now: Int64) {
    let next = nextTime.load(ordering: .relaxed)
    guard now >= next,
      nextTime.compareExchange(expected: next, desired: now + Self.intervalMilliseconds, ordering: .relaxed).exchanged
    else { return }
    onExhaustion(error)
  }
}
