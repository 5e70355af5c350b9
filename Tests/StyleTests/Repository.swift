import Foundation

/// The text files of this repository.
enum Repository {
  /// The folder with Package.swift. Symbolic links are resolved, because the tests may be built in another folder.
  static let root = URL(filePath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// All hand-written text files, read once.
  static let files: [SourceFile] = {
    let walk = FileManager.default.enumerator(at: root, includingPropertiesForKeys: [.isRegularFileKey])
    var files: [SourceFile] = []
    while let url = walk?.nextObject() as? URL {
      if ignored.contains(url.lastPathComponent) { walk?.skipDescendants() }
      let isFile = (try? url.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true
      guard isFile, isHandWritten(url), let text = try? String(contentsOf: url, encoding: .utf8) else { continue }
      files.append(SourceFile(path: String(url.path.dropFirst(root.path.count + 1)), text: text))
    }
    return files.sorted { $0.path < $1.path }
  }()

  static let swift = files.filter { $0.path.hasSuffix(".swift") }

  /// The Swift files of `Sources`.
  static let sources = swift.filter { $0.path.hasPrefix("Sources/") }

  /// The names of the modules: the folders of `Sources`.
  static let modules: Set<String> = {
    let folder = root.appending(path: "Sources")
    return Set((try? FileManager.default.contentsOfDirectory(atPath: folder.path))?.filter { !$0.hasPrefix(".") } ?? [])
  }()

  /// Returns the file at a path relative to the root; nil if it does not exist.
  static func file(_ path: String) -> SourceFile? { files.first { $0.path == path } }

  private static let ignored: Set<String> = [".build", ".git", ".swiftpm", "node_modules"]
  private static let extensions: Set<String> = [
    "c", "css", "go", "h", "html", "js", "lua", "md", "mjs", "modulemap", "py", "rs", "swift", "toml", "yaml", "yml",
  ]
  /// The folders that contain scripts without a file extension.
  private static let folders: Set<String> = [".ci", "Benchmarks", "scripts"]

  /// Returns whether a file is hand-written text, judged by its extension or folder.
  private static func isHandWritten(_ url: URL) -> Bool {
    if !url.pathExtension.isEmpty { return extensions.contains(url.pathExtension) }
    let folder = url.deletingLastPathComponent().lastPathComponent
    return folders.contains(folder) || ["Dockerfile", "LICENSE", "Makefile"].contains(url.lastPathComponent)
  }
}

/// A file of the repository.
struct SourceFile: Sendable, CustomStringConvertible {
  /// The path relative to the root of the repository.
  let path: String
  let text: String
  let lines: [Line]

  /// A line of text.
  struct Line: Sendable {
    let number: Int
    let text: Substring

    /// The text before `//`. This also cuts strings that contain `//`, which is good enough for these checks.
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

  /// The module of a file in `Sources`; empty for other files.
  var module: String {
    let parts = path.split(separator: "/")
    return parts.count > 2 ? String(parts[1]) : ""
  }

  /// The modules that the file imports.
  var imports: Set<String> {
    let pattern = /(?:@\w+ )*(?:(?:public|package|internal|fileprivate|private) )?import (?:\w+ )?(\w+)/
    return Set(
      lines.filter { $0.text.contains("import ") }.compactMap { line in
        line.text.prefixMatch(of: pattern).map { String($0.output.1) }
      })
  }

  /// The modules that the file imports for its public declarations.
  var publicImports: [String] {
    lines.compactMap { line in
      line.text.prefixMatch(of: /(?:@\w+ )*public import (?:\w+ )?(\w+)/).map { String($0.output.1) }
    }
  }

  /// Returns the lines that violate a rule, in the form `path:line: text` that editors can open.
  func violations(where isViolation: (Line) -> Bool) -> [String] {
    lines.filter(isViolation).map { "\(path):\($0.number): \($0.trimmed)" }
  }
}
