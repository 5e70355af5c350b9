import CBinderyLinux

/// An exclusive lock on a file, held for the lifetime of this value (flock(2)).
///
/// The kernel releases the lock when the process ends, even if it is killed.
package struct FileLock: ~Copyable, Sendable {
  private let descriptor: Descriptor

  /// Locks a file. Creates it if it does not exist, and never deletes it.
  ///
  /// - Throws: `.again` if another process holds the lock.
  package init(_ path: String) throws(Errno) { descriptor = try Self.locked(path) }

  /// Releases the lock.
  package consuming func release() {}

  private static func locked(_ path: String) throws(Errno) -> Descriptor {
    let file = Descriptor(owning: try Errno.check { unsafe bindery_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644) })
    let number = file.number
    _ = try Errno.check { flock(number, LOCK_EX | LOCK_NB) }
    return file
  }
}
