import Synchronization

/// Wakes one event loop from any thread.
package final class LoopHandle: Sendable {
  private let isPending = Atomic<Bool>(false)
  private let signal: @Sendable () -> Void

  /// A handle that calls `signal` on the first wake since the loop last looked.
  package init(signal: @escaping @Sendable () -> Void) {
    self.signal = signal
  }

  /// Makes the loop call `Responder.woken()` soon; calls that come before it does are one.
  package func wake() {
    // Released here and acquired by the loop, so that it sees what was written before the wake.
    if !isPending.exchange(true, ordering: .acquiringAndReleasing) { signal() }
  }

  /// Whether anybody has woken the loop since the last call; the loop asks before it looks at its mail.
  package func takeWake() -> Bool {
    isPending.exchange(false, ordering: .acquiringAndReleasing)
  }
}
