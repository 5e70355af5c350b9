import BinderyTestKit
import Foundation
import Testing

/// The header `State-History`, which names the history that revision numbers belong to.
@Suite(.serialized)
struct StateHistoryTests {
  private let folder: TemporaryFolder
  private var store: String { folder("store.db") }

  init() throws { folder = try TemporaryFolder() }

  /// Starts a server, and returns its history and revision.
  private func version(of store: String, options: [String] = []) throws -> (history: String, revision: Int) {
    let server = try Server(store: store, options: options)
    let reply = try server.client.get("/state")
    #expect(server.stop() == 0)
    return (try #require(reply["State-History"]), try #require(reply.revision))
  }

  @Test func `a restart continues the history, also after the server was killed`() throws {
    let first = try version(of: store)
    let server = try Server(store: store)
    #expect(try server.client.patch("/state/time", #""tomorrow""#)["State-History"] == first.history)
    server.kill()
    #expect(try version(of: store) == (first.history, 1))
  }

  @Test func `each start of a store in memory begins a history`() throws {
    #expect(try version(of: "memory").history != version(of: "memory").history)
  }

  @Test func `a backup and a restored store begin histories of their own`() throws {
    let original = try version(of: store)
    #expect(try Server.run("backup", folder("copy.db"), "--store", store).code == 0)
    #expect(try Server.run("restore", folder("copy.db"), "--store", folder("new.db")).code == 0)
    #expect(try version(of: store).history == original.history)
    #expect(try Server.run("restore", folder("copy.db"), "--store", store).code == 0)
    let histories = try [folder("copy.db"), folder("new.db"), store].map { try version(of: $0).history }
    #expect(Set(histories + [original.history]).count == 4)
  }

  @Test func `an import begins a history and continues the revision numbers`() throws {
    let first = try version(of: store)
    let exported = try Server.run("export", "--store", store).output
    #expect(try version(of: store) == first, "an export changes nothing")
    let changed = exported.replacing("Caprese Salad", with: "Greek Salad")
    #expect(try Server.run("import", "--store", store, input: changed).code == 0)
    let imported = try version(of: store)
    #expect(imported.history != first.history)
    #expect(imported.revision == 1)
  }

  @Test func `new initial data begin a history`() throws {
    let data = folder("db.json")
    try Data(#"{"count": 1}"#.utf8).write(to: URL(filePath: data))
    let first = try version(of: store, options: ["--from", data])
    #expect(try version(of: store, options: ["--from", data]) == first)
    try Data(#"{"count": 2}"#.utf8).write(to: URL(filePath: data))
    let reseeded = try version(of: store, options: ["--from", data, "--reseed"])
    #expect(reseeded.history != first.history)
    #expect(reseeded.revision == 1)
  }
}
