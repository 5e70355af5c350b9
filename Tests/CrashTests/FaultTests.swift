import BinderyTestKit
import Foundation
import Testing

/// Disk faults while a server runs: writes are rejected, reads succeed, and writes succeed again when the fault ends.
@Suite(.serialized)
struct FaultTests {
  private let folder: TemporaryFolder
  private let tools: TemporaryFolder
  private let disk: FaultyDisk

  init() throws {
    folder = try TemporaryFolder()
    tools = try TemporaryFolder()
    disk = try FaultyDisk(for: folder.path, toolsIn: tools)
  }

  /// Starts a server on the faulty disk.
  private func server() throws -> Server { try Server(store: folder("store.db"), environment: disk.environment) }

  /// Repeats a request up to 20 times until it has a status. Between attempts a long poll waits up to a second.
  private func retry(until status: Int, _ client: SocketClient, _ request: () throws -> Reply) throws -> Reply {
    for _ in 0..<20 {
      let reply = try request()
      if reply.status == status { return reply }
      let etag = try client.get("/state").etag ?? ""
      _ = try client.get("/state?wait=1", ["If-None-Match": etag])
    }
    return try request()
  }

  @Test(
    arguments: [
      (FaultyDisk.Fault.diskFull, 507), (.writeError, 503), (.syncError, 503), (.readOnly, 503), (.missingFile, 503),
    ])
  func `a write fails if the disk rejects it, and everything else succeeds`(
    _ fault: FaultyDisk.Fault, _ status: Int
  ) throws {
    let expected: String
    do {
      let server = try server()
      let client = try server.client
      #expect(try client.patch("/state", #"{"time":"tomorrow"}"#).status == 200)
      let before = try client.get("/state")
      try disk.setFault(fault)
      let refused = try client.patch("/state", #"{"time":"tonight"}"#)
      #expect(refused.status == status, "\(refused)")
      #expect(refused["Content-Type"] == "application/problem+json")
      #expect(refused["Retry-After"] != nil)
      if fault == .diskFull { #expect(refused.string("detail")?.hasSuffix("Nothing was changed.") == true) }
      if fault == .syncError {
        #expect(refused.outcome == "503 unknown-outcome")
        #expect(refused.revision == before.revision)
      }
      let after = try client.get("/state")
      #expect(after.body == before.body)
      #expect(after.etag == before.etag)
      #expect(after.revision == before.revision)
      let unready = try client.get("/readyz")
      #expect(unready.status == 503)
      #expect(unready.string("detail")?.isEmpty == false)
      // A write that changes nothing needs no disk.
      #expect(try client.patch("/state", #"{"time":"tomorrow"}"#).changed == false)
      try disk.setFault(nil)
      #expect(try retry(until: 200, client) { try client.get("/readyz") }.status == 200)
      let written = try client.patch("/state", #"{"pinnedDish":{"isFavorite":true}}"#)
      #expect(written.status == 200, "\(written)")
      expected = try client.get("/state").text
    }
    // The first server was killed. The next one recovers the write from the disk.
    let server = try server()
    #expect(try server.client.get("/state").text == expected)
  }

  @Test func `a stop on a full disk says that the store is two files, which a backup and the next start read`() throws {
    let first = try server()
    #expect(try first.client.patch("/state", #"{"time":"tomorrow"}"#).status == 200)
    try disk.setFault(.diskFull)
    #expect(first.stop() == 0)
    let (store, copy) = (folder("store.db"), tools("copy.db"))
    #expect(first.output.contains(" warning \(store)-wal contains commits"), "\(first.output)")
    #expect(first.output.contains("copy both files, or use bindery backup"), "\(first.output)")
    let backup = try Server.run("backup", copy, "--store", store)
    #expect(backup.code == 0, "\(backup.errors)")
    #expect(try Server.run("export", "--store", copy).output.contains(#""time":"tomorrow""#))
    try disk.setFault(nil)
    let second = try server()
    #expect(second.startupOutput.contains("was killed or could not move them"), "\(second.startupOutput)")
    #expect(try second.client.get("/state/time").text == #""tomorrow""#)
    #expect(second.stop() == 0)
    #expect(!second.output.contains("contains commits"), "\(second.output)")
    #expect(!FileManager.default.fileExists(atPath: store + "-wal"))
  }

  @Test func `a long poll returns only changes that were stored`() throws {
    let server = try server()
    let client = try server.client
    let etag = try #require(try client.get("/state/time").etag)
    try disk.setFault(.diskFull)
    #expect(try client.patch("/state", #"{"time":"tomorrow"}"#).status == 507)
    try disk.setFault(nil)
    #expect(try client.get("/state/time", ["If-None-Match": etag]).status == 304)
    _ = try retry(until: 200, client) { try client.patch("/state/time", #"{"custom":"2026-12-24T18:00:00Z"}"#) }
    let changed = try client.get("/state/time?wait=5", ["If-None-Match": etag])
    #expect(changed.text == #"{"custom":"2026-12-24T18:00:00.000Z"}"#)
  }
}
