import BinderyCore
import BinderyService
import BinderySystem
import BinderyTestKit
import Foundation
import Testing

/// The same promises over real sockets, with cut and stalled connections.
struct SocketTests {
  @Test(arguments: [11, 12, 13] as [UInt64])
  func `clients that stall, are cut and come back end with what GET gives`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let live = try LiveService(Pantry(), eventLoops: 2)
    defer { live.stop() }
    let chronicle = Chronicle(live.store)
    var clients: [(stream: SocketEventStream, follower: Follower)] = []
    for number in 0..<12 {
      let form = Follower.Form.allCases[number % 3]
      let paths = Array(Pantry.paths.shuffled(using: &random).prefix(form == .snapshots ? 8 : 1))
      let follower = Follower(form, paths)
      clients.append((try SocketEventStream(live.address, follower.target), follower))
    }
    for _ in 0..<120 {
      let index = Int.random(in: clients.indices, using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<6: chronicle.commit { $0.change(&random) }
      case 6..<8: try read(&clients[index], bytes: Int.random(in: 1...600, using: &random), chronicle)
      default:
        try clients[index].stream.reconnect()
        clients[index].follower.reconnect()
      }
    }
    // Every place differs from what was told last, so that there is an event to wait for.
    chronicle.commit { $0 = Pantry(count: 100) }
    for index in clients.indices {
      clients[index].stream.allow(bytes: .max)
      while !clients[index].follower.isCurrent(chronicle) {
        guard let event = try clients[index].stream.next() else { break }
        try clients[index].follower.take(event, chronicle)
      }
      #expect(clients[index].follower.isCurrent(chronicle), "\(clients[index].follower.target)")
    }
  }

  /// Takes what has come, up to so many bytes; if nothing has been told yet, there is something to wait for.
  private func read(
    _ client: inout (stream: SocketEventStream, follower: Follower), bytes: Int, _ chronicle: Chronicle
  ) throws {
    guard client.follower.held.isEmpty || !client.follower.isCurrent(chronicle) else { return }
    client.stream.allow(bytes: bytes)
    while let event = try client.stream.next() {
      try client.follower.take(event, chronicle)
      if client.follower.isCurrent(chronicle) { return }
    }
  }

  @Test(.timeLimit(.minutes(10)))
  func `what the kernel holds for a reader that takes nothing is bounded from the first event on`() throws {
    let live = try LiveService(Library(count: 200, bookBytes: 40_000))
    defer { live.stop() }
    let socket = try ClientSocket(to: SocketAddress(live.address)!)
    let request = "GET /state/books HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"
    try socket.send(Array(request.utf8))
    #expect(try !socket.receive(atMost: 100).isEmpty)
    let port = try #require(live.address.split(separator: ":").last.flatMap { UInt16($0) })
    var queues: [Int] = []
    // The kernel's list is told in parts, and what others open and close meanwhile can hide a line of it.
    while queues.isEmpty {
      let list = try FileHandle(forReadingFrom: URL(filePath: "/proc/net/tcp")).readToEnd() ?? Data()
      for line in String(decoding: list, as: UTF8.self).split(separator: "\n").dropFirst() {
        let columns = line.split(separator: " ")
        // At the server's end, and not the listener: how much of what was sent is still to be taken.
        guard UInt16(columns[1].suffix(4), radix: 16) == port, columns[3] != "0A" else { continue }
        queues.append(Int(columns[4].prefix(8), radix: 16) ?? 0)
      }
    }
    #expect(queues.allSatisfy { $0 <= 512 * 1024 }, "\(queues)")
  }

  @Test func `a reader that takes nothing delays nobody, and gets the newest value`() throws {
    let live = try LiveService(Pantry())
    defer { live.stop() }
    let stalled = try SocketEventStream(live.address, "/state/draft")
    let quick = try SocketEventStream(live.address, "/state/draft")
    #expect(try stalled.next()?.data == "null")
    #expect(try quick.next()?.data == "null")
    let rounds = 30
    for round in 1...rounds {
      live.store.post { $0.draft = "\(round)" + String(repeating: "x", count: 60_000) }
      #expect(try quick.next()?.data.prefix(16).hasPrefix("{\"some\":\"\(round)x") == true)
    }
    var told = 0
    var last = ""
    while !last.hasPrefix("{\"some\":\"\(rounds)x"), let event = try stalled.next() {
      told += 1
      last = String(event.data.prefix(16))
    }
    #expect(last.hasPrefix("{\"some\":\"\(rounds)x"))
    #expect(told < rounds, "what it missed was merged")
  }

  @Test func `subscribers on all loops hear each the last of what others commit meanwhile`() throws {
    let live = try LiveService(Pantry(), eventLoops: 2)
    defer { live.stop() }
    let (store, last) = (live.store, 2_000)
    let writer = try Committer(last) { number in store.post { $0.count = number } }
    var streams: [(stream: SocketEventStream, seen: Int)] = []
    while store.revision < last, streams.count < 40 {
      streams.append((try SocketEventStream(live.address, "/state/count"), -1))
    }
    writer.join()
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
