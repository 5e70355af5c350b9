import CLinux

/// What the kernel says of a file.
package enum FileStatus {
  /// How many bytes it has; nil where there is none.
  package static func size(_ path: String) -> Int? {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    return Int(status.st_size)
  }
}
