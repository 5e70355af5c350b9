import CBinderyLinux

/// Wakes a `Poll` from any thread (eventfd(2)).
package final class Wakeup: Sendable {
  let descriptor: Descriptor

  package init() throws(Errno) {
    let flags = Int32(EFD_NONBLOCK | EFD_CLOEXEC)
    descriptor = Descriptor(owning: try Errno.check { eventfd(0, flags) })
  }

  /// Causes an event in the poll that this wakeup was added to.
  ///
  /// Each write to the eventfd causes an edge-triggered event, so its counter is never read. It does not overflow in
  /// practice: that would take 2^64 signals.
  package func signal() {
    _ = eventfd_write(descriptor.number, 1)
  }
}
