import Foundation

/// The preloaded library that stands between a server and the kernel (Support/disk.c).
final class FaultyDisk: Sendable {
  enum Failure: Error {
    case notCompiled(String)
  }

  /// What the library has written down.
  let record: String
  private let orders: String
  private let library: String
  private let folder: String

  /// - Parameter folder: what lies in it is watched.
  init(for folder: String, toolsIn tools: Folder) throws {
    self.folder = folder
    (library, record, orders) = (tools("disk.so"), tools("record"), tools("orders"))
    let source = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: "Support/disk.c")
    let compiler = Process()
    compiler.executableURL = URL(filePath: "/usr/bin/env")
    compiler.arguments = ["cc", "-shared", "-fPIC", "-O1", "-o", library, source.path]
    let errors = Pipe()
    compiler.standardError = errors
    try compiler.run()
    let said = errors.fileHandleForReading.readDataToEndOfFile()
    compiler.waitUntilExit()
    guard compiler.terminationStatus == 0 else { throw Failure.notCompiled(String(decoding: said, as: UTF8.self)) }
  }

  /// For a server that shall use this disk.
  var environment: [String: String] {
    ["LD_PRELOAD": library, "DISK_FOLDER": folder, "DISK_RECORD": record, "DISK_ORDERS": orders]
  }

  /// A call that fails from now on, and how.
  enum Order: String {
    case noRoom = "write 28"
    case writeError = "write 5"
    case syncError = "fsync 5"
    case readOnly = "write 30\nopen 30"
    case noFile = "open 2\nwrite 5"
  }

  func order(_ order: Order?) throws {
    // Its own name last, so that nobody reads half of it.
    try Data(((order?.rawValue ?? "") + "\n").utf8).write(to: URL(filePath: orders), options: .atomic)
  }

  /// How long the record is: what has happened by now is in that part of it.
  var length: Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: record)
    return attributes?[.size] as? Int ?? 0
  }
}
