import CBinderyLinux

/// The claim of one process to something, for as long as this value lives; the kernel gives it back when the process
/// ends, however it does.
package struct FileLock: ~Copyable, Sendable {
  private let descriptor: Descriptor

  /// Claims a file, which is made where there is none, and stays.
  ///
  /// - Throws: `again` where another process has it.
  package init(_ path: String) throws(Errno) { descriptor = try Self.locked(path) }

  private static func locked(_ path: String) throws(Errno) -> Descriptor {
    let file = Descriptor(owning: try Errno.check { unsafe bindery_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644) })
    let number = file.number
    _ = try Errno.check { flock(number, LOCK_EX | LOCK_NB) }
    return file
  }
}
