import CBinderyLinux

/// An error number of the kernel.
package struct Errno: Error, Hashable, Sendable, RawRepresentable, CustomStringConvertible {
  package let rawValue: Int32

  package init(rawValue: Int32) { self.rawValue = rawValue }

  package static let again = Errno(rawValue: EAGAIN)
  package static let interrupted = Errno(rawValue: EINTR)
  package static let addressInUse = Errno(rawValue: EADDRINUSE)
  package static let invalidArgument = Errno(rawValue: EINVAL)
  package static let connectionAborted = Errno(rawValue: ECONNABORTED)
  package static let connectionReset = Errno(rawValue: ECONNRESET)
  package static let brokenPipe = Errno(rawValue: EPIPE)
  package static let noSuchFamily = Errno(rawValue: EAFNOSUPPORT)
  package static let badDescriptor = Errno(rawValue: EBADF)

  /// Whether descriptors or kernel memory have run out, which passes when connections end (accept(2)).
  package var isExhaustion: Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(rawValue) }

  /// The kernel's own words.
  package var description: String {
    unsafe String(cString: strerror(rawValue))
  }

  /// What the last call of this thread has left.
  static var current: Errno { Errno(rawValue: unsafe __errno_location().pointee) }

  /// The result of a call that returns -1 on failure, called again when a signal has interrupted it.
  @inline(__always)
  static func check<Result: SignedInteger>(_ call: () -> Result) throws(Errno) -> Result {
    while true {
      let result = call()
      if result != -1 { return result }
      let error = current
      if error != .interrupted { throw error }
    }
  }
}
