import BinderyJSON
import BinderySystem
import BinderyTestKit
import Foundation
import Testing

/// Writes that are repeated with an `Idempotency-Key` after cut connections, unknown outcomes and killed servers.
///
/// The environment variable `REPETITIONS` sets the number of writes.
@Suite(.serialized)
struct RepetitionTests {
  private let folder: TemporaryFolder
  private let tools: TemporaryFolder
  private let disk: FaultyDisk
  private let count = ProcessInfo.processInfo.environment["REPETITIONS"].flatMap { Int($0) } ?? 250

  init() throws {
    folder = try TemporaryFolder()
    tools = try TemporaryFolder()
    disk = try FaultyDisk(for: folder.path, toolsIn: tools)
  }

  private func server() throws -> Server { try Server(store: folder("store.db"), environment: disk.environment) }

  private static func request(_ number: Int) -> Request {
    Request(
      "POST", "/state/dishes",
      fields: [("Content-Type", "application/json"), ("Idempotency-Key", "increment-\(number)")],
      body: Array(#"{"name":"Dish \#(number)"}"#.utf8))
  }

  /// Returns the bytes of a request that does not differ from one of ``SocketClient`` in what its key depends on.
  private static func bytes(_ request: Request, to address: String) -> [UInt8] {
    let body = request.body ?? []
    let fields = request.fields.map { "\($0.name): \($0.value)\r\n" }.joined()
    let head = "\(request.method) \(request.target) HTTP/1.1\r\nHost: \(address)\r\n\(fields)"
    return Array("\(head)Content-Length: \(body.count)\r\n\r\n".utf8) + body
  }

  /// Sends a request and closes the connection after a number of bytes of the request and the response.
  private func sendCut(_ request: Request, to address: String, after byteCount: Int) throws {
    let socket = try ClientSocket(to: try #require(SocketAddress(address)))
    let bytes = Self.bytes(request, to: address)
    try socket.send(Array(bytes.prefix(byteCount)))
    var remaining = byteCount - bytes.count
    while remaining > 0 {
      let received = try socket.receive(atMost: remaining)
      if received.isEmpty { return }
      remaining -= received.count
    }
  }

  /// Repeats a request until it succeeds, as a client does after 503.
  private func sendUntilStored(_ request: Request, to client: SocketClient) throws -> Reply {
    while true {
      let reply = try client.send(request)
      guard reply.status == 503 else { return reply }
      let etag = try client.get("/state").etag ?? ""
      _ = try client.get("/state?wait=1", ["If-None-Match": etag])
    }
  }

  @Test func `repeated writes are applied exactly once`() throws {
    var server = try server()
    var client = try server.client
    let initial = try #require(try client.get("/state/dishes").json?.count)
    let length = Self.bytes(Self.request(0), to: server.address).count + 400
    var replayed = 0
    for number in 0..<count {
      let request = Self.request(number)
      switch number % 50 {
      case 17:
        try disk.setFault(.syncError)
        #expect(try client.send(request).status == 503)
        try disk.setFault(nil)
      case 34:
        try sendCut(request, to: server.address, after: length / 2)
        server.kill()
        server = try self.server()
        client = try server.client
      default: try sendCut(request, to: server.address, after: number * 7 % length)
      }
      let reply = try sendUntilStored(request, to: client)
      #expect(reply.status == 201, "\(reply)")
      if reply["Idempotency-Replayed"] == "?1" { replayed += 1 }
      let again = try client.send(request)
      #expect(again["Idempotency-Replayed"] == "?1" && again["Location"] == reply["Location"])
    }
    #expect(replayed > count / 4, "many first requests were stored")
    let end = try client.get("/state/dishes")
    #expect(end.json?.count == initial + count)
    #expect(end.revision == count)
  }

  @Test(arguments: ["memory", "store.db"])
  func `keys are forgotten with a store in memory, and kept by a restart of a durable one`(_ store: String) throws {
    let location = store == "memory" ? store : folder(store)
    let first = try Server(store: location)
    let reply = try first.client.send(Self.request(1))
    #expect(try first.client.send(Self.request(1))["Idempotency-Replayed"] == "?1")
    #expect(first.stop() == 0)
    let second = try Server(store: location)
    let repeated = try second.client.send(Self.request(1))
    #expect(repeated.status == 201)
    #expect((repeated["Idempotency-Replayed"] == "?1") == (store != "memory"))
    #expect((repeated["Location"] == reply["Location"]) == (store != "memory"))
    let other = Request(
      "POST", "/state/dishes",
      fields: [("Content-Type", "application/json"), ("Idempotency-Key", "increment-1")],
      body: Array(#"{"name":"Other"}"#.utf8))
    #expect(try second.client.send(other).outcome == "422 idempotency-key-reused")
  }
}
