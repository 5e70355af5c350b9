import BinderySystem
import BinderyTestKit
import Testing

@Suite struct ListenerTests {
  @Test func `listening on an address in use throws addressInUse`() throws {
    let first = try Listener(address: .internet(host: "127.0.0.1", port: 0))
    #expect(throws: Errno.addressInUse) { try Listener(address: first.address) }
  }

  @Test func `siblings share the connections of a port that no other server can bind`() throws {
    let first = try Listener(address: .internet(host: "127.0.0.1", port: 0))
    let all = try [first, first.sibling(), first.sibling()]
    for listener in all { #expect(listener.address == first.address) }
    #expect(throws: Errno.addressInUse) { try Listener(address: first.address) }
    #expect(throws: Errno.addressInUse) { try Listener(address: .internet(host: "::", port: first.address.port)) }
    // By chance, a listener gets none of 200 connections once in 10^35 runs.
    for _ in 0..<200 { _ = try ClientSocket(to: first.address) }
    for listener in all { try #require(try listener.accept()).close() }
  }

  @Test func `a host that is not an IP address is rejected`() {
    #expect(throws: Errno.invalidArgument) {
      try Listener(address: .internet(host: "no.address", port: 0))
    }
  }

  @Test func `a peer that does not read occupies little of the kernel's memory`() throws {
    let listener = try Listener(address: .internet(host: "127.0.0.1", port: 0))
    let client = try ClientSocket(to: listener.address)
    var poll = try Poll(capacity: 1)
    try poll.add(listener, token: 1)
    #expect(poll.wait(milliseconds: 10_000) == 1)
    let socket = try #require(try listener.accept())
    defer { socket.close() }
    let piece = [UInt8](repeating: 0, count: 16_384)
    var sent = 0
    while sent < 64 << 20, case .bytes(let count) = try socket.write(piece.span, from: 0) { sent += count }
    // By default, 2.5 MB and more.
    #expect(sent < 1 << 20)
    #expect(try client.receive().isEmpty == false)
  }

  @Test func `bytes are sent in both directions and the end of stream differs from no data`() throws {
    let listener = try Listener(address: .internet(host: "127.0.0.1", port: 0))
    #expect(try listener.accept() == nil)
    let client = try ClientSocket(to: listener.address)
    var poll = try Poll(capacity: 4)
    try poll.add(listener, token: 1)
    #expect(poll.wait(milliseconds: 10_000) == 1 && poll[0].token == 1 && poll[0].isReadable)
    let socket = try #require(try listener.accept())
    defer { socket.close() }
    var bytes = [UInt8](repeating: 0, count: 8)
    #expect(try socket.read(into: &bytes, from: 0) == .blocked)
    try poll.add(socket, token: 2)
    try client.send([1, 2, 3])
    client.endWriting()
    try waitUntil { (0..<poll.wait(milliseconds: 10_000)).contains { poll[$0].peerHasEnded } }
    #expect(try socket.read(into: &bytes, from: 2) == .bytes(3))
    #expect(bytes == [0, 0, 1, 2, 3, 0, 0, 0])
    #expect(try socket.read(into: &bytes, from: 0) == .end)
    #expect(try socket.write([4, 5, 6].span, from: 1) == .bytes(2))
    #expect(try client.receive() == [5, 6])
  }

  @Test func `a wakeup from another thread ends a wait`() throws {
    let wakeup = try Wakeup()
    var poll = try Poll(capacity: 1)
    try poll.add(wakeup, token: 9)
    let thread = try Thread { wakeup.signal() }
    defer { thread.join() }
    #expect(poll.wait(milliseconds: 10_000) == 1)
    #expect(poll[0].token == 9)
    #expect(poll.wait(milliseconds: 0) == 0)
    wakeup.signal()
    #expect(poll.wait(milliseconds: 0) == 1)
  }
}

extension SocketAddress {
  fileprivate var port: UInt16 { if case .internet(_, let port) = self { port } else { 0 } }
}
