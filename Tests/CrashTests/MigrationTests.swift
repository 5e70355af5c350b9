import BinderyCore
import BinderyJournal
import BinderyMenu
import BinderySQLite
import BinderyTestKit
import CBinderySQLite
import Foundation
import Testing

/// Stores of other versions of this program. `Support/version-1.store` was left by a server of format 1, whose rows had
/// no checksums: five revisions behind a snapshot. `Support/version-2.store` is what a server of format 2 has made of
/// it, whose revisions had rows of their own: a sixth was the next day.
@Suite(.serialized)
struct MigrationTests {
  private let folder: Folder
  private var store: String { folder("store.db") }
  private let original: Data

  init() throws {
    folder = try Folder()
    original = try Self.support(1)
    try original.write(to: URL(filePath: folder("store.db")))
  }

  private static func support(_ version: Int) throws -> Data {
    let source = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
    return try Data(contentsOf: source.appending(path: "Support/version-\(version).store"))
  }

  @Test(arguments: [1, 2])
  func `an older store is opened with its revisions, its history and its entity tags`(_ version: Int) throws {
    let original = try Self.support(version)
    try original.write(to: URL(filePath: store))
    for round in 0..<2 {
      let server = try Server(store: store)
      let client = try server.client
      #expect(try client.get("/state/dishes").etag == #""5Z0ev_QpfLC7mnNAQyB6sA""#, "round \(round)")
      #expect(try client.get("/state/lastCustomTime").etag == #""vxkQprw7XxQtFs8PJNIZ6g""#)
      #expect(try #require(try client.get("/state").revision) >= 5)
      #expect(server.stop() == 0)
    }
    #expect(try Data(contentsOf: URL(filePath: store)) != original)
  }

  @Test func `the history of an older store is told as it was`() throws {
    try Self.support(2).write(to: URL(filePath: store))
    let log = try SQLiteStorage(store)
    defer { log.close() }
    let page = try log.revisions(after: nil, limit: 10, Retention(revisions: 100, days: 36_500))
    #expect(page.oldest == 1)
    #expect(page.revisions.map(\.number) == Array(1...6))
    #expect(page.revisions.map(\.at).prefix(2) == [1_795_259_608_060, 1_795_259_608_159])
    let patch = #"[{"op":"replace","path":"/time","value":"tomorrow"}]"#
    #expect(String(decoding: page.revisions[3].patch, as: UTF8.self) == patch)
    #expect(page.revisions.map { $0.shown == nil } == [true, true, true, true, true, false])
    let shown = #"[{"op":"replace","path":"/today","value":"2026-11-21"}]"#
    #expect(page.revisions[5].shown.map { String(decoding: $0.undo, as: UTF8.self) } == shown)
  }

  @Test(arguments: ["serve", "export"])
  func `an older store of which a value has changed is named, and left as it is`(_ command: String) throws {
    try Self.support(2).write(to: URL(filePath: store))
    try change("UPDATE revision SET patch = replace(patch, 'quantity\",\"value\":12', 'quantity\",\"value\":19')")
    let bytes = try Data(contentsOf: URL(filePath: store))
    let refused = try Server.run(command, "--store", store, "--listen", "127.0.0.1:0")
    #expect(refused.code == 65)
    #expect(refused.errors.contains("revision 5 is not as it was written"), "\(refused.errors)")
    #expect(try Data(contentsOf: URL(filePath: store)) == bytes)
  }

  @Test(arguments: [1, 2])
  func `what only reads an older store leaves it as it is`(_ version: Int) throws {
    let original = try Self.support(version)
    try original.write(to: URL(filePath: store))
    let before = try Server.run("export", "--store", store)
    #expect(before.code == 0)
    #expect(before.output.contains(#""name":"Soup of the day","isFavorite":true,"status":{"inStock":{"quantity":12}}"#))
    #expect(try Server.run("backup", folder("copy.db"), "--store", store).code == 0)
    #expect(try Data(contentsOf: URL(filePath: store)) == original)
    #expect(try Server.run("export", "--store", folder("copy.db")).output == before.output)
  }

  @Test(arguments: [1, 2])
  func `wherever the power goes while it is brought up to date, nothing is lost`(_ version: Int) throws {
    let original = try Self.support(version)
    try original.write(to: URL(filePath: store))
    let tools = try Folder()
    let disk = try FaultyDisk(for: folder.path, toolsIn: tools)
    let expected = try Server.run("export", "--store", store).output
    var image = DiskImage(of: folder.path)
    for kind in [DiskImage.Event.Kind.write([UInt8](original), at: 0), .sync] {
      image.apply(DiskImage.Event(path: store, kind: kind, end: 0))
    }
    image.apply(DiskImage.Event(path: folder.path, kind: .sync, end: 0))
    // An import of what it holds opens the store, and changes nothing else.
    let opened = try Server.run(
      "import", "--store", store, input: expected, environment: disk.environment)
    #expect(opened.code == 0, "\(opened.errors)")
    let events = try DiskImage.Event.read(disk.record)
    #expect(events.count > 5)
    var random = SeededGenerator(seed: 3)
    for event in events {
      image.apply(event)
      for luck in DiskImage.Luck.allCases {
        let copy = try Folder()
        for (path, bytes) in image.files(luck, using: &random) where path.hasPrefix(folder.path + "/") {
          try Data(bytes).write(to: URL(filePath: copy.path + path.dropFirst(folder.path.count)))
        }
        let log = try SQLiteStorage(copy("store.db"))
        defer { log.close() }
        let found = try #require(try Recovery<Menu>(of: log))
        #expect(found.revision == version + 4)
        #expect(String(decoding: Menu.shape.stored(found.root), as: UTF8.self) + "\n" == expected)
      }
    }
  }

  @Test(arguments: ["serve", "export", "import"])
  func `a store of a later version is refused, and left as it is`(_ command: String) throws {
    try change("PRAGMA user_version = 99")
    let before = try Data(contentsOf: URL(filePath: store))
    let refused = try Server.run(command, "--store", store, "--listen", "127.0.0.1:0", input: "{}")
    if command != "import" {
      #expect(refused.errors == "bindery: \(store): a later version of this program has written it (format 99)\n")
    }
    #expect(refused.code == 65)
    #expect(try Data(contentsOf: URL(filePath: store)) == before)
  }

  @Test func `a model that has lost and gained members says so, and keeps what it knows`() throws {
    try change(#"UPDATE snapshot SET content = replace(content, '"editing":null', '"motto":"Eat"')"#)
    try change("UPDATE setting SET value = replace(value, '/editing', '/motto') WHERE name = 'layout'")
    let server = try Server(store: store)
    #expect(server.greeting.contains("\(store): new in the model: /editing"))
    #expect(server.greeting.contains("\(store): no longer in the model: /motto"))
    #expect(try server.client.get("/state/editing").text == "null")
    #expect(try server.client.get("/state/dishes").etag == #""5Z0ev_QpfLC7mnNAQyB6sA""#)
    #expect(server.stop() == 0)
    // Once written anew it is nothing to speak of.
    #expect(try !Server(store: store).greeting.contains("in the model"))
  }

  @Test(
    arguments: [
      (#""time":"tonight""#, #""time":"today""#, "/time"),
      (#""isFavorite":false"#, #""isFavorite":"no""#, "/dishes/0/isFavorite"),
      (#""name":"#, #""label":"#, "/dishes/0/name"),
    ])
  func `what the model cannot stand for is refused, and named`(
    _ text: String, _ other: String, _ pointer: String
  ) throws {
    try change("UPDATE snapshot SET content = replace(content, '\(text)', '\(other)')")
    let refused = try Server.run("serve", "--store", store, "--listen", "127.0.0.1:0")
    #expect(refused.code == 65)
    #expect(
      refused.errors.hasPrefix("bindery: \(store) is not readable with this model: the snapshot of revision 0: "))
    #expect(refused.errors.hasSuffix("(at \(pointer))\n"), "\(refused.errors)")
  }

  @Test func `a revision of which a value has changed is named, and nothing is served`() throws {
    // Brought up to date, so that there are checksums.
    #expect(try Server(store: store).stop() == 0)
    try change("UPDATE batch SET lines = replace(lines, 'quantity\",\"value\":12', 'quantity\",\"value\":19')")
    for command in ["serve", "export"] {
      let refused = try Server.run(command, "--store", store, "--listen", "127.0.0.1:0")
      #expect(refused.code == 65)
      #expect(
        refused.errors
          == "bindery: \(store) is damaged: one of the revisions 1 to 5 is not as it was written; bring back a backup\n"
      )
    }
  }

  /// Changes the file as another version of the program might have left it.
  private func change(_ sql: String) throws {
    var database: OpaquePointer?
    defer { unsafe sqlite3_close(database) }
    #expect(unsafe sqlite3_open_v2(store, &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
    #expect(unsafe sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK)
  }
}
