import BinderyTestKit
import Foundation
import Testing

/// Stores that were replaced by a copy while the WAL file of a killed server was next to them.
@Suite(.serialized)
struct CopiedStoreTests {
  private let folder: TemporaryFolder
  private var store: String { folder("store.db") }

  init() throws { folder = try TemporaryFolder() }

  /// Replaces the content of the store, as `cp` does, and keeps the WAL file.
  private func copyOver(_ copy: String) throws {
    let file = try #require(FileHandle(forWritingAtPath: store))
    try file.truncate(atOffset: 0)
    file.write(try Data(contentsOf: URL(filePath: copy)))
    try file.close()
  }

  private func write(_ count: Int, _ client: SocketClient) throws {
    for index in 0..<count {
      let written = try client.patch("/state/time", index.isMultiple(of: 2) ? #""tomorrow""# : #""tonight""#)
      #expect(written.status == 200)
    }
  }

  /// Checks that the store is refused with its WAL file, and has the state of the copy without it.
  private func expectRefusal(revision: Int) throws {
    for command in ["serve", "export", "check"] {
      let refused = try Server.run(command, "--store", store, "--listen", "127.0.0.1:0")
      #expect(refused.code == 78, "\(command): \(refused.errors)")
      #expect(refused.errors.contains("belongs to another version of this file"), "\(command): \(refused.errors)")
    }
    #expect(FileManager.default.fileExists(atPath: store + "-wal"))
    try FileManager.default.moveItem(atPath: store + "-wal", toPath: folder("old-wal"))
    let server = try Server(store: store)
    #expect(try server.client.get("/state").revision == revision)
  }

  @Test(arguments: [4, 1_500])
  func `a backup beside the WAL file of the store is refused`(_ writes: Int) throws {
    let server = try Server(store: store)
    let client = try server.client
    try write(2, client)
    #expect(try Server.run("backup", folder("copy.db"), "--store", store).code == 0)
    try write(writes, client)
    server.kill()
    try copyOver(folder("copy.db"))
    try expectRefusal(revision: 2)
  }

  @Test(arguments: [true, false])
  func `a WAL file without its database is refused`(_ isEmpty: Bool) throws {
    let server = try Server(store: store)
    try write(3, try server.client)
    #expect(try Server.run("backup", folder("copy.db"), "--store", store).code == 0)
    server.kill()
    try FileManager.default.moveItem(atPath: store, toPath: folder("moved.db"))
    if isEmpty { try #require(FileManager.default.createFile(atPath: store, contents: nil)) }
    let wal = try Data(contentsOf: URL(filePath: store + "-wal"))
    try "{}".write(toFile: folder("state.json"), atomically: true, encoding: .utf8)
    for refused in [
      try Server.run("serve", "--listen", "127.0.0.1:0", "--store", store), try Server.run("check", "--store", store),
      try Server.run("import", folder("state.json"), "--store", store),
    ] {
      #expect(refused.code == 78 && refused.errors.contains("the file is missing or empty"), "\(refused.errors)")
    }
    #expect(try Server.run("restore", folder("copy.db"), "--store", store).code == 78)
    #expect(try Data(contentsOf: URL(filePath: store + "-wal")) == wal)
    try? FileManager.default.removeItem(atPath: store)
    try FileManager.default.moveItem(atPath: folder("moved.db"), toPath: store)
    let restarted = try Server(store: store)
    #expect(try restarted.client.get("/state").revision == 3)
  }

  @Test func `a copy made before the last start beside the WAL file is refused`() throws {
    let first = try Server(store: store)
    try write(2, try first.client)
    #expect(first.stop() == 0)
    try FileManager.default.copyItem(atPath: store, toPath: folder("copy.db"))
    let second = try Server(store: store)
    try write(4, try second.client)
    second.kill()
    try copyOver(folder("copy.db"))
    try expectRefusal(revision: 2)
  }

  @Test func `a store that is copied with its WAL file can be opened`() throws {
    let server = try Server(store: store)
    try write(3, try server.client)
    server.kill()
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: store + suffix, toPath: folder("copy.db") + suffix)
    }
    #expect(try Server.run("export", "--store", folder("copy.db")).code == 0)
    let copy = try Server(store: folder("copy.db"))
    #expect(try copy.client.get("/state").revision == 3)
  }

  @Test func `reading a copy leaves no other files`() throws {
    let server = try Server(store: store)
    try write(3, try server.client)
    #expect(try Server.run("backup", folder("copy.db"), "--store", store).code == 0)
    #expect(server.stop() == 0)
    for name in ["copy.db", "store.db"] {
      #expect(try Server.run("export", "--store", folder(name)).code == 0)
      #expect(try Server.run("check", "--store", folder(name)).code == 0)
      #expect(try Server.run("backup", folder(name + ".second"), "--store", folder(name)).code == 0)
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    // Those of a store stay: another reader may have them open.
    #expect(
      Set(files) == ["copy.db", "copy.db.second", "store.db", "store.db-shm", "store.db-wal", "store.db.second"])
    #expect(try Data(contentsOf: URL(filePath: folder("store.db-wal"))).isEmpty)
  }
}
