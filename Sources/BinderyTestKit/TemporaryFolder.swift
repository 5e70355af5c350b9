package import Foundation

/// A temporary folder that is removed when this object is released.
package final class TemporaryFolder: Sendable {
  package let url: URL

  /// Creates an empty folder.
  package init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "bindery-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  package var path: String { url.path }

  /// Returns the path of a file in the folder.
  package func callAsFunction(_ name: String) -> String { url.appending(path: name).path }
}
