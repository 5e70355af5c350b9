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

  @Test(.enabled(if: canMount, "requires permission to mount a file system"))
  func `writes fail with 507 while the disk is full and succeed when there is free space again`() throws {
    let folder = try TemporaryFolder()
    #expect(Self.run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder.path))
    defer { _ = Self.run("umount", "-l", folder.path) }
    // Removed later to free space.
    try Data(repeating: 0, count: 400_000).write(to: URL(filePath: folder("ballast")))
    let server = try Server(store: folder("store.db"))
    let client = try server.client
    var last = try client.get("/state")
    var refused: Reply?
    for number in 0..<2_000 where refused == nil {
      let reply = try client.patch("/state/pinnedDish", #"{"name":"\#(String(repeating: "x", count: 90)) \#(number)"}"#)
      if reply.status == 200 { last = try client.get("/state") } else { refused = reply }
    }
    #expect(refused?.outcome == "507 insufficient-storage", "\(String(describing: refused))")
    #expect(try client.get("/state").body == last.body)
    #expect(try client.get("/readyz").status == 503)
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
}
