import CBinderyLinux

/// An open file of the kernel, closed with this value.
struct Descriptor: ~Copyable, Sendable {
  let number: Int32

  /// Takes over an open file.
  init(owning number: Int32) { self.number = number }

  // close(2) must not be called again after EINTR: on Linux the descriptor is gone already.
  deinit { _ = close(number) }
}
