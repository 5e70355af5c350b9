import BinderySystem
import Testing

@Suite struct DescriptorTests {
  private func ask(_ client: borrowing ClientSocket, _ request: String) throws -> [Int] {
    try client.send(request)
    return try Replies.read(try client.receive()).map(\.status)
  }

  @Test func `without descriptors the server rests from accepting, keeps what it has, and comes back by itself`() throws
  {
    let server = try LimitedServer(descriptors: 64)
    let known = try ClientSocket(to: server.address)
    #expect(try ask(known, Attack.good) == [200])
    let subscribers = Connections()
    for _ in 0..<100 {
      let subscriber = try ClientSocket(to: server.address)
      try subscriber.send("GET /state/time HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
      subscribers.add(subscriber)
    }

    // Who is there is served: reads, the journal, and the readiness.
    let write = "PATCH /state/time HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n\"tomorrow\""
    #expect(try ask(known, write) == [200])
    #expect(try ask(known, "GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n") == [200])

    // Who comes now waits, and nothing spins meanwhile.
    let late = try ClientSocket(to: server.address, timeoutMilliseconds: 2_000)
    try late.send(Attack.good)
    let before = try server.cpuSeconds
    #expect(throws: Errno.again) { try late.receive() }
    #expect(try server.cpuSeconds - before < 0.1)
    #expect(try ask(known, Attack.good) == [200])

    subscribers.removeAll()
    let next = try ClientSocket(to: server.address)
    #expect(try ask(next, Attack.good) == [200])
    #expect(try Replies.read(try late.receive()).map(\.status) == [200])
    #expect(server.stop() == 0)
  }
}
