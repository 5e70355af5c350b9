import CBinderyLinux

/// The file of a listening Unix socket.
struct SocketFile: Sendable {
  private let path: String
  /// The device and inode numbers, which distinguish the file from its replacement under the same name.
  private let identity: [UInt64]

  /// Creates the file of a socket, in place of that of a server that was killed.
  ///
  /// Servers that start in the same directory at the same time take turns. Otherwise one could take the socket of
  /// another, which is bound but does not listen yet, for that of a killed server.
  ///
  /// - Parameters:
  ///   - bind: Binds the socket to the path.
  ///   - listening: Makes the bound socket listen.
  /// - Throws: `.addressInUse` if a program listens on the path, or if the file is not a socket.
  static func create(
    _ path: String, bind: () throws(Errno) -> Void, listening: () throws(Errno) -> Void
  ) throws(Errno) -> SocketFile {
    // Without permission to read the directory there is no lock, and only simultaneous starts are not excluded.
    let lock = try? lockDirectory(of: path)
    do throws(Errno) {
      try bind()
    } catch .addressInUse {
      guard isAbandoned(path) else { throw .addressInUse }
      _ = try Errno.check { unsafe unlink(path) }
      try bind()
    }
    try listening()
    guard let status = status(path) else { throw .current }
    _ = consume lock
    return SocketFile(path: path, identity: identity(status))
  }

  /// Removes the file, unless another server has replaced it.
  func remove() {
    guard let status = Self.status(path), Self.identity(status) == identity else { return }
    _ = unsafe unlink(path)
  }

  /// Returns whether a file is a socket that no program listens on: connecting to it is refused.
  private static func isAbandoned(_ path: String) -> Bool {
    // Connecting to a file that is not a socket is refused too.
    guard let status = status(path), Int32(bitPattern: status.st_mode) & S_IFMT == S_IFSOCK else { return false }
    // Nonblocking, because connecting to a busy server waits for room in its backlog.
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    guard let number = try? Errno.check({ socket(AF_UNIX, type, 0) }) else { return false }
    let descriptor = Descriptor(owning: number)
    let error = unsafe SocketAddress.unix(path: path).withSocketAddress { pointer, length in
      unsafe connect(descriptor.number, pointer, length) == 0 ? nil : Errno.current
    }
    return error == .connectionRefused
  }

  private static func status(_ path: String) -> stat? {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? status : nil
  }

  private static func identity(_ status: stat) -> [UInt64] { [UInt64(status.st_dev), UInt64(status.st_ino)] }

  /// Waits for an exclusive lock on the directory of a file, among programs that use such locks (flock(2)).
  ///
  /// - Returns: The descriptor that holds the lock.
  private static func lockDirectory(of path: String) throws(Errno) -> Descriptor {
    let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
    let descriptor = Descriptor(owning: try Errno.check { unsafe bindery_open(directory, flags, 0) })
    let number = descriptor.number
    _ = try Errno.check { flock(number, LOCK_EX) }
    return descriptor
  }
}
