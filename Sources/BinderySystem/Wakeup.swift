import CBinderyLinux

/// Wakes a poll from any thread (eventfd(2)).
package final class Wakeup: Sendable {
  let descriptor: Descriptor

  package init() throws(Errno) {
    let flags = Int32(EFD_NONBLOCK | EFD_CLOEXEC)
    descriptor = Descriptor(owning: try Errno.check { eventfd(0, flags) })
  }

  /// Makes the poll that watches this tell an event. Each signal is an edge of its own, so nobody needs to read the
  /// counter, and it overflows never: that would take 2^64 signals.
  package func signal() {
    _ = eventfd_write(descriptor.number, 1)
  }
}
