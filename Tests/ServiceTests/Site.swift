import BinderyAPI
import BinderyCore
import BinderyDigest
import BinderyService
import BinderySystem
import BinderyTestKit
import Foundation

/// A folder with the files of a web page, and a server of these files.
final class Site {
  let folder: TemporaryFolder

  init(_ files: [String: String] = [:]) throws {
    folder = try TemporaryFolder()
    for (name, content) in files { try write(name, Data(content.utf8)) }
  }

  func path(_ name: String) -> String { folder(name) }

  func write(_ name: String, _ content: Data) throws {
    let file = folder.url.appending(path: name)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try content.write(to: file)
  }

  /// Returns the files of the folder.
  ///
  /// - Parameter isSettled: Whether the files appear to have been changed long ago.
  func source(isSettled: Bool = true, withoutServing privateFiles: [String] = []) throws -> WebFolderSource {
    let folder = try WebFolder(folder.path, withoutServing: privateFiles, now: { isSettled ? .max : 0 })
    return try WebFolderSource(folder)
  }

  /// Serves the files while requests are sent.
  func serve(
    access: AccessPolicy = .local, basePath: BasePath = .root, isSettled: Bool = true,
    withoutServing privateFiles: [String] = [], _ requests: (_ address: String) throws -> Void
  ) throws {
    let service = try Service(
      Store(Tally()), key: .random(), listeningOn: ["127.0.0.1:0"], eventLoops: 1,
      documents: ["/": StaticDocument(redirectingTo: "docs")],
      files: try source(isSettled: isSettled, withoutServing: privateFiles), basePath: basePath, access: access)
    let thread = try BinderySystem.Thread { try? service.runBlocking() }
    defer {
      service.stop()
      thread.join()
    }
    try requests(service.addresses[0])
  }
}

extension Data {
  /// Bytes that differ between all positions of a file of a few MiB.
  static func pattern(_ count: Int) -> Data {
    Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8 &+ $0 >> 16) })
  }
}
