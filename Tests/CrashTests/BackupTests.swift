import BinderyTestKit
import Foundation
import Testing

/// Backups that cannot be made: the message names the file at fault, and nothing is left or replaced.
@Suite(.serialized)
struct BackupTests {
  private let folder: TemporaryFolder
  private let target: TemporaryFolder
  private var store: String { folder("store.db") }
  private var copy: String { target("copy.db") }

  init() throws {
    folder = try TemporaryFolder()
    target = try TemporaryFolder()
    let server = try Server(store: store)
    #expect(try server.client.patch("/state/pinnedDish", #"{"name":"Tagliatelle"}"#).status == 200)
    #expect(try server.client.patch("/state/pinnedDish", #"{"name":"Soup"}"#).status == 200)
    #expect(server.stop() == 0)
  }

  private var files: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: target.path) } }

  private func backup(to copy: String, _ environment: [String: String] = [:]) throws -> ChildProcess.Result {
    try Server.run("backup", copy, "--store", store, environment: environment)
  }

  @Test func `a folder that does not exist`() throws {
    let refused = try backup(to: target("none/copy.db"))
    #expect(refused.code == 73)
    let message = "cannot copy \(store) to \(target("none/copy.db")): No such file or directory"
    #expect(refused.errors == "bindery: \(message)\n")
  }

  @Test func `standard output`() throws {
    let refused = try backup(to: "-")
    #expect(refused.code == 64 && refused.errors.contains("name a new file"), "\(refused.errors)")
  }

  @Test func `a full disk`() throws {
    let tools = try TemporaryFolder()
    let disk = try FaultyDisk(for: target.path, toolsIn: tools)
    try disk.setFault(.diskFull)
    let refused = try backup(to: copy, disk.environment)
    #expect(refused.code == 73)
    #expect(refused.errors.hasPrefix("bindery: cannot copy \(store) to \(copy): database or disk is full"))
    #expect(try files.isEmpty)
    try disk.setFault(nil)
    #expect(try backup(to: copy, disk.environment).code == 0)
    #expect(try files == ["copy.db"])
  }

  @Test func `a full disk during a restore or an import leaves no new store`() throws {
    #expect(try backup(to: folder("copy.db")).code == 0)
    let state = try Server.run("export", "--store", store).output
    try state.write(toFile: folder("state.json"), atomically: true, encoding: .utf8)
    let tools = try TemporaryFolder()
    let disk = try FaultyDisk(for: target.path, toolsIn: tools)
    for (command, file, code) in [("restore", folder("copy.db"), 73), ("import", folder("state.json"), 74)] {
      try disk.setFault(.diskFull)
      let refused = try Server.run(command, file, "--store", target("new.db"), environment: disk.environment)
      #expect(refused.code == code, "\(command): \(refused)")
      #expect(try files.isEmpty, "\(command)")
      try disk.setFault(nil)
      #expect(try Server.run(command, file, "--store", target("new.db"), environment: disk.environment).code == 0)
      try FileManager.default.removeItem(atPath: target("new.db"))
    }
  }

  @Test func `a new store whose restore was killed is refused until the restore is repeated`() throws {
    #expect(try backup(to: copy).code == 0)
    let new = target("new.db")
    for path in [new, new + ".restoring"] {
      try #require(FileManager.default.createFile(atPath: path, contents: nil))
    }
    for (command, code) in [("serve", 65), ("check", 78)] {
      let refused = try Server.run(command, "--store", new, "--listen", "127.0.0.1:0")
      #expect(refused.code == code && refused.errors.contains("a restore was interrupted"), "\(refused)")
    }
    #expect(try Server.run("restore", copy, "--store", new).code == 0)
    #expect(try files.sorted() == ["copy.db", "new.db"])
    #expect(try Server.run("check", "--store", new).code == 0)
  }

  @Test(arguments: ["a row that the next start does not need", "a page"])
  func `a damaged store`(_ damage: String) throws {
    var bytes = try Data(contentsOf: URL(filePath: store))
    if damage == "a page" {
      // The number of cells of the last page, which is then no page of a tree.
      let page = bytes.count - 4096
      bytes.replaceSubrange(page..<page + 8, with: [UInt8](repeating: 0xAA, count: 8))
    } else {
      let range = try #require(bytes.range(of: Data("Tagliatelle".utf8)))
      bytes.replaceSubrange(range, with: Data("Tagliatella".utf8))
    }
    let good = try Data(contentsOf: URL(filePath: store))
    try bytes.write(to: URL(filePath: folder("damaged.db")))
    let kept = try Server.run("restore", folder("damaged.db"), "--store", store)
    #expect(kept.code == 65)
    #expect(kept.errors.contains("\(folder("damaged.db")) is damaged"), "\(kept.errors)")
    #expect(try Data(contentsOf: URL(filePath: store)) == good)
    #expect(!FileManager.default.fileExists(atPath: store + ".restoring"))
    try bytes.write(to: URL(filePath: store))
    let refused = try backup(to: copy)
    #expect(refused.code == 65)
    #expect(refused.errors.hasPrefix("bindery: \(store) was not copied, because it is damaged ("), "\(refused.errors)")
    #expect(try files.isEmpty)
  }

  /// All commits of a server that was killed may be in the WAL file.
  @Test func `a store whose WAL file is missing`() throws {
    let path = folder("killed.db")
    let server = try Server(store: path)
    #expect(try server.client.patch("/state/pinnedDish", #"{"name":"Soup"}"#).status == 200)
    server.kill()
    for suffix in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: path + suffix) }
    let refused = try Server.run("backup", copy, "--store", path)
    #expect(refused.code == 66)
    let message = "the store contains no state; if it had one, its -wal file is missing: put it back"
    #expect(refused.errors == "bindery: \(path): \(message)\n")
    #expect(try files.isEmpty)
    let next = try Server(store: path)
    #expect(next.stop() == 0)
    #expect(next.output.contains("\(path) existed without a state"))
  }

  @Test func `a link, a pipe or a file is not replaced`() throws {
    let manager = FileManager.default
    try manager.createSymbolicLink(atPath: target("link"), withDestinationPath: "nothing")
    // As /dev/stdout is while standard output is closed.
    try manager.createSymbolicLink(atPath: target("stdout"), withDestinationPath: "/proc/self/fd/999")
    try ChildProcess.run("mkfifo", [target("pipe")])
    try Data("text".utf8).write(to: URL(filePath: target("file")))
    func types() throws -> [String: String?] {
      Dictionary(
        uniqueKeysWithValues: try files.map {
          ($0, try manager.attributesOfItem(atPath: target($0))[.type] as? String)
        })
    }
    let before = try types()
    for name in ["link", "stdout", "pipe", "file"] {
      let refused = try backup(to: target(name))
      #expect(refused.code == 73)
      #expect(refused.errors == "bindery: \(target(name)) already exists: name a new file, or remove this one\n")
    }
    #expect(try types() == before)
    #expect(try String(contentsOfFile: target("file"), encoding: .utf8) == "text")
  }
}
