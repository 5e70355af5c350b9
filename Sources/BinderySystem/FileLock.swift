import CBinderyLinux
import Synchronization

/// An exclusive lock on a file (flock(2)), held for the lifetime of this value.
///
/// The lock is on the file itself and not on one of its names, so that symbolic and hard links cannot evade it. The
/// kernel releases it when the process ends, even if it is killed.
///
/// Closing any descriptor of a file releases all POSIX locks (fcntl(2)) that the process holds on it, and SQLite uses
/// those. The owner of the file must therefore open it through SQLite after the lock, and close it before.
package struct FileLock: ~Copyable, Sendable {
  /// The files that this process has locked. Such a file is never opened again, because closing that second descriptor
  /// would release the POSIX locks of the first owner.
  private static let lockedFiles = Mutex<Set<FileIdentity>>([])

  /// The path without symbolic links, at the time of locking.
  package let path: String
  package let identity: FileIdentity
  private let descriptor: Descriptor

  /// Opens and locks a file. Creates it, readable and writable for its owner only, if it does not exist.
  ///
  /// - Throws: `.again` if the file is locked, by another process or by this one.
  package init(_ path: String) throws(Errno) {
    let locked = try Self.lockedFiles.withLock { lockedFiles throws(Errno) in
      if let identity = FileStatus(path)?.identity, lockedFiles.contains(identity) { throw .again }
      let file = try Self.openLocked(path)
      lockedFiles.insert(try FileStatus(file.number).identity)
      return file
    }
    self.identity = try FileStatus(locked.number).identity
    self.path = (try? File.canonicalPath(path)) ?? path
    descriptor = locked
  }

  private static func openLocked(_ path: String) throws(Errno) -> Descriptor {
    let file = try Descriptor(opening: path, O_RDWR | O_CREAT, permissions: 0o600)
    let number = file.number
    _ = try Errno.check { flock(number, LOCK_EX | LOCK_NB) }
    return file
  }

  deinit { _ = Self.lockedFiles.withLock { $0.remove(identity) } }

  /// Releases the lock.
  package consuming func release() {}

  /// Whether the locked file is still at its path.
  package var isInPlace: Bool { FileStatus(path)?.identity == identity }
}
