import BinderySystem
import BinderyTestKit
import Testing

/// What is left when the process ends in the middle of whatever it does.
@Suite(.serialized)
struct KillTests {
  private static let writers = 4

  @Test(.timeLimit(.minutes(10)))
  func `a hundred times killed, it has all that it acknowledged or showed, and no half of a patch`() throws {
    let folder = try Folder()
    let ledger = Ledger()
    var random = SeededGenerator(seed: 4)
    for round in 0..<100 {
      let server = try Server(store: folder("store.db"))
      #expect(server.greeting.contains("was not closed") == (round > 0))
      try check(server, ledger, round)
      run(server, ledger, until: Int.random(in: 1...40, using: &random))
    }
    let server = try Server(store: folder("store.db"))
    try check(server, ledger, 100)
    #expect(server.stop() == 0)
  }

  /// Writes and reads until so many more writes are acknowledged, and kills the server then.
  private func run(_ server: Server, _ ledger: Ledger, until count: Int) {
    let target = (0..<Self.writers).reduce(0) { $0 + ledger[$1].acknowledged } + count
    let address = server.address
    let killed = Signal(server.processID)
    var threads: [BinderySystem.Thread] = []
    for writer in 0..<Self.writers {
      let first = ledger[writer].acknowledged
      threads += [try? BinderySystem.Thread { Self.write(address, writer, first, ledger, target, killed) }].compactMap {
        $0
      }
    }
    threads += [try? BinderySystem.Thread { Self.read(address, ledger) }].compactMap { $0 }
    for thread in threads { thread.join() }
    server.kill()
  }

  private static func write(
    _ address: String, _ writer: Int, _ first: Int, _ ledger: Ledger, _ target: Int, _ killed: Signal
  ) {
    guard let client = try? SocketClient(address) else { return }
    // The write before the crash may have been kept without a word: its number is not used again.
    var number = first + 2
    while true {
      let path = Ledger.path(of: writer)
      let reply =
        first == 0 && number == 2
        ? try? client.put(path, Ledger.dish(of: writer, number))
        : try? client.patch(path, Ledger.patch(number), Ledger.patchType)
      guard let reply else { return }
      guard reply.status < 300 else {
        Issue.record("\(reply)")
        return killed.strike()
      }
      if ledger.acknowledge(number, of: writer, reply) >= target { killed.strike() }
      number += 1
    }
  }

  private static func read(_ address: String, _ ledger: Ledger) {
    guard let client = try? SocketClient(address) else { return }
    while true {
      for writer in 0..<writers {
        guard let reply = try? client.get(Ledger.path(of: writer)) else { return }
        if reply.status == 200, let number = Ledger.number(in: reply) { ledger.show(number, of: writer) }
      }
    }
  }

  private func check(_ server: Server, _ ledger: Ledger, _ round: Int) throws {
    let client = try server.client
    for writer in 0..<Self.writers {
      let entry = ledger[writer]
      let reply = try client.get(Ledger.path(of: writer))
      if reply.status == 404, entry == Ledger.Entry() { continue }
      let number = try #require(Ledger.number(in: reply), "round \(round): half a patch: \(reply)")
      #expect(number >= entry.acknowledged, "round \(round)")
      #expect(number >= entry.seen, "round \(round)")
      #expect(number <= entry.acknowledged + 2, "round \(round)")
      if number == entry.acknowledged { #expect(reply.etag == entry.etag, "round \(round)") }
      #expect(try #require(reply.revision) >= ledger.revision, "round \(round)")
      // What was kept without a word counts from now on.
      _ = ledger.acknowledge(number, of: writer, reply)
    }
  }
}
