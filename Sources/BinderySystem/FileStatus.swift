import CBinderyLinux

/// The metadata of a file (stat(2)). Symbolic links are followed.
package struct FileStatus: Hashable, Sendable {
  /// The size in bytes.
  package let size: Int
  package let isRegular: Bool
  package let isDirectory: Bool
  /// Whether every user of the machine may read the file.
  package let isReadableByOthers: Bool
  /// The device and inode numbers, which distinguish a file from its replacement under the same name.
  private let identity: [UInt64]
  /// The time of the last change of content or metadata (ctime), in seconds and nanoseconds.
  private let changeTime: [Int]

  /// Reads the metadata of a file; nil if it does not exist or is not accessible.
  package init?(_ path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    size = Int(status.st_size)
    let fileType = Int32(bitPattern: status.st_mode) & S_IFMT
    isRegular = fileType == S_IFREG
    isDirectory = fileType == S_IFDIR
    isReadableByOthers = status.st_mode & 0o004 != 0
    identity = [UInt64(status.st_dev), UInt64(status.st_ino)]
    changeTime = [status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
  }

  /// Returns the size of a file in bytes; nil if it does not exist.
  package static func size(_ path: String) -> Int? { FileStatus(path)?.size }
}
