import CBinderyLinux

/// The device and inode numbers of a file, which distinguish it from its replacement under the same name.
package struct FileIdentity: Hashable, Sendable {
  fileprivate let device: UInt64
  fileprivate let inode: UInt64

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
  }

  /// Returns whether a text consists of the two numbers, separated by a colon.
  func isNamed(_ text: String) -> Bool { text == "\(device):\(inode)" }
}

/// The metadata of a file (stat(2)).
package struct FileStatus: Hashable, Sendable {
  /// The size in bytes.
  package let size: Int
  /// The number of names of the file (hard links).
  package let linkCount: Int
  package let identity: FileIdentity
  /// The owner.
  package let userID: UInt32
  /// The group.
  package let groupID: UInt32
  /// The type of the file and its permissions.
  private let typeAndMode: UInt32
  /// The time of the last change of content or metadata (ctime), in seconds and nanoseconds.
  private let changeTime: [Int]
  /// The time of the last change of the content (mtime), in seconds and nanoseconds.
  private let modificationTime: [Int]

  /// Reads the metadata of a file, also behind symbolic links; nil if it does not exist or is not accessible.
  package init?(_ path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Reads the metadata of a file, or of the symbolic link itself (lstat(2)).
  package init?(withoutFollowing path: String) {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Reads the metadata of an open file.
  init(_ descriptor: Int32) throws(Errno) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw .current }
    self.init(status)
  }

  /// Reads the metadata of an entry of an open folder. A symbolic link is not followed.
  init(of name: String, in folder: borrowing Descriptor) throws(Errno) {
    var status = stat()
    guard unsafe fstatat(folder.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { throw .current }
    self.init(status)
  }

  private init(_ status: stat) {
    size = Int(status.st_size)
    linkCount = Int(status.st_nlink)
    identity = FileIdentity(status)
    (userID, groupID) = (status.st_uid, status.st_gid)
    typeAndMode = status.st_mode
    changeTime = [status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
    modificationTime = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
  }

  package var isRegular: Bool { hasType(S_IFREG) }
  package var isDirectory: Bool { hasType(S_IFDIR) }
  /// Whether the file is a symbolic link; false unless links were not followed.
  package var isSymbolicLink: Bool { hasType(S_IFLNK) }
  var isSocket: Bool { hasType(S_IFSOCK) }
  /// The permissions, without the type of the file.
  package var mode: UInt32 { typeAndMode & 0o7777 }
  /// Whether every user of the machine may read the file.
  package var isReadableByOthers: Bool { mode & 0o004 != 0 }

  private func hasType(_ type: Int32) -> Bool { Int32(bitPattern: typeAndMode) & S_IFMT == type }

  /// A text that differs between all contents of all files, as far as the resolution of the file system's times allows.
  ///
  /// It contains the time of the last change of the metadata, because programs can set that of the content.
  package var version: String {
    "\(identity.device) \(identity.inode) \(size) \(modificationTime) \(changeTime)"
  }

  /// The time of the last change of content or metadata, in milliseconds since 1970.
  package var changeMilliseconds: Int64 {
    Clock.wallMilliseconds(seconds: Int64(changeTime[0]), nanoseconds: Int64(changeTime[1]))
  }

  /// The version of the content, which changes whenever the file is replaced or written to.
  package var stamp: FileStamp { FileStamp(identity: identity, size: size, modificationTime: modificationTime) }

  /// Returns the size of a file in bytes; nil if it does not exist.
  package static func size(_ path: String) -> Int? { FileStatus(path)?.size }
}

/// The version of the content of a file: two equal stamps mean that the file was neither replaced nor written to, up to
/// the resolution of the file system's clock.
package struct FileStamp: Hashable, Sendable {
  package let identity: FileIdentity
  package let size: Int
  fileprivate let modificationTime: [Int]
}
