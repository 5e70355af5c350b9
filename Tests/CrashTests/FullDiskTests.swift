import BinderyTestKit
import Foundation
import Testing

/// A file system without free space. Requires permission to mount a tmpfs.
@Suite(.serialized)
struct FullDiskTests {
  /// Runs a command and returns whether it succeeded.
  private static func run(_ command: String...) -> Bool {
    (try? ChildProcess.run(command[0], Array(command.dropFirst())))?.code == 0
  }

  private static let canMount: Bool = {
    guard let folder = try? TemporaryFolder() else { return false }
    defer { _ = run("umount", folder.path) }
    return run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder.path)
  }()

  /// A file system of 1 MiB.
  private struct Disk {
    let folder: TemporaryFolder

    init() throws {
      folder = try TemporaryFolder()
      #expect(FullDiskTests.run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder.path))
      // Removed later to free space.
      try Data(repeating: 0, count: 400_000).write(to: URL(filePath: folder("ballast")))
    }

    func unmount() { _ = FullDiskTests.run("umount", "-l", folder.path) }
  }

  /// Writes until the disk is full.
  ///
  /// - Returns: The last state, and the reply to the write that failed.
  private static func fill(_ client: SocketClient) throws -> (last: Reply, refused: Reply?) {
    var last = try client.get("/state")
    for number in 0..<2_000 {
      let reply = try client.patch("/state/pinnedDish", #"{"name":"\#(String(repeating: "x", count: 90)) \#(number)"}"#)
      guard reply.status == 200 else { return (last, reply) }
      last = try client.get("/state")
    }
    return (last, nil)
  }

  @Test(.enabled(if: canMount, "requires permission to mount a file system"))
  func `a complete store on a read-only file system is exported and copied`() throws {
    let disk = try Disk()
    defer { disk.unmount() }
    let store = disk.folder("a store #1 50%.db")
    func remount(_ mode: String) { #expect(Self.run("mount", "-o", "remount,\(mode)", disk.folder.path)) }
    let server = try Server(store: store)
    #expect(try server.client.patch("/state/time", #""tomorrow""#).status == 200)
    #expect(server.stop() == 0)
    remount("ro")
    let copies = try TemporaryFolder()
    let exported = try Server.run("export", "--store", store)
    #expect(exported.code == 0 && exported.output.contains(#""time":"tomorrow""#), "\(exported.errors)")
    #expect(try Server.run("backup", "--store", store, copies("copy.db")).code == 0)
    #expect(try Server.run("export", "--store", copies("copy.db")).output == exported.output)
    remount("rw")
    // Commits in a WAL file would be missing.
    try Data("commits".utf8).write(to: URL(filePath: store + "-wal"))
    remount("ro")
    let refused = try Server.run("export", "--store", store)
    #expect(refused.code != 0 && refused.errors.contains("must be writable"), "\(refused)")
  }

  @Test(.enabled(if: canMount, "requires permission to mount a file system"))
  func `writes fail with 507 while the disk is full and succeed when there is free space again`() throws {
    let disk = try Disk()
    defer { disk.unmount() }
    let folder = disk.folder
    let server = try Server(store: folder("store.db"))
    let client = try server.client
    let (last, refused) = try Self.fill(client)
    #expect(refused?.outcome == "507 insufficient-storage", "\(String(describing: refused))")
    #expect(try client.get("/state").body == last.body)
    #expect(try client.get("/readyz").status == 503)
    #expect(try client.get("/readyz?exclude=journal").status == 200)
    let health = try Server.run("health", "--listen", server.address)
    #expect(health.code == 1 && health.errors.contains("returned status 503: journal: "), "\(health.errors)")
    #expect(try client.patch("/state/time", #""tomorrow""#).status == 507)
    try FileManager.default.removeItem(atPath: folder("ballast"))
    for _ in 0..<10 where try client.get("/readyz").status != 200 {
      _ = try client.get("/state?wait=1", ["If-None-Match": last.etag ?? ""])
    }
    #expect(try client.patch("/state/time", #""tomorrow""#).status == 200)
    let state = try client.get("/state").text
    server.kill()
    let second = try Server(store: folder("store.db"))
    #expect(try second.client.get("/state").text == state)
    second.kill()
  }

  @Test(.enabled(if: canMount, "requires permission to mount a file system"))
  func `a store whose server stopped on a full disk can be backed up to another disk`() throws {
    let disk = try Disk()
    defer { disk.unmount() }
    let store = disk.folder("store.db")
    let server = try Server(store: store)
    let last = try Self.fill(try server.client).last
    #expect(server.stop() == 0)
    #expect(server.output.contains(" warning \(store)-wal contains commits"), "\(server.output)")
    let other = try TemporaryFolder()
    let backup = try Server.run("backup", other("copy.db"), "--store", store)
    #expect(backup.code == 0, "\(backup.errors)")
    let copy = try Server(store: other("copy.db"))
    #expect(try copy.client.get("/state").body == last.body)
  }
}
