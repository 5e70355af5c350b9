import BinderySystem
import BinderyTestKit
import Glibc
import Testing

/// Recovery after the server process is killed at random moments.
@Suite(.serialized)
struct KillTests {
  private static let writers = 4

  @Test(.timeLimit(.minutes(10)))
  func `a killed server loses no write that it acknowledged or returned and applies no patch partially`() throws {
    let folder = try TemporaryFolder()
    let ledger = Ledger()
    var random = SeededGenerator(seed: 4)
    for round in 0..<100 {
      let server = try Server(store: folder("store.db"))
      #expect(server.startupOutput.contains("was not closed") == (round > 0))
      try check(server, ledger, round)
      run(server, ledger, killingAfter: Int.random(in: 1...40, using: &random))
    }
    let server = try Server(store: folder("store.db"))
    try check(server, ledger, 100)
    #expect(server.stop() == 0)
  }

  /// Writes and reads concurrently, and kills the server after more writes were acknowledged.
  private func run(_ server: Server, _ ledger: Ledger, killingAfter count: Int) {
    let target = (0..<Self.writers).reduce(0) { $0 + ledger[$1].acknowledged } + count
    let address = server.address
    let killer = ProcessKiller(server.processID)
    var threads: [BinderySystem.Thread] = []
    for writer in 0..<Self.writers {
      let first = ledger[writer].acknowledged
      threads += [try? BinderySystem.Thread { Self.write(address, writer, first, ledger, target, killer) }].compactMap {
        $0
      }
    }
    threads += [try? BinderySystem.Thread { Self.read(address, ledger) }].compactMap { $0 }
    for thread in threads { thread.join() }
    server.kill()
  }

  /// Writes until the connection fails. Kills the server when the total of acknowledged writes reaches `target`.
  private static func write(
    _ address: String, _ writer: Int, _ first: Int, _ ledger: Ledger, _ target: Int, _ killer: ProcessKiller
  ) {
    guard let client = try? SocketClient(address) else { return }
    // The write before the crash may have been stored without an acknowledgment, so its number is not used again.
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
        return killer.kill()
      }
      if ledger.acknowledge(number, of: writer, reply) >= target { killer.kill() }
      number += 1
    }
  }

  /// Reads the dishes of all writers until the connection fails.
  private static func read(_ address: String, _ ledger: Ledger) {
    guard let client = try? SocketClient(address) else { return }
    while true {
      for writer in 0..<writers {
        guard let reply = try? client.get(Ledger.path(of: writer)) else { return }
        if reply.status == 200, let number = Ledger.number(in: reply) { ledger.observe(number, of: writer) }
      }
    }
  }

  /// Compares the state of the server with the ledger.
  private func check(_ server: Server, _ ledger: Ledger, _ round: Int) throws {
    let client = try server.client
    for writer in 0..<Self.writers {
      let entry = ledger[writer]
      let reply = try client.get(Ledger.path(of: writer))
      if reply.status == 404, entry == Ledger.Entry() { continue }
      let number = try #require(Ledger.number(in: reply), "round \(round): partial patch: \(reply)")
      #expect(number >= entry.acknowledged, "round \(round)")
      #expect(number >= entry.observed, "round \(round)")
      #expect(number <= entry.acknowledged + 2, "round \(round)")
      if number == entry.acknowledged { #expect(reply.etag == entry.etag, "round \(round)") }
      #expect(try #require(reply.revision) >= ledger.revision, "round \(round)")
      // A write that was stored without an acknowledgment must also be present after the next kills.
      _ = ledger.acknowledge(number, of: writer, reply)
    }
  }
}

/// Kills a process from any thread.
private struct ProcessKiller: Sendable {
  private let processID: Int32

  init(_ processID: Int32) { self.processID = processID }

  func kill() { Glibc.kill(processID, SIGKILL) }
}
