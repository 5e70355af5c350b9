import CBinderyLinux

/// An owned file descriptor. It is closed when this value is destroyed.
struct Descriptor: ~Copyable, Sendable {
  let number: Int32

  /// Takes ownership of an open file descriptor.
  init(owning number: Int32) { self.number = number }

  /// Opens a file, which programs that this process starts do not inherit (open(2)).
  init(opening path: String, _ flags: Int32, permissions: UInt32 = 0) throws(Errno) {
    self.init(owning: try Errno.check { unsafe bindery_open(path, flags | O_CLOEXEC, permissions) })
  }

  // close(2) must not be retried after EINTR: on Linux the descriptor is already closed.
  deinit { _ = close(number) }
}
