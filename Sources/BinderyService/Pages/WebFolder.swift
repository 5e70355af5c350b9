package import BinderyAPI
import BinderySystem

/// A folder whose files are served beside the state. Each request opens the file, so changed files need no restart.
package struct WebFolder: Sendable {
  /// The path as it was given. It may lead through symbolic links, which are followed for each request.
  private let path: String
  /// The paths of files that must not be served under any name, such as a hard link in the folder.
  private let privateFiles: [String]
  /// Returns the milliseconds since 1970.
  private let now: @Sendable () -> Int64

  /// Checks a folder.
  ///
  /// - Parameters:
  ///   - path: The path of the folder.
  ///   - privateFiles: The paths of files that must not be below the folder. They need not exist.
  ///   - now: Returns the milliseconds since 1970.
  /// - Throws: ``ServiceError/invalidFile(_:)`` if there is no such folder, or a private file is in it.
  package init(
    _ path: String, withoutServing privateFiles: [String],
    now: @escaping @Sendable () -> Int64 = { Clock.wallMilliseconds }
  ) throws(ServiceError) {
    guard let folder = FileStatus(path) else {
      throw .invalidFile("\(path) does not exist: expected a folder with the files of a web page")
    }
    guard folder.isDirectory else {
      throw .invalidFile("\(path) is not a folder: expected a folder with the files of a web page")
    }
    for file in privateFiles where Self.contains(folder, file) {
      throw .invalidFile(
        "\(file) is in the folder \(path), whose files everyone may read: move it elsewhere, or serve another folder")
    }
    self.path = path
    self.privateFiles = privateFiles
    self.now = now
  }

  /// Returns whether a file is in a folder or in one of the folders below it, also through a symbolic link or as
  /// another mount of the same folder.
  private static func contains(_ folder: FileStatus, _ file: String) -> Bool {
    // The file need not exist, but its folder does if the service can use it.
    let existing = (try? File.canonicalPath(file)).map(File.directory)
    var parent = existing ?? (try? File.canonicalPath(File.directory(of: file))) ?? ""
    while !parent.isEmpty {
      if FileStatus(parent)?.identity == folder.identity { return true }
      if parent == "/" { return false }
      parent = File.directory(of: parent)
    }
    return false
  }

  /// Opens the file at a path. Blocks.
  package func open(_ names: [String]) -> OpenedPath {
    guard names.allSatisfy(Self.isServed) else { return .nothing }
    do throws(Errno) {
      let entry = try OpenFile.open(names, in: path) { identity in
        privateFiles.contains { FileStatus($0)?.identity == identity }
      }
      switch entry {
      case .file(let file):
        return .file(
          SourceFile(
            mediaType: WebFile.mediaType(ofPath: names[names.count - 1]), size: file.status.size,
            version: version(of: file.status), read: { file.read($0) }))
      case .folder: return .folder
      case .other: return .nothing
      }
    } catch {
      if error.isAbsence { return .nothing }
      if error == .accessDenied {
        return .failed(Problem(.unknownPath, "The server may not read this file: check its permissions."))
      }
      return .failed(
        Problem(.unavailable, "The file cannot be opened: \(error). Retry after the seconds in Retry-After."))
    }
  }

  /// Returns whether files and folders with a name are served: hidden ones, backups of editors (`~` at the end), and
  /// names that no path can have are not.
  private static func isServed(_ name: String) -> Bool {
    // By bytes, as the file system compares them: a dot with a combining mark is another character.
    guard let first = name.utf8.first, let last = name.utf8.last else { return false }
    return first != UInt8(ascii: ".") && last != UInt8(ascii: "~") && !name.utf8.contains { $0 == 0x2F || $0 == 0 }
  }

  /// Returns the text from which the entity tag of a file is made.
  ///
  /// Times of files have a limited resolution, so a file that was just changed can change again without a difference.
  /// Until that is impossible, each response has a tag of its own.
  private func version(of status: FileStatus) -> String {
    let isSettled = now() - status.changeMilliseconds >= Self.resolutionMilliseconds
    return isSettled ? status.version : "\(status.version) \(UInt64.random(in: .min ... .max))"
  }

  /// The coarsest resolution of the times of common file systems (FAT).
  private static var resolutionMilliseconds: Int64 { 2_000 }

  /// Whether the folder has a page of its own.
  var hasIndex: Bool { FileStatus("\(path)/index.html") != nil }

  /// Returns a warning for each file that no request can reach, because its path belongs to the service or to a file of
  /// the program.
  func hiddenFiles(by files: [WebFile]) -> [String] {
    let own = ServicePath.firstSegments.sorted().map { (name: $0, path: "/" + $0) }
    let embedded = files.compactMap { file -> (name: String, path: String)? in
      guard let target = try? RequestTarget(path: Array(file.path.utf8)[...]) else { return nil }
      let isFolder = target.isFolder || target.segments.isEmpty
      return ((target.segments + (isFolder ? ["index.html"] : [])).joined(separator: "/"), file.path)
    }
    return (own + embedded).filter { FileStatus("\(path)/\($0.name)") != nil }.map {
      "\(path)/\($0.name) is not served, because the path \($0.path) belongs to the service: rename it"
    }
  }
}

/// A ``WebFolder`` with the threads that read its files.
package struct WebFolderSource: FileSource {
  private let folder: WebFolder
  private let threads: WorkerThreads

  /// Starts the threads.
  ///
  /// - Throws: ``ServiceError/noResources(_:)``.
  package init(_ folder: WebFolder) throws(ServiceError) {
    self.folder = folder
    do throws(Errno) { threads = try WorkerThreads(count: 2) } catch { throw .noResources("\(error)") }
  }

  package func perform(_ work: @escaping @Sendable () -> Void) { threads.perform(work) }
  package func open(_ names: [String]) -> OpenedPath { folder.open(names) }
}
