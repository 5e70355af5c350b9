import BinderyHTTP
import BinderyTestKit
import Testing

/// Each default limit, at the limit and one above it.
@Suite struct LimitEdgeTests {
  private let limits = Limits()

  private func statuses(_ text: String) throws -> [Int] {
    var connection = MemoryConnection(TestMenu.api())
    connection.receive(Array(text.utf8)[...])
    return try Replies.read(connection.responseBytes).map(\.status)
  }

  private func filler(_ count: Int) -> String { String(repeating: "x", count: count) }

  @Test func `a request line has at most 8 KiB`() throws {
    let fixedBytes = "GET /livez? HTTP/1.1".utf8.count
    #expect(try statuses("GET /livez?\(filler(8_192 - fixedBytes)) HTTP/1.1\r\nHost: a\r\n\r\n") == [200])
    #expect(try statuses("GET /livez?\(filler(8_193 - fixedBytes)) HTTP/1.1\r\nHost: a\r\n\r\n") == [414])
  }

  @Test func `a header section has at most 16 KiB`() throws {
    let fixedBytes = "Host: a\r\nX: \r\n\r\n".utf8.count
    #expect(try statuses(Attack.get + "X: \(filler(16_384 - fixedBytes))\r\n\r\n") == [200])
    #expect(try statuses(Attack.get + "X: \(filler(16_385 - fixedBytes))\r\n\r\n") == [431])
  }

  @Test func `a request has at most 100 header fields`() throws {
    #expect(try statuses(Attack.get + String(repeating: "X: y\r\n", count: 99) + "\r\n") == [200])
    #expect(try statuses(Attack.get + String(repeating: "X: y\r\n", count: 100) + "\r\n") == [431])
  }

  @Test func `a request has at most 100 trailer fields of 16 KiB`() throws {
    let body = Attack.chunked + "9\r\n\"tonight\"\r\n0\r\n"
    #expect(try statuses(body + String(repeating: "X: y\r\n", count: 100) + "\r\n") == [200])
    #expect(try statuses(body + String(repeating: "X: y\r\n", count: 101) + "\r\n") == [431])
    #expect(try statuses(body + "X: \(filler(16_384 - 7))\r\n\r\n") == [200])
    #expect(try statuses(body + "X: \(filler(16_385 - 7))\r\n\r\n") == [431])
  }

  @Test func `a chunk size line has at most 256 bytes`() throws {
    #expect(try statuses(Attack.chunked + "9;\(filler(252))\r\n\"tonight\"\r\n0\r\n\r\n") == [200])
    #expect(try statuses(Attack.chunked + "9;\(filler(253))\r\n\"tonight\"\r\n0\r\n\r\n") == [400])
  }

  @Test func `a body has at most 1 MiB, by length and in chunks`() throws {
    let text = "\"tonight\"" + String(repeating: " ", count: 1_048_576 - 9)
    #expect(try statuses(Attack.patch + "Content-Length: 1048576\r\n\r\n" + text) == [200])
    #expect(try statuses(Attack.patch + "Content-Length: 1048577\r\n\r\n" + text) == [413])
    #expect(try statuses(Attack.chunked + "100000\r\n" + text + "\r\n0\r\n\r\n") == [200])
    #expect(try statuses(Attack.chunked + "100000\r\n" + text + "\r\n1\r\n ") == [413])
    #expect(try statuses(Attack.chunked + "100001\r\n") == [413])
  }

  @Test func `JSON has at most 64 levels`() throws {
    func patch(depth: Int) -> String {
      let body = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      return Attack.patch + "Content-Length: \(body.utf8.count)\r\n\r\n" + body
    }
    #expect(try statuses(patch(depth: 64)) == [422])
    #expect(try statuses(patch(depth: 65)) == [400])
  }

  @Test func `a path has at most 64 segments`() throws {
    for count in [64, 65] {
      var connection = MemoryConnection(TestMenu.api())
      let path = String(repeating: "/state", count: count)
      connection.receive(Array("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n".utf8)[...])
      let reply = try #require(try Replies.read(connection.responseBytes).first)
      #expect(reply.status == 404 && reply.text.contains("at most 64") == (count > 64))
    }
  }

  @Test func `a stream watches at most 64 paths`() throws {
    func events(_ count: Int) -> String {
      let query = Array(repeating: "path=/time", count: count).joined(separator: "&")
      return "HEAD /events?\(query) HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n"
    }
    for (count, status) in [(64, 200), (65, 400)] {
      var connection = MemoryConnection(TestMenu.api())
      connection.receive(Array(events(count).utf8)[...])
      #expect(try Replies.read(connection.responseBytes, toHEAD: [0]).map(\.status) == [status])
    }
  }

  @Test func `a JSON Patch has at most 1000 operations`() throws {
    func patch(_ count: Int) -> String {
      let operation = #"{"op":"test","path":"","value":"tonight"}"#
      let body = "[" + Array(repeating: operation, count: count).joined(separator: ",") + "]"
      return Attack.patch + "Content-Type: application/json-patch+json\r\n"
        + "Content-Length: \(body.utf8.count)\r\n\r\n" + body
    }
    #expect(try statuses(patch(1_000)) == [200])
    #expect(try statuses(patch(1_001)) == [422])
  }

  @Test func `after 128 pipelined requests other connections are served and then the rest`() throws {
    #expect(limits.pipelinedRequests == 128)
    var buffer = RequestBuffer(capacity: 64)
    var machine = ConnectionMachine(now: 0, limits: limits, generation: 0)
    let request = Array(Attack.good.utf8)
    for number in 0...128 {
      _ = buffer.fill { bytes, start in
        for (offset, byte) in request.enumerated() { bytes[start + offset] = byte }
        return request.count
      }
      let action = machine.next(&buffer, now: 0, limits: limits)
      guard number < 128 else {
        #expect(action == .yield)
        break
      }
      #expect(action == .respond(.none))
      machine.responded(.complete, body: .none, keepAlive: true, &buffer)
    }
    machine.startTurn()
    #expect(machine.next(&buffer, now: 0, limits: limits) == .respond(.none))
    #expect(try statuses(String(repeating: Attack.good, count: 3_000)) == Array(repeating: 200, count: 3_000))
  }
}
