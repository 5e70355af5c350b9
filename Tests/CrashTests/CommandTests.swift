import BinderyTestKit
import Foundation
import Testing

/// The commands `export`, `import` and `backup`, and the options that are stored.
@Suite(.serialized)
struct CommandTests {
  private let folder: TemporaryFolder
  private var store: String { folder("store.db") }

  /// Without its capabilities, the rights of a file also hold for root. A server that should have refused to start ends.
  private static let unprivileged = """
    exec timeout 60 \
      $([ "$(id -u)" != 0 ] || echo setpriv --bounding-set=-dac_override,-dac_read_search --inh-caps=-all)
    """

  init() throws { folder = try TemporaryFolder() }

  /// Writes a store with some history and stops its server.
  ///
  /// - Returns: The state and its ETag.
  private func createStore(_ path: String) throws -> (state: String, etag: String?) {
    let server = try Server(store: path)
    let client = try server.client
    _ = try client.patch("/state", #"{"time":{"custom":"2026-12-24T18:00:00Z"}}"#)
    _ = try client.patch("/state", #"{"time":"tomorrow","editing":{"some":null}}"#)
    _ = try client.put("/state/dishes/00000000-0000-8000-8000-0000000000aa", #"{"name":"Soup"}"#)
    let state = try client.get("/state")
    #expect(server.stop() == 0)
    return (state.text, state.etag)
  }

  @Test func `a check refuses a store that a start could not write, and a folder for it`() throws {
    _ = try createStore(store)
    func codes(_ path: String) throws -> [Int32] {
      let check = try Server.run("check", "--store", path, shell: Self.unprivileged)
      #expect(check.errors.contains(path), "\(check.errors)")
      let serve = try Server.run(
        "serve", "--listen", "127.0.0.1:0", "--store", path, shell: Self.unprivileged)
      return [check.code, serve.code]
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: store)
    #expect(try codes(store) == [78, 74])
    // SQLite gives the files beside the store its permissions.
    #expect(try Server.run("export", "--store", store, shell: Self.unprivileged).code == 0)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: store)
    #expect(try codes(store) == [78, 78])
    for suffix in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: store + suffix) }
    for mode in [0o500, 0o000] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path)
      defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path) }
      for path in [store, folder("new.db")] { #expect(try codes(path) == [78, 78], "\(mode) \(path)") }
    }
    #expect(try Server.run("check", "--store", store, shell: Self.unprivileged).code == 0)
  }

  @Test func `a check shows values that can be passed, and says what a start would write`() throws {
    let data = folder("list.json")
    try Data("{\"a\": 1}".utf8).write(to: URL(filePath: data))
    let check = try Server.run("check", "--from", data)
    #expect(check.code == 0)
    #expect(check.errors.contains("a start of the server writes it to \(folder("list.model.json"))"), "\(check.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder("list.model.json")))
    let threads = try #require(check.output.firstMatch(of: /threads=([1-9][0-9]*)/)?.output.1)
    #expect(try Server.run("check", "--from", data, "--threads", String(threads)).output == check.output)
  }

  @Test func `a check refuses a data file in a folder that a start could not write`() throws {
    let data = folder("list.json")
    try Data("{\"a\": 1}".utf8).write(to: URL(filePath: data))
    try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder.path)
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path) }
    func run(_ command: String) throws -> ChildProcess.Result {
      try Server.run(command, "--listen", "127.0.0.1:0", "--from", data, "--store", "memory", shell: Self.unprivileged)
    }
    let (check, start) = (try run("check"), try run("serve"))
    #expect(check.code == 78 && start.code == 73, "\(check) \(start)")
    #expect(check.errors == start.errors)
  }

  @Test func `output that is lost is an error`() throws {
    let shell = "exec >/dev/full; exec"
    for result in [
      try Server.run("version", shell: shell), try Server.run("--help", shell: shell),
      try Server.run("serve", "--help", shell: shell), try Server.run("check", "--store", "memory", shell: shell),
    ] {
      #expect(result.code == 74, "\(result)")
      #expect(result.errors.contains("the output is incomplete"), "\(result.errors)")
    }
  }

  @Test func `a start with --open says that the model file is used`() throws {
    let data = folder("list.json")
    try Data("{\"a\": 1}".utf8).write(to: URL(filePath: data))
    let warning = "the option --open has no effect, because \(folder("list.model.json")) exists"
    func check() throws -> String { try Server.run("check", "--from", data, "--store", "memory", "--open").errors }
    #expect(try !check().contains(warning))
    // An open model that was inferred is kept.
    let types = try Server.run("types", "--json-schema", "--from", data, "--open")
    try Data(types.output.utf8).write(to: URL(filePath: folder("list.model.json")))
    #expect(try !check().contains(warning))
    let closed = try Server.run("types", "--json-schema", "--model", folder("list.model.json")).output
      .replacing(#""additionalProperties": true"#, with: #""additionalProperties": false"#)
    try Data(closed.utf8).write(to: URL(filePath: folder("list.model.json")))
    #expect(try check().contains(warning))
  }

  @Test func `an exported state can be imported into a new store`() throws {
    let before = try createStore(store)
    let exported = try Server.run("export", "--store", store)
    #expect(exported.code == 0)
    #expect(exported.output.contains("evening"))
    let copy = folder("copy.db")
    let imported = try Server.run("import", "--store", copy, input: exported.output)
    #expect(imported.code == 0, "\(imported.errors)")
    #expect(try Server.run("export", "--store", copy).output == exported.output)
    let server = try Server(store: copy)
    #expect(try server.client.get("/state").text == before.state)
  }

  @Test func `an import into an existing store is a revision that can be reverted`() throws {
    let before = try createStore(store)
    let other = folder("other.db")
    let source = try Server(store: other)
    _ = try source.client.patch("/state/pinnedDish", #"{"name":"Other"}"#)
    try Data(try Server.run("export", "--store", other).output.utf8).write(to: URL(filePath: folder("other.json")))
    #expect(try Server.run("import", folder("other.json"), "--store", store).code == 0)
    let server = try Server(store: store)
    let client = try server.client
    #expect(try client.get("/state/pinnedDish/name").text == #""Other""#)
    let last = try #require(try client.get("/state").revision)
    #expect(try client.send("POST", "/history/\(last)/revert", nil, ["Content-Type": "application/json"]).status == 200)
    #expect(try client.get("/state").etag == before.etag)
  }

  @Test func `an invalid state is not imported`() throws {
    _ = try createStore(store)
    let before = try Server.run("export", "--store", store).output
    for input in ["", "{}", #"{"dishes":5}"#, before.replacing("Caprese", with: String(repeating: "x", count: 200))] {
      #expect(try Server.run("import", "--store", store, input: input).code == 65)
    }
    #expect(try Server.run("export", "--store", store).output == before)
  }

  @Test func `an import that the model would repair is rejected with the repair`() throws {
    _ = try createStore(store)
    let before = try Server.run("export", "--store", store).output
    let id = "00000000-0000-8000-8000-0000000000bb"
    let dangling = before.replacing(/"pinnedID":"[^"]*"/, with: "\"pinnedID\":\"\(id)\"")
    for target in [store, folder("new.db")] {
      let refused = try Server.run("import", "--store", target, input: dangling)
      #expect(refused.code == 65)
      #expect(
        refused.errors.contains(#"[{"op":"replace","path":"/pinnedID","value":null}]"#), "\(refused.errors)")
    }
    #expect(try Server.run("export", "--store", store).output == before)
  }

  @Test func `the state that a client has read is imported into its store and into a new one`() throws {
    let before = try createStore(store)
    let exported = try Server.run("export", "--store", store).output
    #expect(exported.contains(#""evening":"#) && !before.state.contains("evening"))
    #expect(try Server.run("import", "--store", store, input: before.state).code == 0)
    #expect(try Server.run("export", "--store", store).output == exported, "nothing has changed")
    let changed = before.state.replacing("Panna Cotta", with: "Crema")
    #expect(try Server.run("import", "--store", store, input: changed).code == 0)
    #expect(try Server.run("export", "--store", store).output == exported.replacing("Panna Cotta", with: "Crema"))
    let new = folder("new.db")
    #expect(try Server.run("import", "--store", new, input: before.state).code == 0)
    let server = try Server(store: new)
    #expect(try server.client.get("/state").text == before.state)
  }

  @Test func `an import reports all mistakes and changes nothing`() throws {
    _ = try createStore(store)
    let before = try Server.run("export", "--store", store).output
    let mistakes = before.replacing(#""isFavorite":false,"#, with: #""isFavorite":"no","isHot":true,"#)
    let refused = try Server.run("import", "--store", store, input: #"{"motto":"Eat","# + mistakes.dropFirst())
    #expect(refused.code == 65)
    let lines = refused.errors.split(separator: "\n")
    #expect(lines[0] == "bindery: nothing was imported from standard input:")
    #expect(lines[1].hasPrefix("/motto: there is no member “motto”, expected one of dishes, pinnedID,"))
    #expect(lines[2].hasPrefix("/dishes/0/isHot: there is no member “isHot”"))
    #expect(lines[3].hasPrefix(#"/dishes/0/isFavorite: "no" is not"#))
    #expect(lines[4].hasPrefix("/dishes/1/isHot: "))
    #expect(try Server.run("export", "--store", store).output == before)
    #expect(try Server.run("import", "--store", folder("new.db"), input: mistakes).code == 65)
    #expect(!FileManager.default.fileExists(atPath: folder("new.db")))
  }

  @Test func `a file that cannot be imported is reported with the reason`() throws {
    for (file, reason) in [(folder("nope.json"), "No such file or directory"), (folder(""), "Is a directory")] {
      let refused = try Server.run("import", file, "--store", store)
      #expect(refused.code == 66)
      #expect(refused.errors == "bindery: cannot read \(file): \(reason)\n")
    }
    #expect(!FileManager.default.fileExists(atPath: store))
  }

  @Test func `a backup of a running server can be opened as a store`() throws {
    let server = try Server(store: store)
    let client = try server.client
    for number in 1...20 { _ = try client.patch("/state/pinnedDish", #"{"name":"dish \#(number)"}"#) }
    let copy = folder("copy.db")
    let backup = try Server.run("backup", copy, "--store", store)
    #expect(backup.code == 0, "\(backup.errors)")
    #expect(try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? Int == 0o600)
    let state = try client.get("/state")
    _ = try client.patch("/state/pinnedDish", #"{"name":"later"}"#)
    let second = try Server(store: copy)
    let restored = try second.client.get("/state")
    #expect(restored.body == state.body)
    #expect(restored.etag == state.etag)
    #expect(restored.revision == 20)
    #expect(try Server.run("backup", copy, "--store", store).code == 73)
    #expect(try Server.run("backup", folder("none.db"), "--store", folder("nothing.db")).code == 66)
  }

  @Test func `an empty file is a new store for every command`() throws {
    try Data().write(to: URL(filePath: store))
    #expect(try Server.run("serve", "--check", "--store", store).code == 0)
    let exported = try Server.run("export", "--store", store)
    #expect(exported.code == 65 && exported.errors.contains("\(store) contains no state yet."))
    #expect(try Server.run("restore", store, "--store", folder("other.db")).errors.contains("contains no state"))
    #expect(try Data(contentsOf: URL(filePath: store)).isEmpty, "these commands write nothing")
    let server = try Server(store: store)
    #expect(try server.client.get("/state/time").status == 200)
  }

  @Test func `the time zone is stored and used until another one is specified`() throws {
    _ = try Server(store: store, options: ["--time-zone", "Pacific/Kiritimati"])
    _ = try Server(store: store, environment: ["TZ": "UTC"])
    let exported = try Server.run("export", "--store", store).output
    #expect(exported.contains(#"T05:00:00.000Z""#), "19:00 in Kiritimati is 05:00 in UTC")
  }
}
