import BinderySQLite
import BinderyTestKit
import Foundation
import Testing

/// One file, one server.
@Suite(.serialized)
struct OwnershipTests {
  private let folder: Folder
  private var store: String { folder("store.db") }

  init() throws { folder = try Folder() }

  @Test func `a second server refuses to start, and says why`() throws {
    let first = try Server(store: store)
    do {
      _ = try Server(store: store)
      Issue.record("it started")
    } catch Server.Failure.ended(let code, let said) {
      #expect(code == 75)
      #expect(said == "bindery: \(store): another server has it; --store-wait 30 waits until that has ended\n")
    }
    #expect(try first.client.patch("/state", #"{"time":"tomorrow"}"#).status == 200)
  }

  @Test func `with store-wait it waits until the first has gone, and goes on where that ended`() throws {
    let first = try Server(store: store)
    let client = try first.client
    #expect(try client.patch("/state", #"{"time":"tomorrow"}"#).status == 200)
    let tag = try client.get("/state").etag
    // Ends as soon as the other says that it waits: that is before it could start.
    let ended = Ended(first)
    let second = try Server(store: store, options: ["--store-wait", "60s"]) { said in
      if said.contains("waiting") { ended.end() }
    }
    #expect(ended.code == 0)
    #expect(try second.client.get("/state").etag == tag)
    #expect(try second.client.get("/state").revision == 1)
  }

  @Test func `what is no store is refused, and left as it is`() throws {
    for content in ["hello, I am a text, and no database", String(repeating: "x", count: 9000)] {
      try Data(content.utf8).write(to: URL(filePath: store))
      do {
        _ = try Server(store: store)
        Issue.record("it started")
      } catch Server.Failure.ended(let code, let said) {
        #expect(code == 65)
        #expect(said.contains("damaged"), "\(said)")
      }
      #expect(try String(contentsOfFile: store, encoding: .utf8) == content)
    }
  }

  @Test func `a damaged page of a store is not served from`() throws {
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
      Issue.record("it started")
    } catch Server.Failure.ended(let code, let said) {
      #expect([65, 74].contains(code), "\(said)")
    }
  }

  @Test func `while another program holds the database, writes are refused and reads go on`() throws {
    let server = try Server(store: store)
    let client = try server.client
    do {
      let other = try Blocker(store)
      let refused = try client.patch("/state", #"{"time":"tomorrow"}"#)
      #expect(refused.outcome == "503 unavailable")
      #expect(refused.string("detail")?.contains("locked") == true)
      #expect(try client.get("/state/time").text == #""tonight""#)
      other.release()
    }
    #expect(try client.patch("/state", #"{"time":"tomorrow"}"#).status == 200)
    #expect(try client.get("/readyz").status == 200)
  }

  @Test func `a store whose file was taken away takes no writes until it is back`() throws {
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

/// A server that ends when somebody wants it to.
private final class Ended {
  private let server: Server
  private(set) var code: Int32?

  init(_ server: Server) { self.server = server }

  func end() { if code == nil { code = server.stop() } }
}
