import Synchronization

/// Wakes one event loop from any thread.
///
/// Only a loop that waits in the kernel needs a signal: one that is at work looks at its mail before it waits again.
/// So a wake out of the loop's own turn, as that of a writer whose commit is watched here, costs no system call.
package final class LoopHandle: Sendable {
  private enum State: UInt8, AtomicRepresentable {
    case atWork
    case asleep
    /// Somebody has woken the loop since it last looked.
    case woken
  }

  private let state = Atomic(State.atWork)
  private let signal: @Sendable () -> Void

  /// A handle that calls `signal` when it wakes a loop that waits.
  package init(signal: @escaping @Sendable () -> Void) {
    self.signal = signal
  }

  /// Makes the loop call `Responder.woken()` soon; calls that come before it does are one.
  package func wake() {
    // Released here and acquired by the loop, so that it sees what was written before the wake.
    if state.exchange(.woken, ordering: .acquiringAndReleasing) == .asleep { signal() }
  }

  /// Whether anybody has woken the loop since the last call; the loop asks before it looks at its mail.
  package func takeWake() -> Bool {
    state.exchange(.atWork, ordering: .acquiringAndReleasing) == .woken
  }

  /// The loop is about to wait; false if it must not, because somebody has woken it meanwhile.
  package func willSleep() -> Bool {
    state.compareExchange(expected: .atWork, desired: .asleep, ordering: .acquiringAndReleasing).exchanged
  }

  /// The loop has stopped to wait; a wake that has come is still to be taken.
  package func didWake() {
    _ = state.compareExchange(expected: .asleep, desired: .atWork, ordering: .acquiringAndReleasing)
  }
}
