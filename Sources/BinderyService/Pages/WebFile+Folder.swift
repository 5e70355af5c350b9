import BinderyAPI
import BinderySystem
import FoundationEssentials

extension WebFile {
  /// The largest number of files in a folder, each of which has metrics of its own.
  static let maximumFiles = 1_000
  /// The largest size of all files in a folder, which are kept in memory.
  static let maximumBytes = 64 << 20

  /// Reads the files in a folder and the folders below it.
  ///
  /// The path of a file is its path in the folder; `index.html` also has the path of its folder: `/`, `/help/`. The
  /// extension determines the media type. Files and folders whose name begins with a dot, and backups of editors (`~`
  /// at the end), are left out. A symbolic link must lead to a file in the folder. The files are read once.
  ///
  ///     static func configure(_ service: inout ServiceConfiguration<State>, _ launch: Launch) throws {
  ///       service.files = try WebFile.folder("Pages")
  ///     }
  ///
  /// - Parameters:
  ///   - path: The folder. A relative path begins at the working directory.
  ///   - contentSecurityPolicy: What the pages may load.
  /// - Throws: ``ServiceError/invalidFile(_:)`` if the folder does not exist, a file cannot be read, a symbolic link
  ///   leads out of the folder, or there are more than 1,000 files or 64 MiB.
  public static func folder(
    _ path: String, contentSecurityPolicy: String = WebFile.defaultContentSecurityPolicy
  ) throws(ServiceError) -> [WebFile] {
    guard let status = FileStatus(path), let root = File.canonicalPath(path) else {
      throw .invalidFile("\(path) does not exist: expected a folder with the files of a web page")
    }
    guard status.isDirectory else {
      throw .invalidFile("\(path) is not a folder: expected a folder with the files of a web page")
    }
    var reader = FolderReader(root: root, contentSecurityPolicy: contentSecurityPolicy)
    try reader.read(root, [])
    return reader.files
  }
}

/// Reads the files of a folder.
private struct FolderReader {
  /// The folder, without symbolic links.
  let root: String
  let contentSecurityPolicy: String
  var files: [WebFile] = []
  private var count = 0
  private var bytes = 0

  init(root: String, contentSecurityPolicy: String) {
    self.root = root
    self.contentSecurityPolicy = contentSecurityPolicy
  }

  /// Reads a folder.
  ///
  /// - Parameters:
  ///   - path: The folder, without symbolic links.
  ///   - segments: The names of the folders from the root to this one.
  mutating func read(_ path: String, _ segments: [String]) throws(ServiceError) {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
      throw .invalidFile("cannot read the folder \(path): check its permissions")
    }
    for name in names.sorted() where !name.hasPrefix(".") && !name.hasSuffix("~") {
      let file = path == "/" ? path + name : "\(path)/\(name)"
      guard let status = FileStatus(file), let target = File.canonicalPath(file) else {
        throw .invalidFile("cannot read \(file): expected a file or a folder")
      }
      let isLink = target != file
      if isLink, !target.hasPrefix(root == "/" ? root : root + "/") {
        throw .invalidFile("\(file) is a symbolic link out of the folder: copy the file, or remove the link")
      }
      if status.isRegular {
        try add(file, segments + [name], size: status.size)
      } else if status.isDirectory, !isLink {
        try read(file, segments + [name])
      } else {
        let kind = status.isDirectory ? "a symbolic link to a folder" : "neither a file nor a folder"
        throw .invalidFile("\(file) is \(kind), and cannot be served: remove it")
      }
    }
  }

  private mutating func add(_ file: String, _ segments: [String], size: Int) throws(ServiceError) {
    // In paths, `~` begins an escape (RFC 6901 §3).
    guard !segments.contains(where: { $0.contains("~") }) else {
      throw .invalidFile("the path of \(file) contains “~”, and cannot be served: rename it")
    }
    count += 1
    bytes += size
    guard count <= WebFile.maximumFiles, bytes <= WebFile.maximumBytes else {
      let limit = "\(WebFile.maximumFiles) files or \(WebFile.maximumBytes >> 20) MiB"
      throw .invalidFile("\(root) has more than \(limit): serve large files with a web server")
    }
    guard let content = try? Data(contentsOf: URL(filePath: file)) else {
      throw .invalidFile("cannot read \(file): check its permissions")
    }
    let path = RequestTarget.path(segments)
    let page = WebFile(path: path, content: Array(content), contentSecurityPolicy: contentSecurityPolicy)
    files.append(page)
    guard segments.last == "index.html" else { return }
    let folder = RequestTarget.path(segments.dropLast()) + "/"
    files.append(WebFile(path: folder, content: page.content, contentSecurityPolicy: contentSecurityPolicy))
  }
}
