import CBinderyLinux

/// Operations on files by path.
package enum File {
  /// Creates an empty file that only its owner may read and write.
  ///
  /// - Throws: An error if a file exists at the path.
  package static func createPrivate(_ path: String) throws(Errno) {
    _ = try Descriptor(opening: path, O_WRONLY | O_CREAT | O_EXCL, permissions: 0o600)
  }

  /// Writes a file atomically: the path never names an incomplete file. Replaces a regular file at the path. Durable
  /// when this returns (fsync(2)).
  ///
  /// - Parameter permissions: The mode of the file, by default that of one which other users may read.
  /// - Throws: The error of ``create(_:_:like:permissions:)`` or ``replace(_:with:)``.
  package static func write(_ content: [UInt8], to path: String, permissions: UInt32 = 0o644) throws(Errno) {
    let partial = path + ".partial"
    remove(partial)
    try create(partial, content, permissions: permissions)
    do throws(Errno) { try replace(path, with: partial) } catch {
      remove(partial)
      throw error
    }
  }

  /// Renames a file atomically; replaces a regular file at the new path. Durable when this returns (rename(2),
  /// fsync(2)).
  ///
  /// - Throws: `.fileExists` if there is anything else at the new path, such as a device, a pipe, or a symbolic link
  ///   with or without a target: rename(2) would remove it, and root may do that in `/dev`.
  package static func replace(_ path: String, with source: String) throws(Errno) {
    if let status = FileStatus(withoutFollowing: path), !status.isRegular { throw .fileExists }
    _ = try Errno.check { unsafe bindery_rename(source, path) }
    try syncDirectory(of: path)
  }

  /// Makes renames and removals in the directory of a file durable (fsync(2)).
  package static func syncDirectory(of path: String) throws(Errno) {
    let folder = try Descriptor(opening: directory(of: path), O_RDONLY | O_DIRECTORY)
    let number = folder.number
    _ = try Errno.check { fsync(number) }
  }

  /// Reads a whole file or pipe.
  ///
  /// - Parameter limit: The number of bytes that it may have.
  /// - Throws: The error of open(2) or read(2), such as that of a missing file or of a directory; `.fileTooLarge` for a
  ///   file with more bytes.
  package static func bytes(of path: String, atMost limit: Int = .max) throws(Errno) -> [UInt8] {
    let file = try Descriptor(opening: path, O_RDONLY)
    return try readAll(from: file.number, atMost: limit)
  }

  /// Reads all bytes until the end of a file or stream (read(2)).
  ///
  /// - Parameter limit: The number of bytes that it may have.
  static func readAll(from number: Int32, atMost limit: Int = .max) throws(Errno) -> [UInt8] {
    var all: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = try Errno.check {
        unsafe chunk.withUnsafeMutableBytes { unsafe CBinderyLinux.read(number, $0.baseAddress, $0.count) }
      }
      if count == 0 { return all }
      guard count <= limit - all.count else { throw .fileTooLarge }
      all += chunk[..<count]
    }
  }

  /// Writes all bytes to a file or stream (write(2)).
  static func writeAll(_ bytes: [UInt8], to number: Int32) throws(Errno) {
    var written = 0
    while written < bytes.count {
      do throws(Errno) {
        written += try Errno.check {
          unsafe bytes.withUnsafeBytes {
            unsafe CBinderyLinux.write(number, $0.baseAddress! + written, $0.count - written)
          }
        }
      } catch .again {
        // Another process that shares the open file has made it nonblocking.
        var waited = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        _ = unsafe CBinderyLinux.poll(&waited, 1, -1)
      }
    }
  }

  /// Reads part of a file (pread(2)).
  ///
  /// - Returns: Fewer bytes than `count` at the end of the file; nil if the file cannot be read.
  package static func bytes(of path: String, at offset: Int, count: Int) -> [UInt8]? {
    guard let file = try? Descriptor(opening: path, O_RDONLY) else { return nil }
    var read = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      read = unsafe pread(file.number, buffer.baseAddress, count, offset)
      initialized = max(0, read)
    }
    return read < 0 ? nil : bytes
  }

  /// Removes a file, if it exists (unlink(2)).
  package static func remove(_ path: String) { _ = unsafe unlink(path) }

  /// Returns the absolute path of an existing file without symbolic links (realpath(3)).
  package static func canonicalPath(_ path: String) throws(Errno) -> String {
    guard let canonical = unsafe realpath(path, nil) else { throw .current }
    defer { unsafe free(canonical) }
    return unsafe String(cString: canonical)
  }

  /// Returns the path of the directory that contains a file.
  package static func directory(of path: String) -> String {
    path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
  }

  /// Returns the name of the network file system that a file or directory is on (statfs(2)); nil if it is local, or if
  /// there is no such file.
  package static func networkFileSystem(at path: String) -> String? {
    var status = statfs()
    guard unsafe statfs(path, &status) == 0 else { return nil }
    return networkFileSystems[UInt32(truncatingIfNeeded: status.f_type)]
  }

  /// Returns whether the file system of a file is read-only (access(2)).
  package static func isOnReadOnlyFileSystem(_ path: String) -> Bool {
    do throws(Errno) { try checkIsWritable(path) } catch { return error == .readOnlyFileSystem }
    return false
  }

  /// Returns the number of bytes that an unprivileged process can still write to the file system of a file or directory
  /// (statfs(2)); nil if there is no such file.
  package static func freeBytes(at path: String) -> Int? {
    var status = statfs()
    guard unsafe statfs(path, &status) == 0 else { return nil }
    let (bytes, isTooLarge) = Int(clamping: status.f_bavail).multipliedReportingOverflow(by: Int(status.f_bsize))
    return isTooLarge ? .max : bytes
  }

  /// The network file systems by the magic number of statfs(2).
  private static let networkFileSystems: [UInt32: String] = [
    0x6969: "NFS", 0x517B: "SMB", 0xFE53_4D42: "SMB", 0xFF53_4D42: "CIFS",
  ]
}
