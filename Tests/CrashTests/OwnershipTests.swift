import BinderySQLite
import BinderyTestKit
import Foundation
import Testing

/// Exclusive ownership of a store, and stores that are damaged, locked or removed.
@Suite(.serialized)
struct OwnershipTests {
  private let folder: TemporaryFolder
  private var store: String { folder("store.db") }

  init() throws { folder = try TemporaryFolder() }

  @Test func `a second server with the same store does not start`() throws {
    let first = try Server(store: store)
    do {
      _ = try Server(store: store)
      Issue.record("the server started")
    } catch ChildProcess.Failure.ended(let code, let output) {
      #expect(code == 75)
      #expect(
        output == "bindery: \(store): another server uses the store: "
          + "stop it first, or use --store-wait 30 to wait up to 30 seconds for it to stop\n")
    }
    let late = try Server.run("serve", "--store", store, "--listen", "127.0.0.1:0", "--store-wait", "500ms")
    #expect(late.code == 75 && late.errors.contains("still uses the store after 500ms"), "\(late.errors)")
    #expect(try first.client.patch("/state", #"{"time":"tomorrow"}"#).status == 200)
  }

  @Test func `a second server is refused under any name of the store`() throws {
    let first = try Server(store: store)
    let files = FileManager.default
    try files.createSymbolicLink(atPath: folder("symbolic.db"), withDestinationPath: "store.db")
    try files.linkItem(atPath: store, toPath: folder("hard.db"))
    for (name, exitCode, reason) in [
      ("symbolic.db", Int32(78), "hard links"), ("hard.db", 78, "hard links"), ("store.db", 78, "hard links"),
    ] {
      let refused = try Server.run("serve", "--store", folder(name), "--listen", "127.0.0.1:0")
      #expect(refused.code == exitCode)
      #expect(refused.errors.contains(reason), "\(refused.errors)")
    }
    try files.removeItem(atPath: folder("hard.db"))
    #expect(try Server.run("serve", "--store", folder("symbolic.db"), "--listen", "127.0.0.1:0").code == 75)
    #expect(try first.client.patch("/state", #"{"time":"tomorrow"}"#).status == 200)
    #expect(first.stop() == 0)
    let second = try Server(store: folder("symbolic.db"))
    #expect(try second.client.get("/state/time").text == #""tomorrow""#)
  }

  @Test func `writes that are acknowledged after the WAL file was removed are stored`() throws {
    let server = try Server(store: store)
    let client = try server.client
    for (index, time) in ["tomorrow", "tonight", "tomorrow"].enumerated() {
      try FileManager.default.removeItem(atPath: store + "-wal")
      let written = try client.patch("/state", #"{"time":"\#(time)"}"#)
      #expect(written.status == 200, "\(written)")
      #expect(written.revision == index + 1)
    }
    server.kill()
    let second = try Server(store: store)
    #expect(try second.client.get("/state").revision == 3)
    #expect(try second.client.get("/state/time").text == #""tomorrow""#)
  }

  @Test(arguments: [
    (0x6969, "NFS"), (0x517B, "SMB"), (0xFE53_4D42, "SMB"), (0xFF53_4D42, "CIFS"),
  ])
  func `a store on a network file system is refused`(_ type: Int, _ name: String) throws {
    let tools = try TemporaryFolder()
    let disk = try FaultyDisk(for: folder.path, toolsIn: tools)
    try disk.setFileSystem(type)
    for command in ["serve", "import"] {
      let refused = try Server.run(
        command, "--store", store, "--listen", "127.0.0.1:0", input: "{}", environment: disk.environment)
      if command == "serve" {
        #expect(refused.code == 78)
        #expect(refused.errors.contains("the file is on \(name)"), "\(refused.errors)")
      }
      #expect(!FileManager.default.fileExists(atPath: store))
    }
  }

  @Test func `a store that all users can read is reported`() throws {
    let server = try Server(store: store)
    #expect(!server.startupOutput.contains("chmod 600"))
    #expect(server.stop() == 0)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: store)
    #expect(try Server(store: store).startupOutput.contains("run chmod 600 \(store)"))
  }

  @Test func `with --store-wait a second server starts with the stored state when the first one stops`() throws {
    let first = try Server(store: store)
    let client = try first.client
    #expect(try client.patch("/state", #"{"time":"tomorrow"}"#).status == 200)
    let etag = try client.get("/state").etag
    // Stops the first server when the second one reports that it waits, which is before it can start.
    let stopper = ServerStopper(first)
    let second = try Server(store: store, options: ["--store-wait", "60s"]) { output in
      if output.contains("waiting") { stopper.stop() }
    }
    #expect(stopper.exitCode == 0)
    #expect(try second.client.get("/state").etag == etag)
    #expect(try second.client.get("/state").revision == 1)
  }

  @Test func `a file that is not a database is rejected and left unchanged`() throws {
    for content in ["hello, I am a text, and no database", String(repeating: "x", count: 9000)] {
      try Data(content.utf8).write(to: URL(filePath: store))
      do {
        _ = try Server(store: store)
        Issue.record("the server started")
      } catch ChildProcess.Failure.ended(let code, let output) {
        #expect(code == 65)
        #expect(output.contains("damaged"), "\(output)")
      }
      #expect(try String(contentsOfFile: store, encoding: .utf8) == content)
    }
  }

  @Test func `a store with damaged pages is rejected`() throws {
    do {
      let server = try Server(store: store)
      for number in 1...50 {
        #expect(try server.client.patch("/state/pinnedDish", #"{"name":"dish \#(number)"}"#).status == 200)
      }
      #expect(server.stop() == 0)
    }
    var bytes = try Data(contentsOf: URL(filePath: store))
    for index in stride(from: 4096, to: bytes.count, by: 97) { bytes[index] = 0xAA }
    try bytes.write(to: URL(filePath: store))
    do {
      _ = try Server(store: store)
      Issue.record("the server started")
    } catch ChildProcess.Failure.ended(let code, let output) {
      #expect([65, 74].contains(code), "\(output)")
    }
  }

  @Test func `while another program locks the database, writes are rejected and reads succeed`() throws {
    let server = try Server(store: store)
    let client = try server.client
    do {
      let lock = try WriteLock(store)
      let refused = try client.patch("/state", #"{"time":"tomorrow"}"#)
      #expect(refused.outcome == "503 unavailable")
      #expect(refused.string("detail")?.contains("locked") == true)
      #expect(try client.get("/state/time").text == #""tonight""#)
      lock.release()
    }
    #expect(try client.patch("/state", #"{"time":"tomorrow"}"#).status == 200)
    #expect(try client.get("/readyz").status == 200)
  }

  @Test func `writes are rejected while the store file is missing`() throws {
    let server = try Server(store: store)
    let client = try server.client
    #expect(try client.patch("/state", #"{"time":"tomorrow"}"#).status == 200)
    for suffix in ["", "-wal", "-shm"] {
      try FileManager.default.moveItem(atPath: store + suffix, toPath: folder("away") + suffix)
    }
    #expect(try client.patch("/state", #"{"time":"tonight"}"#).status == 503)
    #expect(try client.get("/state/time").text == #""tomorrow""#)
    #expect(try client.get("/readyz").status == 503)
    for suffix in ["-wal", "-shm", ""] {
      try? FileManager.default.removeItem(atPath: store + suffix)
      try? FileManager.default.moveItem(atPath: folder("away") + suffix, toPath: store + suffix)
    }
    for _ in 0..<10 where try client.get("/readyz").status != 200 {
      _ = try client.get("/state?wait=1", ["If-None-Match": try client.get("/state").etag ?? ""])
    }
    #expect(try client.patch("/state", #"{"time":"tonight"}"#).status == 200)
  }
}

/// Stops a server at most once and remembers its exit code.
private final class ServerStopper {
  private let server: Server
  private(set) var exitCode: Int32?

  init(_ server: Server) { self.server = server }

  func stop() { if exitCode == nil { exitCode = server.stop() } }
}
