import BinderyJournal
import BinderySQLite
import BinderyTestKit
import CBinderySQLite
import Foundation
import Testing

/// Stores that were written by another version of the program or model, or changed on disk.
@Suite(.serialized)
struct CompatibilityTests {
  private let folder: TemporaryFolder
  private var store: String { folder("store.db") }
  /// The ETag of `/state/dishes` in the store.
  private let dishesETag: String?

  /// Writes a store with five revisions and a snapshot of the last one.
  init() throws {
    folder = try TemporaryFolder()
    let server = try Server(store: folder("store.db"))
    let client = try server.client
    for number in 1...4 { _ = try client.patch("/state/pinnedDish", #"{"name":"dish \#(number)"}"#) }
    #expect(try client.patch("/state/pinnedDish/status/inStock/quantity", "12").status == 200)
    dishesETag = try client.get("/state/dishes").etag
    #expect(server.stop() == 0)
  }

  @Test(arguments: ["serve", "export", "import"], [0, 2, 99])
  func `a store with another format is rejected and left unchanged`(_ command: String, _ format: Int) throws {
    try change("PRAGMA user_version = \(format)")
    let before = try Data(contentsOf: URL(filePath: store))
    let refused = try Server.run(command, "--store", store, "--listen", "127.0.0.1:0", input: "{}")
    #expect(refused.code == 65)
    if command != "import" {
      #expect(
        refused.errors.contains("the store has format \(format), but this version of Bindery reads only format 1"))
    }
    #expect(try Data(contentsOf: URL(filePath: store)) == before)
  }

  @Test func `export and backup leave a store unchanged`() throws {
    let before = try Data(contentsOf: URL(filePath: store))
    let exported = try Server.run("export", "--store", store)
    #expect(exported.code == 0)
    #expect(try Server.run("backup", folder("copy.db"), "--store", store).code == 0)
    #expect(try Data(contentsOf: URL(filePath: store)) == before)
    #expect(try Server.run("export", "--store", folder("copy.db")).output == exported.output)
  }

  @Test func `added and removed members are reported and all others are recovered`() throws {
    try rewriteSnapshot { content, layout in
      content = content.replacingOccurrences(of: #""editing":null"#, with: #""motto":"Eat""#)
      layout = layout.replacingOccurrences(of: "/editing", with: "/motto")
    }
    let server = try Server(store: store)
    #expect(server.startupOutput.contains("\(store): added to the model: /editing"))
    #expect(server.startupOutput.contains("\(store): removed from the model: /motto"))
    #expect(try server.client.get("/state/editing").text == "null")
    #expect(try server.client.get("/state/dishes").etag == dishesETag)
    #expect(try server.client.patch("/state/time", #""tomorrow""#).status == 200)
    #expect(server.stop() == 0)
    // The server wrote a snapshot with the new layout, so the next start has nothing to report.
    #expect(try !Server(store: store).startupOutput.contains("the model:"))
  }

  @Test(
    arguments: [
      (#""time":"tonight""#, #""time":"today""#, "/time"),
      (#""isFavorite":false"#, #""isFavorite":"no""#, "/dishes/*/isFavorite"),
      (#""name":"#, #""label":"#, "/dishes/*/name"),
    ])
  func `a value that the model cannot represent is rejected with its place`(
    _ text: String, _ replacement: String, _ place: String
  ) throws {
    try rewriteSnapshot { content, _ in content = content.replacingOccurrences(of: text, with: replacement) }
    let refused = try Server.run("serve", "--store", store, "--listen", "127.0.0.1:0")
    #expect(refused.code == 78)
    let lines = refused.errors.split(separator: "\n")
    #expect(lines.first == "bindery: \(store) does not fit the model of this server: nothing was changed")
    #expect(lines.contains { $0.hasPrefix("\(place): ") }, "\(refused.errors)")
  }

  @Test func `a changed row is reported with its revisions and nothing is served`() throws {
    // A clean stop writes a snapshot, so the next start reads only later rows.
    let server = try Server(store: store)
    #expect(try server.client.patch("/state/pinnedDish/status/inStock/quantity", "13").status == 200)
    server.kill()
    try change(#"UPDATE batch SET patches = replace(patches, 'status/inStock/quantity', 'status/inStock/quantitz')"#)
    let damaged = try Data(contentsOf: URL(filePath: store))
    for command in ["serve", "export"] {
      let refused = try Server.run(command, "--store", store, "--listen", "127.0.0.1:0")
      #expect(refused.code == 65)
      #expect(
        refused.errors
          == "bindery: \(store) is damaged: revision 6 failed its integrity check; restore a backup\n")
      #expect(try Data(contentsOf: URL(filePath: store)) == damaged)
    }
  }

  /// Changes the file with SQL without updating checksums.
  private func change(_ sql: String) throws {
    var database: OpaquePointer?
    defer { unsafe sqlite3_close(database) }
    #expect(unsafe sqlite3_open_v2(store, &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
    #expect(unsafe sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK)
  }

  /// Replaces the content and layout of the snapshot. The checksums stay valid, as if another version of the model had
  /// written it.
  private func rewriteSnapshot(_ edit: (_ content: inout String, _ layout: inout String) -> Void) throws {
    let storage = try SQLiteStorage(store)
    defer { storage.close() }
    let snapshot = try #require(try storage.snapshot())
    var content = String(decoding: snapshot.content, as: UTF8.self)
    var layout = try #require(snapshot.layout)
    edit(&content, &layout)
    try storage.finish(piece: Array(content.utf8), number: 0, ofSnapshotAt: snapshot.revision, layout: layout)
  }
}
