import BinderyAPI
import BinderyCore
import BinderyHTTP
import BinderyMenu
import BinderySystem
import BinderyTestKit
import Testing

/// Requests that are refused because of their head: their bodies are discarded as they arrive.
@Suite struct RefusedBodyTests {
  private static let credential = "Authorization: Bearer write-token-0123456789\r\n"
  private static let readCredential = "Authorization: Bearer read-token-0123456789\r\n"
  private static let good = "GET /state/time HTTP/1.1\r\nHost: a\r\n" + credential + "\r\n"

  private static func accessControl() throws -> AccessControl {
    AccessControl(
      tokens: AccessTokens(
        write: [try AccessToken("write-token-0123456789".utf8)], read: [try AccessToken("read-token-0123456789".utf8)],
        secret: [UInt8](repeating: 7, count: 192)), clock: { 0 })
  }

  /// Returns the response bytes for some pieces, the longest incomplete request, and whether the connection was closed.
  private func exchange(
    _ api: StateAPI<Menu>, _ pieces: [ArraySlice<UInt8>]
  ) -> (bytes: [UInt8], isClosed: Bool) {
    var connection = MemoryConnection(api)
    for piece in pieces { connection.receive(piece) }
    return (connection.responseBytes, connection.isClosed)
  }

  private static let long = "Content-Length: 1500\r\n\r\n" + String(repeating: "x", count: 1_500)
  private static let short = "Content-Length: 9\r\n\r\n\"tonight\""
  private static let patch = "PATCH /state/time HTTP/1.1\r\nHost: a\r\n"

  @Test(arguments: [
    // Without a token, with one that may only read, from a foreign page, and with an unknown path, method or type.
    (patch + long, [401, 200]), (patch + short, [401, 200]), (patch + readCredential + long, [403, 200]),
    (patch + credential + "Origin: http://b\r\n" + long, [403, 200]),
    ("PUT /no HTTP/1.1\r\nHost: a\r\n" + credential + long, [404, 200]),
    ("PUT /state/dsihes HTTP/1.1\r\nHost: a\r\n" + credential + short, [404, 200]),
    ("PATCH /livez HTTP/1.1\r\nHost: a\r\n" + credential + long, [405, 200]),
    (patch + credential + "Content-Type: text/plain\r\n" + long, [415, 200]),
    (patch + credential + "Content-Type: text/plain\r\n" + short, [415, 200]),
    ("GET /livez HTTP/1.1\r\nHost: a\r\n" + long, [200, 200]),
    // The end of these bodies is not known, so the connection closes.
    (patch + "Transfer-Encoding: chunked\r\n\r\n3\r\nxyz\r\n0\r\n\r\n", [401]),
    (patch + "Transfer-Encoding: chunked\r\n\r\nnot a chunk", [401]),
    (patch + "Expect: 100-continue\r\n" + short, [401]), (patch + "Content-Length: 1048577\r\n\r\nx", [401]),
  ])
  func `a refused request gets the same responses however it is split`(request: String, statuses: [Int]) throws {
    let api = TestMenu.api(Store(TestMenu.menu), try Self.accessControl())
    let bytes = Array((request + Self.good).utf8)
    let whole = exchange(api, [bytes[...]])
    #expect(try Replies.read(whole.bytes).map(\.status) == statuses)
    #expect(whole.isClosed == (statuses.count == 1))
    #expect(exchange(api, bytes.indices.map { bytes[$0...$0] }) == whole)
    for index in bytes.indices where bytes.count < 500 || index % 37 == 0 {
      #expect(exchange(api, [bytes[..<index], bytes[index...]]) == whole, "split at \(index)")
    }
  }

  @Test func `the bodies of clients without a token take no memory`() throws {
    var limits = Limits()
    limits.bufferedBytes = 600_000
    limits.bodyPaceMilliseconds = 600_000
    let server = try MenuServer(limits: limits, accessControl: try Self.accessControl())
    defer { server.stop() }
    let clients = Connections()
    for _ in 0..<80 {
      let client = try server.connect()
      // Each sends a part of its body with the head, and the rest slowly.
      try client.send(Self.patch + "Content-Length: 1048576\r\n\r\n" + String(repeating: "x", count: 30_000))
      #expect(try Replies.read(try client.receive(until: "}")).map(\.status) == [401])
      try client.send(String(repeating: "x", count: 30_000))
      clients.add(client)
    }
    let body = "\"tomorrow\"" + String(repeating: " ", count: 499_990)
    let write = Self.patch + Self.credential + "Connection: close\r\nContent-Length: 500000\r\n\r\n" + body
    #expect(try server.exchange(write).map(\.status) == [200])
    // The connections are still usable.
    let rest = String(repeating: "x", count: 1_048_576 - 60_000)
    for client in clients.all.prefix(3) {
      try client.socket.send(rest + Self.good)
      #expect(try Replies.read(try client.socket.receive(until: "\"tomorrow\"\n")).map(\.status) == [200])
    }
  }
}
