import BinderySystem
import BinderyTestKit
import BindingLaws
import Foundation
import Testing

/// A data file and a store that clients, editors and crashes change in any order.
@Suite(.serialized)
struct SyncTests {
  /// The number of operations; `SYNC_OPERATIONS` sets another one.
  private static let operations = ProcessInfo.processInfo.environment["SYNC_OPERATIONS"].flatMap { Int($0) } ?? 150

  @Test(.timeLimit(.minutes(10)), arguments: [1, 2, 3])
  func `nothing is lost between clients, editors, kills and restarts`(seed: UInt64) throws {
    var machine = try SyncMachine(seed: seed)
    for _ in 0..<Self.operations { try machine.step() }
    try machine.finish()
  }

  @Test func `a change of the file reaches a watcher as the change of one place`() throws {
    let folder = try TemporaryFolder()
    let path = folder("db.json")
    try Data(SyncLedger.text([:]).utf8).write(to: URL(filePath: path))
    let server = try Server(options: ["--from", path, "--sync", "--no-auth"])
    let other = try server.client.get("/state/a")
    let stream = try SocketEventStream(server.address, "/state/b/n")
    #expect(try stream.next()?.data == "0")
    try Data(SyncLedger.text(["b": 7]).utf8).write(to: URL(filePath: path))
    #expect(try stream.next()?.data == "7")
    #expect(try server.client.get("/state/a").etag == other.etag)
    #expect(try server.client.get("/state").revision == 1)
    #expect(server.stop() == 0)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == SyncLedger.text(["b": 7]))
  }

  @Test(arguments: ["blog", "devices", "flags", "settings"])
  func `a file in step keeps its text except for what changes`(name: String) throws {
    let folder = try TemporaryFolder()
    let path = folder("db.json")
    let source = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../Examples/data/\(name).json")
    let text = try String(contentsOf: source, encoding: .utf8)
    try Data(text.utf8).write(to: URL(filePath: path))
    let server = try Server(options: ["--from", path, "--sync", "--no-auth"])
    let state = try server.client.get("/state").text
    #expect(try server.client.put("/state", state).status == 200)
    #expect(server.stop() == 0)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
  }

  @Test func `with an open model, a member that is new in the file is served`() throws {
    let folder = try TemporaryFolder()
    let path = folder("db.json")
    try Data("{\n  \"a\": 1\n}\n".utf8).write(to: URL(filePath: path))
    let server = try Server(options: ["--from", path, "--sync", "--open", "--no-auth"])
    let stream = try SocketEventStream(server.address, "/state/b")
    #expect(try stream.next()?.type == "absent")
    try Data("{\n  \"a\": 1,\n  \"b\": [2]\n}\n".utf8).write(to: URL(filePath: path))
    #expect(try stream.next()?.data == "[2]")
    #expect(try server.client.put("/state/c", "3").status == 201)
    #expect(server.stop() == 0)
    #expect(
      try String(contentsOfFile: path, encoding: .utf8) == "{\n  \"a\": 1,\n  \"b\": [2],\n  \"c\": 3\n}\n")
  }

  @Test func `files that cannot be replaced are refused before the store is created`() throws {
    let folder = try TemporaryFolder()
    let (path, link) = (folder("db.json"), folder("link.json"))
    try Data("{\"a\": 1}".utf8).write(to: URL(filePath: path))
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    for command in ["serve", "check"] {
      let refused = try Server.run(command, "--from", link, "--sync")
      #expect(refused.code == 78)
      #expect(
        refused.errors
          == "bindery: \(link) is a symbolic link, which --sync would replace by a file: pass its target, \(path)\n")
      let mounted = try Server.run(
        command, "--from", path, "--sync",
        shell: "exec unshare --mount sh -c 'mount --bind \(path) \(path) && exec \"$@\"' sh")
      // Only root can mount.
      if getuid() == 0 {
        #expect(mounted.code == 78)
        #expect(mounted.errors.contains("is a mount point"), "\(mounted)")
      }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder("")).sorted() == ["db.json", "link.json"])
    let alone = try Server.run("serve", "--sync")
    #expect(alone.code == 64)
    #expect(alone.errors == "bindery: --sync requires --from: it synchronizes the data file with the store\n")
  }
}

/// Runs random operations on a server and its data file.
private struct SyncMachine {
  private let folder: TemporaryFolder
  private var path: String { folder("db.json") }
  private var random: SeededGenerator
  private var ledger = SyncLedger()
  private var server: Server?
  private var client: SocketClient?
  /// The output of all servers.
  private var output = ""
  /// The last edit, while its text may still be in the file.
  private var lastEdit: (text: String, number: Int)?
  /// The values in the last valid text that the editor has loaded.
  private var lastValues: SyncLedger.Values = Dictionary(uniqueKeysWithValues: SyncLedger.slots.map { ($0, 0) })

  init(seed: UInt64) throws {
    folder = try TemporaryFolder()
    random = SeededGenerator(seed: seed)
    try Data(SyncLedger.text([:]).utf8).write(to: URL(filePath: folder("db.json")))
    try start()
  }

  private mutating func start() throws {
    let server = try Server(options: ["--from", path, "--sync", "--no-auth"])
    self.server = server
    client = try server.client
    #expect(try values() != nil)
  }

  private var text: String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }

  /// The values in the store.
  private func values() throws -> SyncLedger.Values? {
    try client.flatMap { SyncLedger.values(try $0.get("/state").text) }
  }

  mutating func step() throws {
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<8: try write()
    case 8..<13: try edit()
    case 13: try editWrongly()
    case 14..<17: try waitUntilInStep()
    case 17: try end { $0.kill() }
    case 18: try killDuringWrite()
    default: try end { #expect($0.stop() == 0) }
    }
  }

  private mutating func write() throws {
    guard let client else { return try start() }
    let (slot, number) = (random.pick(SyncLedger.slots), ledger.next())
    let reply = try client.patch("/state/\(slot)", "{\"n\":\(number)}")
    #expect(reply.status == 200, "\(reply)")
    ledger.didWrite(number, to: slot)
  }

  /// Changes one slot like an editor that has just loaded the file, or corrects a text that is not valid.
  private mutating func edit() throws {
    let number = ledger.next()
    lastValues = SyncLedger.values(text) ?? lastValues
    var values = lastValues
    values[random.pick(SyncLedger.slots)] = number
    try save(SyncLedger.text(values), values, number)
  }

  private mutating func save(_ new: String, _ values: SyncLedger.Values, _ number: Int) throws {
    let isAtomic = random.chance(50)
    let replaced = lastEdit.flatMap { text == $0.text ? $0.number : nil }
    try Data(new.utf8).write(to: URL(filePath: path), options: isAtomic ? .atomic : [])
    ledger.didEdit(values, number: number, replacing: replaced)
    lastEdit = (new, number)
  }

  private mutating func editWrongly() throws {
    let number = ledger.next()
    let new = "{\"wrong\": \(number)" + (random.chance(50) ? "}" : "")
    try save(new, [:], number)
  }

  /// Waits until the file and the store agree, or the file is not valid.
  private func waitUntilInStep() throws {
    guard client != nil else { return }
    let watch = try DirectoryWatch(File.directory(of: path))
    var poll = try Poll(capacity: 1)
    try poll.add(watch, token: 0)
    for _ in 0..<1_000 {
      guard let file = SyncLedger.values(text), try values() != file else { return }
      _ = poll.wait(milliseconds: 20)
      _ = watch.events()
    }
    Issue.record("the file and the store do not agree:\n\(text)\(try values() ?? [:])\n\(server?.output ?? "")")
  }

  /// Ends the server, and examines what it leaves behind.
  private mutating func end(_ end: (Server) -> Void) throws {
    guard let ended = server else { return try start() }
    end(ended)
    output += ended.output
    (server, client) = (nil, nil)
  }

  /// Kills the server at the moment at which it begins to replace the file.
  private mutating func killDuringWrite() throws {
    guard let running = server else { return try start() }
    let watch = try DirectoryWatch(File.directory(of: path))
    var poll = try Poll(capacity: 1)
    try poll.add(watch, token: 0)
    try write()
    let names = random.pick([[".db.json.sync-new"], [".db.json.sync"], ["db.json"]])
    for _ in 0..<100 {
      _ = poll.wait(milliseconds: 20)
      if watch.events().contains(where: { names.contains($0.name ?? "") }) { break }
    }
    try end { _ in running.kill() }
  }

  /// Checks that nothing was lost.
  mutating func finish() throws {
    if server == nil { try start() }
    // The server has seen every text when it has seen a valid one after it.
    try edit()
    try waitUntilInStep()
    let final = try #require(try values())
    #expect(SyncLedger.values(text) == final)
    #expect(ledger.lostWrites(in: final) == [])
    let history = try #require(try client?.get("/history?limit=1000").text)
    let kept = try FileManager.default.contentsOfDirectory(atPath: File.directory(of: path))
      .filter { $0.contains(".conflict") }
      .map { try String(contentsOfFile: folder($0), encoding: .utf8) }.joined(separator: "\n")
    try end { #expect($0.stop() == 0) }
    for number in ledger.edits {
      let isRead = history.contains("\"value\":\(number)}") || kept.contains(" \(number)")
      #expect(isRead, "the edit \(number) was neither read nor kept:\n\(output)")
    }
    #expect(SyncLedger.values(text) == final)
    try start()
    #expect(try values() == final)
    #expect(server?.output.contains("conflict") == false)
    try end { $0.kill() }
  }
}
