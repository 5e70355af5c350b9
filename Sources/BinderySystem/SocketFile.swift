import CBinderyLinux

/// The file of a listening Unix socket.
struct SocketFile: Sendable {
  private let path: String
  private let identity: FileIdentity

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
    guard let status = FileStatus(withoutFollowing: path) else { throw .current }
    _ = consume lock
    return SocketFile(path: path, identity: status.identity)
  }

  /// Removes the file, unless another server has replaced it.
  func remove() {
    guard FileStatus(withoutFollowing: path)?.identity == identity else { return }
    File.remove(path)
  }

  /// Returns whether a file is a socket that no program listens on: connecting to it is refused.
  private static func isAbandoned(_ path: String) -> Bool {
    // Connecting to a file that is not a socket is refused too.
    guard FileStatus(withoutFollowing: path)?.isSocket == true else { return false }
    // Nonblocking, because connecting to a busy server waits for room in its backlog.
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    guard let number = try? Errno.check({ socket(AF_UNIX, type, 0) }) else { return false }
    let descriptor = Descriptor(owning: number)
    do throws(Errno) {
      try unsafe SocketAddress.unix(path: path).pass { unsafe connect(descriptor.number, $0, $1) }
    } catch { return error == .connectionRefused }
    return false
  }

  /// Waits for an exclusive lock on the directory of a file, among programs that use such locks (flock(2)).
  ///
  /// - Returns: The descriptor that holds the lock.
  private static func lockDirectory(of path: String) throws(Errno) -> Descriptor {
    let folder = try Descriptor(opening: File.directory(of: path), O_RDONLY | O_DIRECTORY)
    let number = folder.number
    _ = try Errno.check { flock(number, LOCK_EX) }
    return folder
  }
}
