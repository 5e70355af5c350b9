import BinderySystem
import BinderyTestKit
import Foundation
import Testing

/// Writing files under a name that may be taken.
struct FileReplacementTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `a regular file is replaced`() throws {
    for text in ["first", "second"] {
      try File.write(Array(text.utf8), to: folder("file"))
      #expect(try String(contentsOfFile: folder("file"), encoding: .utf8) == text)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["file"])
  }

  @Test(arguments: ["a link to a file", "a link to nothing", "a pipe", "a folder"])
  func `nothing else is replaced, and no other file is left`(_ kind: String) throws {
    let manager = FileManager.default
    switch kind {
    case "a pipe": try ChildProcess.run("mkfifo", [folder("name")])
    case "a folder": try manager.createDirectory(atPath: folder("name"), withIntermediateDirectories: false)
    default:
      let file = kind == "a link to a file" ? "file" : "nothing"
      try manager.createSymbolicLink(atPath: folder("name"), withDestinationPath: file)
      try Data().write(to: URL(filePath: folder("file")))
    }
    let (before, type) = (try names, try typeOfName())
    #expect(throws: Errno.fileExists) { try File.write([1], to: folder("name")) }
    #expect(try names == before)
    #expect(try typeOfName() == type)
  }

  private var names: Set<String> {
    get throws { Set(try FileManager.default.contentsOfDirectory(atPath: folder.path)) }
  }

  private func typeOfName() throws -> String? {
    try FileManager.default.attributesOfItem(atPath: folder("name"))[.type] as? String
  }
}
