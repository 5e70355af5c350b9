import CBinderyLinux

/// What the kernel says of a file; links are followed.
package struct FileStatus: Hashable, Sendable {
  /// In bytes.
  package let size: Int
  package let isRegular: Bool
  package let isFolder: Bool
  /// Whether everybody on the machine may read it.
  package let isReadableByAll: Bool
  /// These tell a file from another that has taken its name.
  private let identity: [UInt64]
  /// When it was last written to, or anything else about it has changed, in nanoseconds.
  private let changed: Int

  /// nil where there is no such file, or it cannot be reached.
  package init?(_ path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    size = Int(status.st_size)
    let kind = Int32(bitPattern: status.st_mode) & S_IFMT
    isRegular = kind == S_IFREG
    isFolder = kind == S_IFDIR
    isReadableByAll = status.st_mode & 0o004 != 0
    identity = [UInt64(status.st_dev), UInt64(status.st_ino)]
    changed = status.st_ctim.tv_sec * 1_000_000_000 + status.st_ctim.tv_nsec
  }

  /// How many bytes a file has; nil where there is none.
  package static func size(_ path: String) -> Int? { FileStatus(path)?.size }
}
