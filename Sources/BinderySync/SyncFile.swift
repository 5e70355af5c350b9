import BinderyJSON
package import BinderySystem

/// The data file, which other programs may replace or write to at any time.
package struct SyncFile: Sendable {
  /// The maximum size in bytes.
  static let maximumBytes = 1 << 30

  let path: String
  let name: String
  /// A new version that is not complete yet.
  private let incompletePath: String
  /// A complete new version before it takes the place of the file, and what the file was before afterwards.
  private let exchangePath: String

  /// Creates the description of a file.
  package init(_ path: String) {
    self.path = path
    name = path.split(separator: "/").last.map(String.init) ?? path
    let hidden = File.directory(of: path) + "/." + name
    (incompletePath, exchangePath) = (hidden + ".sync-new", hidden + ".sync")
  }

  var directory: String { File.directory(of: path) }
  var status: FileStatus? { FileStatus(withoutFollowing: path) }

  /// Checks that the file can be replaced.
  ///
  /// - Throws: ``SyncRefusal``.
  package func checkIsReplaceable() throws(SyncRefusal) {
    guard let status else { throw SyncRefusal("\(path) does not exist or cannot be accessed") }
    if status.isSymbolicLink {
      let target = (try? File.canonicalPath(path)).map { ": pass its target, \($0)" } ?? ", whose target does not exist"
      throw SyncRefusal("\(path) is a symbolic link, which --sync would replace by a file\(target)")
    }
    guard status.isRegular else { throw SyncRefusal("\(path) is not a regular file") }
    if File.isMountPoint(path) {
      throw SyncRefusal("\(path) is a mount point, so it cannot be replaced: mount the directory that contains it")
    }
    if status.linkCount > 1 {
      throw SyncRefusal("\(path) has other names (hard links), which would keep the old content: remove them")
    }
    guard status.mode & 0o222 != 0, (try? File.checkIsWritable(path)) != nil else {
      throw SyncRefusal("\(path) is read-only: make it writable, or leave out --sync")
    }
    File.remove(incompletePath)
    do throws(Errno) { try File.create(incompletePath, [], like: status) } catch {
      throw SyncRefusal(
        "cannot create a file with the owner and permissions of \(path) in \(directory): \(error); run the server as "
          + "the owner of the file, with write access to the directory")
    }
    File.remove(incompletePath)
  }

  /// Waits while another program may be writing to the file, at most for a second: its time or size changes, it is not
  /// there, or it is not complete.
  ///
  /// - Parameter pause: Waits for some milliseconds.
  package func waitUntilQuiet(pausing pause: (Int) -> Void = { Thread.sleep(milliseconds: $0) }) {
    var last = status?.stamp
    for _ in 0..<1_000 / SyncSchedule.quietTime {
      pause(Int(SyncSchedule.quietTime))
      let stamp = status?.stamp
      if stamp == last, let found = try? read(), (try? JSONDocument(parsing: found.text)) != nil { return }
      last = stamp
    }
  }

  /// Reads the file.
  ///
  /// - Returns: The content and its stamp; nil if the file was written to meanwhile.
  func read() throws(FileProblem) -> (text: [UInt8], stamp: FileStamp)? {
    if let size = status?.size, size > Self.maximumBytes {
      throw FileProblem("it has \(size) bytes, more than \(Self.maximumBytes)")
    }
    do throws(Errno) {
      let (text, before, after) = try File.read(path)
      return before.stamp == after.stamp ? (text, after.stamp) : nil
    } catch .noSuchFile { return nil } catch .symbolicLinkLoop {
      throw FileProblem("it is a symbolic link")
    } catch .invalidArgument { throw FileProblem("it is not a regular file") } catch {
      throw FileProblem("it cannot be read: \(error)")
    }
  }

  /// Replaces the file atomically and durably, with the same owner and permissions.
  ///
  /// - Parameters:
  ///   - known: The stamp of the version to replace; nil if there should be no file.
  ///   - last: The last status of the file, for the owner and permissions of a file that was removed.
  /// - Returns: The stamp of the new version; nil if the file was not the known version. It is then unchanged.
  func replace(with text: [UInt8], known: FileStamp?, last: FileStatus?) throws(Errno) -> FileStamp? {
    let current = status
    guard current?.stamp == known else { return nil }
    File.remove(incompletePath)
    let new = try File.create(incompletePath, text, like: current ?? last)
    try File.rename(incompletePath, to: exchangePath)
    do throws(Errno) {
      guard let known else {
        try File.renameWithoutReplacing(exchangePath, to: path)
        try File.syncDirectory(of: path)
        return new
      }
      try File.exchange(exchangePath, with: path)
      return try finishExchange(of: known, by: new)
    } catch .invalidArgument, .notImplemented {
      // The file system cannot exchange files. A change right now would be lost.
      guard status?.stamp == known else {
        File.remove(exchangePath)
        return nil
      }
      try File.replace(path, with: exchangePath)
      return new
    } catch {
      File.remove(exchangePath)
      // Removed, or created, at this moment.
      guard error == .noSuchFile || error == .fileExists else { throw error }
      return nil
    }
  }

  /// Removes what the file was before the exchange, or undoes the exchange if that was not the known version.
  package func finishExchange(of known: FileStamp, by new: FileStamp) throws(Errno) -> FileStamp? {
    guard FileStatus(withoutFollowing: exchangePath)?.stamp == known else {
      try File.exchange(exchangePath, with: path)
      if FileStatus(withoutFollowing: exchangePath)?.stamp == new { File.remove(exchangePath) }
      return nil
    }
    File.remove(exchangePath)
    try File.syncDirectory(of: path)
    return new
  }

  /// Returns the text that an interrupted exchange has left behind; nil if there is none.
  func leftover() -> [UInt8]? {
    File.remove(incompletePath)
    return try? File.read(exchangePath).content
  }

  /// Removes what an interrupted exchange has left behind.
  func removeLeftover() { File.remove(exchangePath) }

  /// Keeps a text whose changes are not applied, beside the file: `db.json.conflict`, or `db.json.conflict-2` and so on
  /// if there are earlier ones.
  ///
  /// - Returns: The path of the new file.
  func keep(_ text: [UInt8], like last: FileStatus?) throws(Errno) -> String {
    var number = 1
    while true {
      let conflict = path + ".conflict" + (number == 1 ? "" : "-\(number)")
      do throws(Errno) {
        try File.create(conflict, text, like: status ?? last)
        try File.syncDirectory(of: conflict)
        return conflict
      } catch .fileExists { number += 1 }
    }
  }
}

/// The reason why a file cannot be synchronized with a store.
package struct SyncRefusal: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}

/// The reason why the content of the file cannot be used.
struct FileProblem: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}
