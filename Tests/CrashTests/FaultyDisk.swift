import BinderyTestKit
import Foundation

/// A preloaded library that records the disk writes of a server and makes system calls fail (Support/disk.c).
final class FaultyDisk: Sendable {
  enum Failure: Error {
    case notCompiled(String)
  }

  /// The path of the record, which ``DiskImage/Event/read(_:)`` reads.
  let recordPath: String
  private let faultsPath: String
  private let libraryPath: String
  private let folder: String

  /// Compiles the library.
  ///
  /// - Parameters:
  ///   - folder: The folder whose files are recorded.
  ///   - tools: The folder for the library and its files; it must be another one.
  init(for folder: String, toolsIn tools: TemporaryFolder) throws {
    self.folder = folder
    (libraryPath, recordPath, faultsPath) = (tools("disk.so"), tools("record"), tools("faults"))
    let source = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: "Support/disk.c")
    let result = try ChildProcess.run("cc", ["-shared", "-fPIC", "-O1", "-o", libraryPath, source.path])
    guard result.code == 0 else { throw Failure.notCompiled(result.errors) }
  }

  /// The environment variables of a server that uses this disk.
  var environment: [String: String] {
    ["LD_PRELOAD": libraryPath, "DISK_FOLDER": folder, "DISK_RECORD": recordPath, "DISK_ORDERS": faultsPath]
  }

  /// System calls that fail, each with an errno.
  enum Fault: String {
    case diskFull = "write 28"
    case writeError = "write 5"
    case syncError = "fsync 5"
    case readOnly = "write 30\nopen 30"
    case missingFile = "open 2\nwrite 5"
  }

  /// Makes system calls of the server fail from now on; nil ends the fault.
  func setFault(_ fault: Fault?) throws {
    // Atomic, because the server may read the file at any time.
    try Data(((fault?.rawValue ?? "") + "\n").utf8).write(to: URL(filePath: faultsPath), options: .atomic)
  }

  /// Makes statfs report a type of file system for the files of the server.
  func setFileSystem(_ type: Int) throws {
    try Data("statfs \(type)\n".utf8).write(to: URL(filePath: faultsPath), options: .atomic)
  }

  /// The current length of the record in bytes. Everything that has happened so far is within it.
  var recordLength: Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: recordPath)
    return attributes?[.size] as? Int ?? 0
  }
}
