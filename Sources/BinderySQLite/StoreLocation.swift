import BinderySystem

/// The checks of the place where a store is, or will be.
enum StoreLocation {
  /// Checks that SQLite can keep a store safely at a path.
  ///
  /// SQLite finds the WAL file by the name of the database. Under a second name (a hard link) a program would miss the
  /// newest commits, and two programs would overwrite each other's. The locks and the shared memory of SQLite do not
  /// work on network file systems.
  static func check(_ path: String) throws(StoreError) {
    guard path != ":memory:", !path.hasPrefix("file:") else { throw .notAFile }
    if let status = FileStatus(path) {
      guard status.isRegular else { throw .notAFile }
      guard status.linkCount == 1 else { throw .hardLinks(status.linkCount) }
    }
    if let name = File.networkFileSystem(at: FileStatus(path) == nil ? File.directory(of: path) : path) {
      throw .networkFileSystem(name)
    }
  }

  /// Checks that SQLite can write the files that it has left beside a store.
  static func checkFilesBeside(_ path: String) throws(StoreError) {
    for file in [path + "-wal", path + "-shm"] {
      do throws(Errno) { try File.checkIsWritable(file) } catch {
        if error != .noSuchFile { throw .readOnlyFile(file, "\(error)") }
      }
    }
  }

  /// Checks that SQLite can create its files next to a store.
  static func checkDirectory(of path: String) throws(StoreError) {
    let directory = File.directory(of: (try? File.canonicalPath(path)) ?? path)
    do throws(Errno) { try File.checkIsWritable(directory) } catch .noSuchFile {
      throw .missingDirectory(directory)
    } catch { throw .readOnlyDirectory(directory, "\(error)") }
  }
}
