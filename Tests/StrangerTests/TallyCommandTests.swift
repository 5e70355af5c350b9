import BinderyTestKit
import Foundation
import Glibc
import Testing

/// The third-party program: everything that the menu's program can do.
@Suite(.serialized)
final class TallyCommandTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "bindery-\(UUID().uuidString)")
  private var store: String { path("tally.db") }

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func path(_ name: String) -> String { folder.appending(path: name).path }

  @Test func `acknowledged writes survive SIGKILL`() throws {
    let first = try TallyServer(store: store)
    for number in 1...20 { #expect(try first.put("/state/count", "\(number)").status == 200) }
    first.kill()
    let second = try TallyServer(store: store)
    #expect(try second.get("/state/count").body == "20")
    #expect(try TallyServer.run(["health", "--listen", second.address]).code == 0)
    #expect(first.log.contains("\(store) is a new store\n"))
    #expect(second.log.contains("\(store) is at revision 20"))
    #expect(second.stop() == 0)
    #expect(try TallyServer.run(["health", "--listen", second.address]).code == 1)
  }

  @Test func `a server behind a proxy without tokens warns that everybody may write`() throws {
    let warning = "all clients of a proxy in front of this server may read and write"
    for (options, isWarned) in [
      (["--behind-tls"], true), (["--allow-host", "tally.example"], true), ([], false),
      (["--behind-tls", "--no-auth"], false),
    ] {
      let checked = try TallyServer.run(["check", "--store", store] + options)
      #expect(checked.code == 0 && checked.errors.contains(warning) == isWarned, "\(options): \(checked.errors)")
    }
    let server = try TallyServer(store: store, ["--behind-tls"])
    #expect(server.log.contains("warning \(warning)"))
    #expect(server.stop() == 0)
  }

  @Test func `a backup of a running server is restored when it has stopped`() throws {
    let server = try TallyServer(store: store)
    _ = try server.put("/state/count", "1")
    let copy = path("copy.db")
    #expect(try TallyServer.run(["backup", copy, "--store", store]).code == 0)
    _ = try server.put("/state/count", "2")
    let refused = try TallyServer.run(["restore", copy, "--store", store])
    #expect(refused.code == 75 && refused.errors.contains("another server uses the store"))
    #expect(try server.get("/state/count").body == "2")
    // Killed, it leaves a WAL file that must not be applied to the restored store.
    server.kill()
    #expect(FileManager.default.fileExists(atPath: store + "-wal"))
    let restored = try TallyServer.run(["restore", copy, "--store", store])
    #expect(restored.code == 0 && restored.errors == "tally: restored from \(copy); \(store) is at revision 1\n")
    let next = try TallyServer(store: store)
    #expect(try next.get("/state/count").body == "1")
    #expect(next.stop() == 0)
    #expect(try TallyServer.run(["restore", path("none.db"), "--store", store]).code == 66)
    try Data("this is no database, but long enough to be read".utf8).write(to: URL(filePath: path("text")))
    #expect(try TallyServer.run(["restore", path("text"), "--store", store]).code == 65)
    #expect(try TallyServer.run(["export", "--store", store]).output == "{\"count\":1,\"marks\":{}}\n")
    #expect(try TallyServer.run(["restore", copy, "--store", path("new.db")]).code == 0)
    #expect(try TallyServer.run(["export", "--store", path("new.db")]).output == "{\"count\":1,\"marks\":{}}\n")
  }

  @Test func `an invalid token file keeps its own tokens, and no others`() throws {
    let (write, read) = (path("write"), path("read"))
    func save(_ tokens: [String], _ file: String) throws {
      try Data(tokens.joined(separator: "\n").utf8).write(to: URL(filePath: file))
    }
    let tokens = ["first-write-token", "second-write-token", "first-read-token", "second-read-token"]
    try save(Array(tokens[..<2]), write)
    try save(Array(tokens[2...]), read)
    let server = try TallyServer(store: store, ["--token-file", write, "--read-token-file", read])
    func statuses() throws -> [Int] { try tokens.map { try server.status(withToken: $0) } }
    #expect(try statuses() == [200, 200, 200, 200])
    try save([tokens[0]], write)
    try save(["short"], read)
    try server.reload(until: "tokens valid now: 1 read-write, 2 read-only")
    #expect(try statuses() == [200, 401, 200, 200])
    try save([], write)
    try save([], read)
    try server.reload(until: "tokens valid now: 1 read-write, 0 read-only")
    #expect(try statuses() == [200, 401, 401, 401])
    try save([tokens[0]], read)
    try FileManager.default.setAttributes([.posixPermissions: 0o604], ofItemAtPath: read)
    try server.reload(until: "tokens valid now: 0 read-write, 1 read-only")
    #expect(try statuses() == [200, 401, 401, 401])
    #expect(server.log.contains("warning \(read) is readable by other users of this machine"))
    #expect(server.log.contains("the same token is in both") && server.log.contains("; it is read-only now"))
    #expect(server.stop() == 0)
  }

  @Test func `an exported state is imported`() throws {
    #expect(try TallyServer.run(["import", "--store", store], input: #"{"count":5,"marks":{}}"#).code == 0)
    let exported = try TallyServer.run(["export", "--store", store])
    #expect(exported.output == "{\"count\":5,\"marks\":{}}\n")
    #expect(try TallyServer.run(["import", "--store", path("b.db")], input: exported.output).code == 0)
    #expect(try TallyServer.run(["export", "--store", path("b.db")]).output == exported.output)
    #expect(try TallyServer.run(["import", "--store", store], input: #"{"count":-5,"marks":{}}"#).code == 65)
  }

  @Test func `a revision is in the history, and its revert is another one`() throws {
    let server = try TallyServer(store: store)
    #expect(try server.put("/state/marks/a", #"{"count":1,"note":"x"}"#).status == 201)
    #expect(try server.put("/state/marks/a/count", "2").status == 200)
    let history = try server.get("/history").body
    #expect(
      history.contains(#""path":"/marks/a/count","value":2"#) && history.contains(#""path":"/marks/a/count","value":1"#)
    )
    #expect(try server.post("/history/2/revert").status == 200)
    #expect(try server.get("/state/marks/a").body == #"{"count":1,"note":"x"}"#)
    // The value that revision 2 left is not there any more.
    #expect(try server.post("/history/2/revert").status == 409)
    server.kill()
    let next = try TallyServer(store: store)
    #expect(try next.get("/state/marks/a/count").body == "1")
    #expect(try next.post("/history/1/revert").status == 200)
    #expect(try next.get("/state").body == #"{"count":0,"marks":{}}"#)
    #expect(next.stop() == 0)
  }

  @Test func `a base path is an option of every program`() throws {
    let server = try TallyServer(store: store, environment: ["TALLY_BASE_PATH": "/a/tally/"])
    #expect(server.log.contains("http://\(server.address)/a/tally"))
    #expect(try server.get("/a/tally/state/count").status == 200)
    #expect(try server.get("/state/count").status == 404)
    // The health check of a container needs no base path.
    #expect(try TallyServer.run(["health", "--listen", server.address]).code == 0)
    #expect(server.stop() == 0)
    let refused = try TallyServer.run(["serve", "--base-path", "tally", "--store", store])
    #expect(refused.code == 64 && refused.errors.contains("for --base-path, got “tally”"))
  }

  @Test func `an option of the program has a variable and a check, and the store keeps its value`() throws {
    let first = try TallyServer(store: store, environment: ["TALLY_LABEL": "kitchen"])
    #expect(try first.get("/").body == "label kitchen")
    #expect(first.log.contains("label=kitchen"))
    #expect(first.stop() == 0)
    let second = try TallyServer(store: store)
    #expect(try second.get("/").body == "label kitchen")
    #expect(second.stop() == 0)
    let refused = try TallyServer.run(["serve", "--store", store, "--label", "bad"])
    #expect(refused.code == 78 && refused.errors == "tally: --label: “bad” is no label\n")
    #expect(try TallyServer.run(["check", "--store", store, "--label", "bad"]).code == 78)
    let variable = try TallyServer.run(["check", "--store", store], environment: ["TALLY_LABEL": "bad"])
    #expect(variable.code == 78 && variable.errors == "tally: TALLY_LABEL: “bad” is no label\n")
    #expect(try TallyServer.run(["check", "--store", store]).output.contains("label=kitchen"))
    let help = try TallyServer.run(["--help"]).output
    #expect(help.contains("  --label TEXT") && help.contains("TALLY_LISTEN") || help.contains("TALLY_LABEL"))
    #expect(try TallyServer.run(["export"], environment: ["TALLY_UNKNOWN": "1"]).code == 78)
  }

  @Test func `the files of a folder replace the page of the program`() throws {
    let page = path("index.html")
    try Data("own page".utf8).write(to: URL(filePath: page))
    try FileManager.default.createDirectory(atPath: path("docs"), withIntermediateDirectories: true)
    let server = try TallyServer(store: "memory", environment: ["TALLY_WWW": folder.path])
    #expect(try server.get("/").body == "own page")
    #expect(server.log.contains("; the state is at /state\n"))
    #expect(
      server.log.contains("\(path("docs")) is not served, because the path /docs belongs to the service: rename it\n"))
    try Data("changed page".utf8).write(to: URL(filePath: page))
    #expect(try server.get("/").body == "changed page")
    #expect(server.stop() == 0)
    for command in ["serve", "check"] {
      let refused = try TallyServer.run([command, "--store", store, "--www", path("none")])
      #expect(refused.code == 78)
      #expect(
        refused.errors == "tally: \(path("none")) does not exist: expected a folder with the files of a web page\n")
    }
  }

  @Test func `a service does not start if its store or a token file is in the folder that it serves`() throws {
    let (site, link) = (path("site"), path("link"))
    let files = FileManager.default
    try files.createDirectory(atPath: site + "/sub", withIntermediateDirectories: true)
    try files.createSymbolicLink(atPath: link, withDestinationPath: site)
    try Data("token-0123456789abcdef\n".utf8).write(to: URL(filePath: site + "/sub/tokens"))
    try files.createSymbolicLink(atPath: path("tokens"), withDestinationPath: site + "/sub/tokens")
    for command in ["serve", "check"] {
      for (options, file) in [
        (["--store", site + "/tally.db"], site + "/tally.db"),
        (["--store", link + "/sub/tally.db"], link + "/sub/tally.db"),
        (["--store", store, "--token-file", path("tokens")], path("tokens")),
        (["--store", store, "--token-file", site + "/sub/tokens"], site + "/sub/tokens"),
      ] {
        let refused = try TallyServer.run([command, "--www", link] + options)
        #expect(refused.code == 78 && refused.errors.contains("tally: \(file) is in the folder \(link)"), "\(refused)")
      }
    }
    #expect(!files.fileExists(atPath: site + "/tally.db") && !files.fileExists(atPath: site + "/sub/tally.db"))
  }

  @Test func `an error of the background work stops the service with exit code 70`() throws {
    let server = try TallyServer(store: store, ["--fail"])
    #expect(try server.put("/state/count", "13").status == 200)
    #expect(server.wait() == 70)
    #expect(server.log.contains("the background work failed: UnluckyNumber()"))
    #expect(try TallyServer.run(["export", "--store", store]).output == "{\"count\":13,\"marks\":{}}\n")
  }

  @Test func `a store whose driver is not linked is refused with its product, without its password`() throws {
    let refused = try TallyServer.run(["serve", "--store", "postgres://user:secret@host/db"])
    #expect(refused.code == 64)
    #expect(refused.errors.contains("BinderyPostgreSQL") && !refused.errors.contains("secret"))
    #expect(try TallyServer.run(["export", "--store", "memory"]).code == 64)
  }

  @Test func `without arguments the program prints its help`() throws {
    let help = try TallyServer.run(["--help"]).output
    #expect(help.hasPrefix("tally: ") && help.contains("serve [options]"))
    for arguments in [[], ["help"], ["help", "serve"], ["-h"], ["serve", "--help"]] {
      let result = try TallyServer.run(arguments)
      #expect(result.code == 0 && result.output == help && result.errors.isEmpty)
    }
  }

  /// Command lines with a mistake, and a part of the error message.
  static let mistakes: [(arguments: [String], message: String)] = [
    (["sevre"], "unknown command “sevre”. Did you mean “serve”?"),
    (["start"], "unknown command “start”. Run tally --help"),
    (["--listen", ":80"], "expected a command before “--listen”, as in tally serve --listen"),
    (["serve", "8080"], "unexpected argument “8080”"), (["serve", "-p", "80"], "unexpected argument “-p”"),
    (["export", "copy.json"], "unexpected argument “copy.json”"), (["health", "x"], "unexpected argument “x”"),
    (["openapi", "openapi.yaml"], "unexpected argument “openapi.yaml”"), (["version", "2"], "unexpected argument “2”"),
    (["help", "me"], "unknown command “me”"), (["check", "x"], "unexpected argument “x”"),
    (["backup"], "missing argument"), (["backup", "a", "b"], "unexpected argument “b”"),
    (["serve", "--tokenfile", "x"], "unknown option “--tokenfile”. Did you mean --token-file?"),
    (["serve", "--port", "80"], "unknown option “--port”. Did you mean --listen?"),
    (["serve", "--colour"], "unknown option “--colour”. Run tally --help"),
  ]

  @Test(arguments: mistakes)
  func `a mistake in the command line is reported and not ignored`(_ mistake: (arguments: [String], message: String))
    throws
  {
    let result = try TallyServer.run(mistake.arguments)
    #expect(result.code == 64 && result.output.isEmpty)
    #expect(result.errors.contains(mistake.message), "\(result.errors)")
  }

  @Test func `the start line shows the URL of the page`() throws {
    let server = try TallyServer(store: store)
    let url = try #require(server.log.firstMatch(of: /tally 1\.2\.3 serves (http:\S+); the state is at \/state\n/)?.1)
    #expect(url == "http://\(server.address)/")
    #expect(try server.get("/").body == "label none")
  }

  @Test func `the commands version and openapi describe the program`() throws {
    #expect(try TallyServer.run(["version"]).output == "tally 1.2.3\n")
    let document = try TallyServer.run(["openapi"]).output
    #expect(document.contains("title: tally") && document.contains("/state/count"))
    #expect(try TallyServer.run(["openapi", "--base-path", "/shop"]).output.contains("{url: /shop}"))
  }
}
