/// The files of a folder that is served beside the state.
package protocol FileSource: Sendable {
  /// Runs a closure on a thread that may wait for the disk.
  func perform(_ work: @escaping @Sendable () -> Void)

  /// Opens the file at a path. Called on a thread that may wait for the disk.
  ///
  /// - Parameter names: The names of the folders and of the file, which are not checked yet.
  func open(_ names: [String]) -> OpenedPath
}

/// The result of opening a path of a ``FileSource``.
package enum OpenedPath: Sendable {
  case file(SourceFile)
  case folder
  /// Nothing, or something that is not served.
  case nothing
  /// The file cannot be opened.
  case failed(Problem)
}

/// An open file of a ``FileSource``.
package struct SourceFile: Sendable {
  let mediaType: String
  /// The size in bytes.
  let size: Int
  /// A text that no other content of the file has, from which the entity tag is made.
  let version: String
  /// Returns the bytes of a range; nil if the file has changed since it was opened, or cannot be read. Blocks.
  let read: @Sendable (Range<Int>) -> [UInt8]?

  package init(
    mediaType: String, size: Int, version: String, read: @escaping @Sendable (Range<Int>) -> [UInt8]?
  ) {
    self.mediaType = mediaType
    self.size = size
    self.version = version
    self.read = read
  }
}

/// The first segments of the paths that belong to the service itself. No file is served below them.
package enum ServicePath {
  package static let firstSegments: Set = [
    "state", "events", "history", "session", "problems", "livez", "readyz", "metrics", "openapi.yaml", "model.json",
    "docs", "console", "client.js", "client.d.ts",
  ]
}
