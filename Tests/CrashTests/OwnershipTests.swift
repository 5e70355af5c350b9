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
    } catch Server.Failure.exited(let code, let output) {
      #expect(code == 75)
      #expect(
        output == "bindery: \(store): another server uses the store; "
          + "use --store-wait 30 to wait up to 30 seconds for it to stop\n")
    }
    #expect(try first.client.patch("/state", #"{"time":"tomorrow"}"#).status == 200)
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
      } catch Server.Failure.exited(let code, let output) {
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
    } catch Server.Failure.exited(let code, let output) {
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
