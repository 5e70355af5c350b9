import Foundation

/// The files of this repository, as they stand on the disk.
enum Repository {
  /// The folder with Package.swift. Links are followed: the tests may be built from elsewhere.
  static let root = URL(filePath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// All that people write here, read once.
  static let files: [SourceFile] = {
    let walk = FileManager.default.enumerator(at: root, includingPropertiesForKeys: [.isRegularFileKey])
    var files: [SourceFile] = []
    while let url = walk?.nextObject() as? URL {
      if ignored.contains(url.lastPathComponent) { walk?.skipDescendants() }
      let isFile = (try? url.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true
      guard isFile, isWritten(url), let text = try? String(contentsOf: url, encoding: .utf8) else { continue }
      files.append(SourceFile(path: String(url.path.dropFirst(root.path.count + 1)), text: text))
    }
    return files.sorted { $0.path < $1.path }
  }()

  static let swift = files.filter { $0.path.hasSuffix(".swift") }

  /// What the package is made of.
  static let sources = swift.filter { $0.path.hasPrefix("Sources/") }

  /// The folders of `Sources`.
  static let modules: Set<String> = {
    let folder = root.appending(path: "Sources")
    return Set((try? FileManager.default.contentsOfDirectory(atPath: folder.path))?.filter { !$0.hasPrefix(".") } ?? [])
  }()

  static func file(_ path: String) -> SourceFile? { files.first { $0.path == path } }

  private static let ignored: Set<String> = [".build", ".git", ".swiftpm", "node_modules"]
  private static let extensions: Set<String> = [
    "c", "css", "go", "h", "html", "js", "lua", "md", "mjs", "modulemap", "py", "rs", "swift", "toml", "yaml", "yml",
  ]
  /// Scripts have no extension, and stand in few places.
  private static let folders: Set<String> = [".ci", "Benchmarks", "scripts"]

  private static func isWritten(_ url: URL) -> Bool {
    if !url.pathExtension.isEmpty { return extensions.contains(url.pathExtension) }
    let folder = url.deletingLastPathComponent().lastPathComponent
    return folders.contains(folder) || ["Dockerfile", "LICENSE", "Makefile"].contains(url.lastPathComponent)
  }
}

/// A file of the repository.
struct SourceFile: Sendable, CustomStringConvertible {
  /// From the root.
  let path: String
  let text: String
  let lines: [Line]

  struct Line: Sendable {
    let number: Int
    let text: Substring

    /// Without a comment that goes to the end of the line; good enough for words that no string holds.
    var code: Substring { text.range(of: "//").map { text[..<$0.lowerBound] } ?? text }
    var trimmed: String { text.trimmingCharacters(in: .whitespaces) }
  }

  init(path: String, text: String) {
    self.path = path
    self.text = text
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map {
      Line(number: $0 + 1, text: $1)
    }
  }

  var description: String { path }

  /// The folder of `Sources` that it is in.
  var module: String {
    let parts = path.split(separator: "/")
    return parts.count > 2 ? String(parts[1]) : ""
  }

  /// The modules that it imports.
  var imports: Set<String> {
    let pattern = /(?:@\w+ )*(?:(?:public|package|internal|fileprivate|private) )?import (?:\w+ )?(\w+)/
    return Set(
      lines.filter { $0.text.contains("import ") }.compactMap { line in
        line.text.prefixMatch(of: pattern).map { String($0.output.1) }
      })
  }

  /// Where a line breaks a rule, as an editor would jump to it.
  func places(where breaks: (Line) -> Bool) -> [String] {
    lines.filter(breaks).map { "\(path):\($0.number): \($0.trimmed)" }
  }
}
