import CBinderyLinux

/// An owned file descriptor. It is closed when this value is destroyed.
struct Descriptor: ~Copyable, Sendable {
  let number: Int32

  /// Takes ownership of an open file descriptor.
  init(owning number: Int32) { self.number = number }

  // close(2) must not be retried after EINTR: on Linux the descriptor is already closed.
  deinit { _ = close(number) }
}
