import BinderyHTTP
import BinderyTestKit
import Testing

/// Requests around the begin of a shutdown.
@Suite struct ShutdownTests {
  private static let head = "PATCH /state/time HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"

  @Test(arguments: [
    ("Content-Length: 10\r\n\r\n", "\"tomo", "rrow\""), ("Content-Length: 10\r\n\r\n", "", "\"tomorrow\""),
  ])
  func `a write whose head was accepted is finished`(rest: String, first: String, second: String) throws {
    var connection = MemoryConnection(TestMenu.api())
    connection.receive(Array((Self.head + rest + first).utf8)[...])
    connection.stop()
    #expect(connection.responseBytes.isEmpty)
    connection.receive(Array(second.utf8)[...])
    #expect(try Replies.read(connection.takeResponseBytes()).map(\.status) == [200])
  }

  @Test func `a later request is refused`() throws {
    var connection = MemoryConnection(TestMenu.api())
    connection.stop()
    connection.receive(Array((Self.head + "Content-Length: 10\r\n\r\n\"tomorrow\"").utf8)[...])
    let replies = try Replies.read(connection.responseBytes)
    #expect(replies.map(\.status) == [503])
    #expect(replies.first?["Retry-After"] != nil)
  }
}
