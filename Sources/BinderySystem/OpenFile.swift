import CBinderyLinux

/// A regular file that is open for reading.
package final class OpenFile: Sendable {
  private let descriptor: Descriptor
  /// The metadata when the file was opened.
  package let status: FileStatus

  private init(_ descriptor: consuming Descriptor, _ status: FileStatus) {
    self.descriptor = descriptor
    self.status = status
  }

  /// The result of opening a path.
  package enum Entry: Sendable {
    case file(OpenFile)
    case folder
    /// A symbolic link, a pipe, a device, a socket, or an excluded file.
    case other
  }

  /// Opens a file below a folder, name by name. No symbolic link below the folder is followed, and nothing but regular
  /// files is opened.
  ///
  /// - Parameters:
  ///   - names: The names of the folders and of the file. None is empty, `.` or `..`, or contains a slash or NUL.
  ///   - folder: The path of the folder, whose own symbolic links are followed.
  ///   - isExcluded: Returns whether a file must not be opened. (Closing a second descriptor of a database file would
  ///     release the locks of SQLite.)
  /// - Throws: ``Errno``; see ``Errno/isAbsence``.
  package static func open(
    _ names: [String], in folder: String, except isExcluded: (FileIdentity) -> Bool
  ) throws(Errno) -> Entry {
    precondition(!names.isEmpty && names.allSatisfy { !["", ".", ".."].contains($0) && !$0.utf8.contains(0x2F) })
    var parent = try Descriptor(opening: folder, O_RDONLY | O_DIRECTORY)
    for name in names.dropLast() { parent = try open(name, in: parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    let name = names[names.count - 1]
    let expected = try FileStatus(of: name, in: parent)
    if expected.isDirectory { return .folder }
    guard expected.isRegular, !isExcluded(expected.identity) else { return .other }
    // O_NONBLOCK: a pipe that has taken the place of the file must not block the thread.
    let file = try open(name, in: parent, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    let status = try FileStatus(file.number)
    guard status.isRegular, !isExcluded(status.identity) else { return .other }
    return .file(OpenFile(file, status))
  }

  private static func open(_ name: String, in folder: borrowing Descriptor, _ flags: Int32) throws(Errno) -> Descriptor
  {
    let number = folder.number
    return Descriptor(owning: try Errno.check { unsafe bindery_openat(number, name, flags | O_NOFOLLOW) })
  }

  /// Reads a range of the file (pread(2)).
  ///
  /// - Returns: The bytes; nil if the file has changed since it was opened, or cannot be read.
  package func read(_ range: Range<Int>) -> [UInt8]? {
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: range.count) { buffer, initialized in
      while initialized < range.count {
        let (start, count) = (range.lowerBound + initialized, range.count - initialized)
        let read = try? Errno.check {
          unsafe pread(descriptor.number, buffer.baseAddress! + initialized, count, start)
        }
        guard let read, read > 0 else { return }
        initialized += read
      }
    }
    // Checked after reading, so that a change before the last byte was read is noticed.
    guard bytes.count == range.count, (try? FileStatus(descriptor.number))?.stamp == status.stamp else { return nil }
    return bytes
  }
}
