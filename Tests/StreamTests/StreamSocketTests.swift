import BinderyCore
import BinderyService
import BinderySystem
import BinderyTestKit
import BindingLaws
import Foundation
import Testing

/// Event streams over real sockets, with stalled and lost connections.
struct StreamSocketTests {
  @Test(arguments: [11, 12, 13] as [UInt64])
  func `clients that stall, disconnect and reconnect end with the current value`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let live = try LiveService(Pantry(), eventLoops: 2)
    defer { live.stop() }
    let history = StateHistory(live.store)
    var clients: [(stream: SocketEventStream, replica: StreamReplica)] = []
    for number in 0..<12 {
      let form = StreamReplica.Form.allCases[number % 3]
      let paths = Array(Pantry.paths.shuffled(using: &random).prefix(form == .snapshots ? 8 : 1))
      let replica = StreamReplica(form, paths)
      clients.append((try SocketEventStream(live.address, replica.target), replica))
    }
    for _ in 0..<120 {
      let index = Int.random(in: clients.indices, using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<6: history.commit { $0.change(&random) }
      case 6..<8: try read(&clients[index], bytes: Int.random(in: 1...600, using: &random), history)
      default:
        try clients[index].stream.reconnect()
      }
    }
    // Change every place, so that each client has an event to wait for.
    history.commit { $0 = Pantry(count: 100) }
    for index in clients.indices {
      clients[index].stream.allow(bytes: .max)
      while !clients[index].replica.isCurrent(history) {
        guard let event = try clients[index].stream.next() else { break }
        try clients[index].replica.take(event, history)
      }
      #expect(clients[index].replica.isCurrent(history), "\(clients[index].replica.target)")
    }
  }

  /// Reads up to a number of bytes. Does nothing for a client that is up to date, because the read would block.
  private func read(
    _ client: inout (stream: SocketEventStream, replica: StreamReplica), bytes: Int, _ history: StateHistory
  ) throws {
    guard client.replica.received.isEmpty || !client.replica.isCurrent(history) else { return }
    client.stream.allow(bytes: bytes)
    while let event = try client.stream.next() {
      try client.replica.take(event, history)
      if client.replica.isCurrent(history) { return }
    }
  }

  @Test(.timeLimit(.minutes(10)))
  func `the kernel buffers a bounded number of bytes for a subscriber that reads nothing`() throws {
    let live = try LiveService(Library(count: 200, bookBytes: 40_000))
    defer { live.stop() }
    let socket = try ClientSocket(to: SocketAddress(live.address)!)
    let request = "GET /state/books HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"
    try socket.send(Array(request.utf8))
    #expect(try !socket.receive(atMost: 100).isEmpty)
    let port = try #require(live.address.split(separator: ":").last.flatMap { UInt16($0) })
    var queues: [Int] = []
    // The queue has its final length when it is equal in ten readings. The kernel returns the list in parts: a
    // connection that opens or closes between two parts can hide a line.
    var (previous, repetitions): ([Int], Int) = ([], 0)
    while queues.isEmpty || repetitions < 10 {
      (previous, queues) = (queues, [])
      let list = try FileHandle(forReadingFrom: URL(filePath: "/proc/net/tcp")).readToEnd() ?? Data()
      for line in String(decoding: list, as: UTF8.self).split(separator: "\n").dropFirst() {
        let columns = line.split(separator: " ")
        // Select the server's end of the connection, not the listener (state 0A), and read its send queue.
        guard UInt16(columns[1].suffix(4), radix: 16) == port, columns[3] != "0A" else { continue }
        queues.append(Int(columns[4].prefix(8), radix: 16) ?? 0)
      }
      repetitions = queues == previous ? repetitions + 1 : 0
    }
    #expect(queues.allSatisfy { $0 <= 512 * 1024 }, "\(queues)")
  }

  @Test func `a subscriber that reads nothing does not delay others, and later receives the newest value`() throws {
    let live = try LiveService(Pantry())
    defer { live.stop() }
    let stalled = try SocketEventStream(live.address, "/state/draft")
    let fast = try SocketEventStream(live.address, "/state/draft")
    #expect(try stalled.next()?.data == "null")
    #expect(try fast.next()?.data == "null")
    let rounds = 30
    for round in 1...rounds {
      live.store.post { $0.draft = "\(round)" + String(repeating: "x", count: 60_000) }
      #expect(try fast.next()?.data.prefix(16).hasPrefix("{\"some\":\"\(round)x") == true)
    }
    var eventCount = 0
    var last = ""
    while !last.hasPrefix("{\"some\":\"\(rounds)x"), let event = try stalled.next() {
      eventCount += 1
      last = String(event.data.prefix(16))
    }
    #expect(last.hasPrefix("{\"some\":\"\(rounds)x"))
    #expect(eventCount < rounds, "the missed values were not coalesced")
  }

  @Test(.timeLimit(.minutes(10)))
  func `writes beside unread streams of a long value are answered, and each stream ends with the newest value`()
    throws
  {
    let live = try LiveService(Library(count: 300))
    defer { live.stop() }
    let target = "/events?" + Array(repeating: "path=/", count: 64).joined(separator: "&")
    let streams = try (0..<20).map { _ in try SocketEventStream(live.address, target) }
    let client = try SocketClient(live.address)
    for number in 1...20 { #expect(try client.patch("/state/name", "\"\(number)\"").status == 200) }
    for stream in streams {
      var last = ""
      while !last.hasPrefix(#"{"revision":20,"#) {
        if let event = (try? stream.next()) ?? nil {
          last = event.data
        } else {
          // A stream that was not read for 10 seconds is disconnected, perhaps with a reset, and resumes.
          try stream.reconnect()
        }
      }
      #expect(last.hasPrefix(#"{"revision":20,"changes":[{"path":"/","value":{"name":"20","#))
    }
  }

  @Test func `subscribers on all event loops receive the last of many concurrent commits`() throws {
    let live = try LiveService(Pantry(), eventLoops: 2)
    defer { live.stop() }
    let store = live.store
    let writer = try Committer { number in store.post { $0.count = number } }
    let streams = try (0..<40).map { _ in (try SocketEventStream(live.address, "/state/count"), -1) }
    let last = writer.end()
    for (stream, first) in streams {
      var seen = first
      while seen < last, let event = try stream.next(), let number = Int(event.data) {
        #expect(number > seen)
        seen = number
      }
      #expect(seen == last)
    }
  }
}
