import BinderyTestKit
import Foundation
import Testing

/// Faults of the disk while a server is at work: the write in question is refused, all else goes on, and writing works
/// again when the fault has passed.
@Suite(.serialized)
struct FaultTests {
  private let folder: Folder
  private let tools: Folder
  private let disk: FaultyDisk

  init() throws {
    folder = try Folder()
    tools = try Folder()
    disk = try FaultyDisk(for: folder.path, toolsIn: tools)
  }

  private func server() throws -> Server { try Server(store: folder("store.db"), environment: disk.environment) }

  /// Asks until that is the answer; each question waits in the server, where nothing changes meanwhile.
  private func until(_ status: Int, _ client: SocketClient, _ ask: () throws -> Reply) throws -> Reply {
    for _ in 0..<20 {
      let reply = try ask()
      if reply.status == status { return reply }
      let tag = try client.get("/state").etag ?? ""
      _ = try client.get("/state?wait=1", ["If-None-Match": tag])
    }
    return try ask()
  }

  @Test(
    arguments: [
      (FaultyDisk.Order.noRoom, 507), (.writeError, 503), (.syncError, 503), (.readOnly, 503), (.noFile, 503),
    ])
  func `a write that the disk does not take is refused, and nothing else`(
    _ fault: FaultyDisk.Order, _ status: Int
  ) throws {
    let expected: String
    do {
      let server = try server()
      let client = try server.client
      #expect(try client.patch("/state", #"{"time":"tomorrow"}"#).status == 200)
      let before = try client.get("/state")
      try disk.order(fault)
      let refused = try client.patch("/state", #"{"time":"tonight"}"#)
      #expect(refused.status == status, "\(refused)")
      #expect(refused["Content-Type"] == "application/problem+json")
      #expect(refused["Retry-After"] != nil)
      let after = try client.get("/state")
      #expect(after.body == before.body)
      #expect(after.etag == before.etag)
      #expect(after.revision == before.revision)
      let unready = try client.get("/readyz")
      #expect(unready.status == 503)
      #expect(unready.string("detail")?.isEmpty == false)
      // An equal write is decided on what is kept.
      #expect(try client.patch("/state", #"{"time":"tomorrow"}"#).changed == false)
      try disk.order(nil)
      #expect(try until(200, client) { try client.get("/readyz") }.status == 200)
      let written = try client.patch("/state", #"{"pinnedDish":{"isFavorite":true}}"#)
      #expect(written.status == 200, "\(written)")
      expected = try client.get("/state").text
    }
    // And it is on disk: the server was killed, and the next one needs no help.
    let server = try server()
    #expect(try server.client.get("/state").text == expected)
  }

  @Test func `an event stream hears of what was kept after a fault, and of nothing that was not`() throws {
    let server = try server()
    let client = try server.client
    let tag = try #require(try client.get("/state/time").etag)
    try disk.order(.noRoom)
    #expect(try client.patch("/state", #"{"time":"tomorrow"}"#).status == 507)
    try disk.order(nil)
    #expect(try client.get("/state/time", ["If-None-Match": tag]).status == 304)
    _ = try until(200, client) { try client.patch("/state/time", #"{"custom":"2026-12-24T18:00:00Z"}"#) }
    let news = try client.get("/state/time?wait=5", ["If-None-Match": tag])
    #expect(news.text == #"{"custom":"2026-12-24T18:00:00.000Z"}"#)
  }
}
