import BinderySystem
import BinderyTestKit
import Testing

@Suite struct DescriptorTests {
  private func statuses(_ client: borrowing ClientSocket, _ request: String) throws -> [Int] {
    try client.send(request)
    return try Replies.read(try client.receive()).map(\.status)
  }

  @Test func `without free descriptors the server pauses accepting and serves its existing connections`() throws {
    let server = try LimitedServer(descriptors: 64)
    let existing = try ClientSocket(to: server.address)
    #expect(try statuses(existing, Attack.good) == [200])
    let subscribers = Connections()
    for _ in 0..<100 {
      let subscriber = try ClientSocket(to: server.address)
      try subscriber.send("GET /state/time HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
      subscribers.add(subscriber)
    }

    // The existing connection is served: reads, durable writes, and the readiness check.
    let write = "PATCH /state/time HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n\"tomorrow\""
    #expect(try statuses(existing, write) == [200])
    #expect(try statuses(existing, "GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n") == [200])

    // A new connection waits, and the server does not spin meanwhile.
    let late = try ClientSocket(to: server.address, timeoutMilliseconds: 2_000)
    try late.send(Attack.good)
    let before = try server.cpuSeconds
    #expect(throws: Errno.again) { try late.receive() }
    #expect(try server.cpuSeconds - before < 0.1)
    #expect(try statuses(existing, Attack.good) == [200])

    subscribers.removeAll()
    let next = try ClientSocket(to: server.address)
    #expect(try statuses(next, Attack.good) == [200])
    #expect(try Replies.read(try late.receive()).map(\.status) == [200])
    let end = server.stop()
    #expect(end.code == 0)
    #expect(end.log.contains(" warning no file descriptors are left (limit 64), so new connections wait"), "\(end.log)")
  }
}
