import BinderySystem
import BinderyTestKit
import Foundation
import Testing

/// Opening files below a folder.
final class OpenFileTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(at: folder.url.appending(path: "sub"), withIntermediateDirectories: true)
    try Data("content".utf8).write(to: folder.url.appending(path: "sub/file"))
  }

  private func path(_ name: String) -> String { folder.url.appending(path: name).path }

  private func open(_ names: String..., excluding excluded: FileIdentity? = nil) throws(Errno) -> OpenFile.Entry {
    try OpenFile.open(names, in: folder.path) { $0 == excluded }
  }

  /// Opens the regular file.
  private func file() throws -> OpenFile {
    guard case .file(let file) = try open("sub", "file") else { throw Errno.badDescriptor }
    return file
  }

  @Test func `a file is opened and read in ranges`() throws {
    let file = try file()
    #expect(file.status.size == 7)
    #expect(file.read(0..<7) == Array("content".utf8) && file.read(2..<4) == Array("nt".utf8) && file.read(7..<7) == [])
    #expect(file.read(0..<8) == nil)
  }

  @Test func `nothing but regular files is opened`() throws {
    guard case .folder = try open("sub") else { return #expect(Bool(false), "expected a folder") }
    let socket = try Listener(address: .unix(path: path("socket")))
    try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: "sub/file")
    for name in ["socket", "link"] {
      guard case .other = try open(name) else { return #expect(Bool(false), "opened \(name)") }
    }
    // Opening this pipe would wait for a writer, and reading the device would never end.
    try ChildProcess.run("mkfifo", [path("pipe")])
    guard case .other = try open("pipe"), case .other = try OpenFile.open(["zero"], in: "/dev", except: { _ in false })
    else { return #expect(Bool(false), "opened a pipe or a device") }
    _ = socket
  }

  @Test func `no symbolic link below the folder is followed, but the folder itself may be one`() throws {
    try FileManager.default.createSymbolicLink(atPath: path("folder"), withDestinationPath: "sub")
    let error = #expect(throws: Errno.self) { try self.open("folder", "file") }
    #expect(error?.isAbsence == true)
    let file = try OpenFile.open(["file"], in: path("folder")) { _ in false }
    guard case .file = file else { return #expect(Bool(false), "expected a file") }
  }

  @Test func `an absent file is an absence`() {
    for names in [["none"], ["none", "file"], ["sub", "file", "file"], [String(repeating: "x", count: 300)]] {
      let error = #expect(throws: Errno.self) { try OpenFile.open(names, in: self.folder.path) { _ in false } }
      #expect(error?.isAbsence == true, "\(names)")
    }
  }

  @Test func `an excluded file is not opened under any of its names`() throws {
    try FileManager.default.linkItem(atPath: path("sub/file"), toPath: path("hard"))
    guard case .other = try open("hard", excluding: FileStatus(path("sub/file"))?.identity) else {
      return #expect(Bool(false), "opened an excluded file")
    }
  }

  @Test(arguments: ["truncated", "longer content", "CONTENT"])
  func `a file that was changed is not read further`(_ content: String) throws {
    let file = try file()
    let handle = try FileHandle(forWritingTo: folder.url.appending(path: "sub/file"))
    if content == "truncated" {
      try handle.truncate(atOffset: 5)
    } else {
      try handle.write(contentsOf: Data(content.utf8))
    }
    // The change could have happened in the same tick of the clock of the file system.
    try FileManager.default.setAttributes([.modificationDate: Date.distantPast], ofItemAtPath: path("sub/file"))
    #expect(file.read(0..<5) == nil)
  }

  @Test func `a file that was replaced or removed is read further`() throws {
    let file = try file()
    try Data("new".utf8).write(to: folder.url.appending(path: "sub/file"), options: .atomic)
    #expect(file.read(0..<7) == Array("content".utf8))
    try FileManager.default.removeItem(at: folder.url.appending(path: "sub"))
    #expect(file.read(0..<7) == Array("content".utf8))
  }

  @Test func `the version of a file differs between its contents, and between files`() throws {
    let first = try file().status
    try Data("CONTENT".utf8).write(to: folder.url.appending(path: "sub/file"), options: .atomic)
    let second = try file().status
    #expect(first.version != second.version && first.stamp != second.stamp)
    #expect(try file().status.version == second.version)
  }
}
