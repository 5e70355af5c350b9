import BinderySystem
import BinderyTestKit
import BindingLaws
import Foundation
import Glibc
import Testing

/// Recovery after the server process is killed at random moments.
@Suite(.serialized)
struct KillTests {
  private static let writers = 4

  /// The number of kills; `scripts/kill` sets another one.
  private static let rounds = ProcessInfo.processInfo.environment["KILL_ROUNDS"].flatMap { Int($0) }

  @Test(.timeLimit(.minutes(20)), arguments: [(KilledProgram.menu, 30), (.stranger, 10)])
  func `a killed server loses no write that it acknowledged or returned and applies no patch partially`(
    _ program: KilledProgram, _ rounds: Int
  ) throws {
    let rounds = Self.rounds ?? rounds
    let folder = try TemporaryFolder()
    let ledger = Ledger()
    var random = SeededGenerator(seed: 4)
    for round in 0..<rounds {
      let server = try Server(store: folder("store.db"), program: program.executable)
      #expect(server.startupOutput.contains("they were recovered up to revision") == (round > 0))
      try check(server, program, ledger, round)
      run(server, program, ledger, killingAfter: Int.random(in: 1...40, using: &random))
    }
    let server = try Server(store: folder("store.db"), program: program.executable)
    try check(server, program, ledger, rounds)
    #expect(server.stop() == 0)
    #expect(ledger.total > rounds)
    #expect((0..<Self.writers).contains { ledger[$0].observed > 0 }, "the reader has seen no write")
    print("\(program): \(rounds) kills, \(ledger.total) acknowledged writes")
  }

  @Test func `a session that was ended stays ended after a kill`() throws {
    let folder = try TemporaryFolder()
    let token = "alice-token-0123456789"
    try "\(token)\n".write(toFile: folder("tokens"), atomically: true, encoding: .utf8)
    func server() throws -> Server {
      try Server(store: folder("store.db"), options: ["--token-file", folder("tokens")])
    }
    func signIn(_ client: SocketClient) throws -> SocketClient.Fields {
      let reply = try client.send("POST", "/session", nil, ["Authorization": "Bearer \(token)"])
      return ["Cookie": String(try #require(reply["Set-Cookie"]).prefix { $0 != ";" })]
    }
    let first = try server()
    let (ended, other) = (try signIn(first.client), try signIn(first.client))
    #expect(try first.client.send("DELETE", "/session", nil, ended).status == 204)
    first.kill()
    let second = try server()
    #expect(try second.client.get("/state", ended).status == 401)
    #expect(try second.client.get("/state", other).status == 200)
    #expect(try Server.run("backup", "--store", folder("store.db"), folder("copy.db")).code == 0)
  }

  /// Writes and reads concurrently, and kills the server after more writes were acknowledged.
  private func run(_ server: Server, _ program: KilledProgram, _ ledger: Ledger, killingAfter count: Int) {
    let target = (0..<Self.writers).reduce(0) { $0 + ledger[$1].acknowledged } + count
    let address = server.address
    let killer = ProcessKiller(server.processID)
    var threads: [BinderySystem.Thread] = []
    for writer in 0..<Self.writers {
      let first = ledger[writer].acknowledged
      let thread = try? BinderySystem.Thread {
        Self.write(program, address, writer, first, ledger, target, killer)
      }
      threads += [thread].compactMap { $0 }
    }
    threads += [try? BinderySystem.Thread { Self.read(program, address, ledger) }].compactMap { $0 }
    for thread in threads { thread.join() }
    server.kill()
  }

  /// Writes until the connection fails. Kills the server when the total of acknowledged writes reaches `target`.
  private static func write(
    _ program: KilledProgram, _ address: String, _ writer: Int, _ first: Int, _ ledger: Ledger, _ target: Int,
    _ killer: ProcessKiller
  ) {
    guard let client = try? SocketClient(address) else { return }
    // The write before the crash may have been stored without an acknowledgment, so its number is not used again.
    var number = first + 2
    while true {
      let path = program.path(writer)
      let reply =
        first == 0 && number == 2
        ? try? client.put(path, program.value(writer, number))
        : try? client.patch(path, program.patch(number), Ledger.patchType)
      guard let reply else { return }
      guard reply.status < 300 else {
        Issue.record("\(reply)")
        return killer.kill()
      }
      if ledger.acknowledge(number, of: writer, reply) >= target { killer.kill() }
      number += 1
    }
  }

  /// Reads the values of all writers until the connection fails.
  private static func read(_ program: KilledProgram, _ address: String, _ ledger: Ledger) {
    guard let client = try? SocketClient(address) else { return }
    while true {
      for writer in 0..<writers {
        guard let reply = try? client.get(program.path(writer)) else { return }
        if reply.status == 200, let number = program.number(reply) { ledger.observe(number, of: writer) }
      }
    }
  }

  /// Compares the state of the server with the ledger.
  private func check(_ server: Server, _ program: KilledProgram, _ ledger: Ledger, _ round: Int) throws {
    let client = try server.client
    for writer in 0..<Self.writers {
      let entry = ledger[writer]
      let reply = try client.get(program.path(writer))
      if reply.status == 404, entry == Ledger.Entry() { continue }
      let number = try #require(program.number(reply), "round \(round): partial patch: \(reply)")
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
