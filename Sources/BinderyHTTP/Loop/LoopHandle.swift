import Synchronization

/// Wakes one event loop from any thread.
///
/// Only a loop that waits in the kernel needs a signal: a running loop checks for wake requests before it waits again.
/// A wake request from the loop's own thread, such as one from a commit that a subscriber of this loop watches,
/// therefore costs no system call.
package final class LoopHandle: Sendable {
  private enum State: UInt8, AtomicRepresentable {
    case running
    case waiting
    /// `wake` was called since the last call of `takeWake`.
    case wakeRequested
  }

  private let state = Atomic(State.running)
  private let signal: @Sendable () -> Void

  /// Creates a handle that calls `signal` to wake a waiting loop.
  package init(signal: @escaping @Sendable () -> Void) {
    self.signal = signal
  }

  /// Makes the loop call `Responder.didReceiveWake()` soon. Several calls before that are coalesced into one.
  package func wake() {
    // Released here and acquired by the loop, so that the loop sees everything written before the wake request.
    if state.exchange(.wakeRequested, ordering: .acquiringAndReleasing) == .waiting { signal() }
  }

  /// Clears the wake request and returns whether there was one.
  package func takeWake() -> Bool {
    state.exchange(.running, ordering: .acquiringAndReleasing) == .wakeRequested
  }

  /// Announces that the loop is about to wait; returns false if it must not, because a wake request is pending.
  package func willSleep() -> Bool {
    state.compareExchange(expected: .running, desired: .waiting, ordering: .acquiringAndReleasing).exchanged
  }

  /// Announces that the loop has stopped waiting. A wake request stays pending until `takeWake`.
  package func didWake() {
    _ = state.compareExchange(expected: .waiting, desired: .running, ordering: .acquiringAndReleasing)
  }
}
