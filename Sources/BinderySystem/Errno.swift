import CBinderyLinux

/// An error number of a system call (errno(3)).
package struct Errno: Error, Hashable, Sendable, RawRepresentable, CustomStringConvertible {
  package let rawValue: Int32

  package init(rawValue: Int32) { self.rawValue = rawValue }

  package static let again = Errno(rawValue: EAGAIN)
  package static let inProgress = Errno(rawValue: EINPROGRESS)
  package static let interrupted = Errno(rawValue: EINTR)
  package static let addressInUse = Errno(rawValue: EADDRINUSE)
  package static let invalidArgument = Errno(rawValue: EINVAL)
  package static let connectionRefused = Errno(rawValue: ECONNREFUSED)
  package static let connectionReset = Errno(rawValue: ECONNRESET)
  package static let brokenPipe = Errno(rawValue: EPIPE)
  package static let unsupportedAddressFamily = Errno(rawValue: EAFNOSUPPORT)
  package static let noSuchFile = Errno(rawValue: ENOENT)
  package static let fileTooLarge = Errno(rawValue: EFBIG)
  package static let fileExists = Errno(rawValue: EEXIST)
  package static let notImplemented = Errno(rawValue: ENOSYS)
  package static let symbolicLinkLoop = Errno(rawValue: ELOOP)
  package static let badDescriptor = Errno(rawValue: EBADF)
  package static let accessDenied = Errno(rawValue: EACCES)
  package static let readOnlyFileSystem = Errno(rawValue: EROFS)
  package static let tooManyOpenFiles = Errno(rawValue: EMFILE)

  /// Whether file descriptors or kernel memory are exhausted (accept(2)). Temporary: closing connections
  /// frees them.
  package var isExhaustion: Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(rawValue) }

  /// Whether there is nothing at a path that can be opened: no file, a symbolic link where none is followed,
  /// a socket, or a device without a driver (open(2)).
  package var isAbsence: Bool { [ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG, ENXIO, ENODEV].contains(rawValue) }

  /// The message of strerror(3).
  package var description: String {
    unsafe String(cString: strerror(rawValue))
  }

  /// The error of the last failed call on this thread.
  static var current: Errno { Errno(rawValue: unsafe __errno_location().pointee) }

  /// Performs a system call that returns -1 on failure, and retries it if a signal interrupted it (EINTR).
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
