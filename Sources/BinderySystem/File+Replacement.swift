import CBinderyLinux

/// Reading and replacing files that other programs may replace or write to at the same time.
extension File {
  /// Reads a regular file completely.
  ///
  /// - Returns: The content, and the status before and after it was read, which differ if the file was written to
  ///   meanwhile.
  /// - Throws: An error of open(2) or read(2); `.symbolicLinkLoop` for a symbolic link, `.invalidArgument` for a file
  ///   that is not a regular one.
  package static func read(_ path: String) throws(Errno) -> (content: [UInt8], before: FileStatus, after: FileStatus) {
    // Nonblocking, because opening a pipe waits for its other end.
    let file = try Descriptor(opening: path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    let before = try FileStatus(file.number)
    guard before.isRegular else { throw .invalidArgument }
    return (try readAll(from: file.number), before, try FileStatus(file.number))
  }

  /// Creates a file with a content, durably.
  ///
  /// - Parameters:
  ///   - other: A file whose permissions and owner the new one gets; nil for the permissions that follow.
  ///   - permissions: The mode of the file, by default that of one which only its owner may read.
  /// - Returns: The stamp of the file.
  /// - Throws: An error of open(2), write(2), fchown(2) or fsync(2), `.fileExists` if there is a file at the path.
  @discardableResult
  package static func create(
    _ path: String, _ content: [UInt8], like other: FileStatus? = nil, permissions: UInt32 = 0o600
  ) throws(Errno) -> FileStamp {
    let file = try Descriptor(
      opening: path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, permissions: other == nil ? permissions : 0o600)
    let number = file.number
    do throws(Errno) {
      if let other { try copyOwner(of: other, to: number) }
      try writeAll(content, to: number)
      _ = try Errno.check { fsync(number) }
      return try FileStatus(number).stamp
    } catch {
      remove(path)
      throw error
    }
  }

  private static func copyOwner(of other: FileStatus, to file: Int32) throws(Errno) {
    let own = try FileStatus(file)
    if own.userID != other.userID || own.groupID != other.groupID {
      _ = try Errno.check { fchown(file, other.userID, other.groupID) }
    }
    // After fchown, which clears bits.
    _ = try Errno.check { fchmod(file, other.mode) }
  }

  /// Gives a file the owner and the group of another one (fchown(2)), which only root may do.
  package static func copyOwner(of other: FileStatus, to path: String) throws(Errno) {
    let file = try Descriptor(opening: path, O_RDONLY | O_NOFOLLOW)
    _ = try Errno.check { fchown(file.number, other.userID, other.groupID) }
  }

  /// Renames a file; replaces the file at the new path (rename(2)).
  package static func rename(_ path: String, to other: String) throws(Errno) {
    _ = try Errno.check { unsafe bindery_rename(path, other) }
  }

  /// Renames a file, unless there is one at the new path (renameat2(2)).
  ///
  /// - Throws: `.fileExists`, or `.invalidArgument` or `.notImplemented` if the file system cannot do this.
  package static func renameWithoutReplacing(_ path: String, to other: String) throws(Errno) {
    _ = try Errno.check { unsafe bindery_rename_noreplace(path, other) }
  }

  /// Exchanges two files atomically (renameat2(2)).
  ///
  /// - Throws: `.noSuchFile`, or `.invalidArgument` or `.notImplemented` if the file system cannot do this.
  package static func exchange(_ path: String, with other: String) throws(Errno) {
    _ = try Errno.check { unsafe bindery_rename_exchange(path, other) }
  }

  /// Returns whether a file is a mount point, such as a single file that a container mounts. It cannot be renamed.
  package static func isMountPoint(_ path: String) -> Bool { unsafe bindery_is_mount(path) == 1 }

  /// Checks that this process may read a file (access(2)).
  package static func checkIsReadable(_ path: String) throws(Errno) {
    _ = try Errno.check { unsafe access(path, R_OK) }
  }

  /// Checks that this process may write to a file, or create files in a directory (access(2)).
  package static func checkIsWritable(_ path: String) throws(Errno) {
    _ = try Errno.check { unsafe access(path, FileStatus(path)?.isDirectory == true ? W_OK | X_OK : W_OK) }
  }
}
