import BinderyJSON
import BinderyTestKit
import Foundation
import Testing

/// The option `--from`: from a data file over HTTP to a watched change.
@Suite(.serialized)
struct DataFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let examples = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Examples/data")

  /// Writes a data file.
  private func write(_ text: String, to name: String = "db.json") throws -> String {
    try Data(text.utf8).write(to: URL(filePath: folder(name)))
    return folder(name)
  }

  private func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: folder(name)) }

  @Test(arguments: [
    ("blog", "/posts/1/title", #""new""#), ("blog", "/profile/name", #""new""#),
    ("flags", "/flags/new-checkout/rollout", "0.5"), ("flags", "/flags/dark-mode/enabled", "false"),
    ("devices", "/devices/b7a10d94-1f3e-4c2a-8d57-6e5f4a3b2c10/battery", "86"),
    ("devices", "/devices/3f2b8c1e-5a7d-4e0f-9b63-0c1d2e3f4a50/alarms/2/acknowledged", "true"),
    ("settings", "/window/theme/colors/accents/error/color", ##""#ff0000""##),
    ("settings", "/recent", #"["a.swift"]"#), ("settings", "/window/position", #"{"x":1}"#),
  ])
  func `an example is served without edits, and a change reaches its watchers`(
    name: String, path: String, value: String
  ) throws {
    let data = try Data(contentsOf: Self.examples.appending(path: "\(name).json"))
    let server = try Server(store: nil, options: ["--from", try write(String(decoding: data, as: UTF8.self))])
    let client = try server.client
    let served = try JSONDocument(parsing: Array(try client.get("/state").text.utf8)).root
    #expect(served.equals(try JSONDocument(parsing: Array(data)).root))
    let stream = try SocketEventStream(server.address, "/state\(path)")
    #expect(try stream.next()?.data == (try client.text("/state\(path)")))
    let reply = try client.patch("/state\(path)", value)
    #expect(reply.status == 200 && reply.text == value)
    #expect(try stream.next()?.data == value)
    stream.disconnect()
    #expect(server.stop() == 0)
    #expect(exists("db.db") && exists("db.model.json"))
  }

  @Test func `a model file that is a link to nothing is not replaced`() throws {
    let data = try write(#"{"posts": []}"#)
    try FileManager.default.createSymbolicLink(atPath: folder("db.model.json"), withDestinationPath: "nothing")
    // A server that replaced the link would end, too, because no machine has this address.
    let refused = try Server.run("serve", "--from", data, "--listen", "192.0.2.1:80")
    #expect(refused.code == 78)
    #expect(refused.errors.contains("\(folder("db.model.json")): the file does not exist"), "\(refused.errors)")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder("db.model.json")) == "nothing")
    #expect(!exists("db.db"))
  }

  @Test func `the first start infers, and later starts use the written model and keep the store`() throws {
    let data = try write(#"{"posts": [{"id": 7, "title": "One"}]}"#)
    let first = try Server(store: nil, options: ["--from", data])
    #expect(first.startupOutput.contains("inferred a model from \(data)"))
    #expect(
      first.startupOutput.contains("inferred /posts: a collection with a URL for each element; the ids are integers"))
    let reply = try first.client.post("/state/posts", #"{"title": "Two"}"#)
    #expect(reply.status == 201 && reply["Location"]?.hasSuffix("/state/posts/8") == true)
    #expect(try first.client.delete("/state/posts/8").status == 204)
    #expect(first.stop() == 0)

    // An edit of the model file counts.
    let file = URL(filePath: folder("db.model.json"))
    let text = try String(contentsOf: file, encoding: .utf8)
    let edited = text.replacing(#""title": {"type": "string"}"#, with: #""title": {"type": "string", "maxLength": 5}"#)
    #expect(edited != text)
    try Data(edited.utf8).write(to: file)
    let second = try Server(store: nil, options: ["--from", data])
    #expect(!second.startupOutput.contains("inferred") && !second.startupOutput.contains("has changed"))
    #expect(try second.client.post("/state/posts", #"{"title": "Too long"}"#).status == 422)
    // The largest id that was ever used is kept.
    #expect(try second.client.post("/state/posts", #"{"title": "Three"}"#)["Location"]?.hasSuffix("/posts/9") == true)
    #expect(second.stop() == 0)
    #expect(try String(contentsOf: file, encoding: .utf8) == edited)
  }

  @Test func `a changed data file is reported, and replaces the state only with --reseed`() throws {
    let data = try write(#"{"name": "one", "size": 1}"#)
    let first = try Server(store: nil, options: ["--from", data])
    #expect(try first.client.patch("/state/name", #""mine""#).status == 200)
    #expect(first.stop() == 0)

    _ = try write(#"{"name": "two", "size": 2}"#)
    for _ in 0..<2 {
      let later = try Server(store: nil, options: ["--from", data])
      #expect(later.startupOutput.contains("\(data) has changed since it was loaded into \(folder("db.db"))"))
      #expect(try later.client.get("/state").text == #"{"name":"mine","size":1}"#)
      #expect(later.stop() == 0)
    }

    let reseeded = try Server(store: nil, options: ["--from", data, "--reseed"])
    #expect(!reseeded.startupOutput.contains("has changed"))
    #expect(try reseeded.client.get("/state").text == #"{"name":"two","size":2}"#)
    #expect(try reseeded.client.get("/state").revision == 2)
    // The history contains the old state.
    #expect(
      try reseeded.client.send("POST", "/history/2/revert", nil, ["Content-Type": "application/json"]).status == 200)
    #expect(try reseeded.client.get("/state").text == #"{"name":"mine","size":1}"#)
    #expect(reseeded.stop() == 0)
    let last = try Server(store: nil, options: ["--from", data])
    #expect(!last.startupOutput.contains("has changed"))
    #expect(last.stop() == 0)

    // To infer the model again would not help: the store would not fit it.
    _ = try write(#"{"name": "two", "size": 2, "color": "red"}"#)
    let misfit = try Server.run("serve", "--from", data, "--reseed", "--listen", "127.0.0.1:0")
    #expect(misfit.code == 65 && misfit.errors.contains("add new members to the model file"), "\(misfit.errors)")
  }

  @Test func `a data file that --sync has written from the state is not reported as changed`() throws {
    let data = try write(#"{"name": "one", "size": 1}"#)
    let first = try Server(store: nil, options: ["--from", data, "--sync"])
    #expect(try first.client.patch("/state/size", "2").status == 200)
    #expect(first.stop() == 0)
    #expect(try String(contentsOf: URL(filePath: data), encoding: .utf8) == #"{"name": "one", "size": 2}"#)
    let later = try Server(store: nil, options: ["--from", data])
    #expect(!later.startupOutput.contains("has changed"))
    #expect(later.stop() == 0)
  }

  @Test func `the check says what would be inferred, and writes nothing`() throws {
    let data = try write(#"{"posts": [{"id": 7}], "recent": []}"#)
    let check = try Server.run("check", "--from", data)
    #expect(check.code == 0)
    #expect(check.errors.contains("unsure about /recent: always an empty list"))
    #expect(!exists("db.db") && !exists("db.model.json"))
    #expect(try Server.run("types", "--json-schema", "--from", data).output.contains(#""generated": true"#))
  }

  @Test(arguments: [
    ("{\n  \"a\": 1,\n}", 65 as Int32, "db.json: line 3, column 1: unexpected character '}'"),
    ("[]", 65, "db.json: expected an object, got []"),
    (#"{"a": 1, "a": 2}"#, 65, "db.json: /a: duplicate member “a”"),
    (#"{"a": 1e999}"#, 65, "db.json: /a: 1e999 is too large for a Double"),
    (String(repeating: "[", count: 70), 65, "nested more than 64 levels"),
  ])
  func `data that cannot be served is one line with its place`(text: String, code: Int32, message: String) throws {
    let data = try write(text)
    for command in ["check", "serve"] {
      let run = try Server.run(command, "--from", data)
      #expect(run.code == code)
      #expect(run.errors.contains(message) && run.errors.split(separator: "\n").count == 1, "\(run.errors)")
    }
    #expect(!exists("db.model.json"))
  }

  @Test func `a data file is not served as a file`() throws {
    let data = try write(#"{"a": 1}"#)
    let served = try Server.run("serve", "--from", data, "--store", "memory", "--www", folder("."))
    #expect(served.code == 78 && served.errors.contains("db.json is in the folder"), "\(served.errors)")
    // Nor is the model that is inferred from it.
    try FileManager.default.createDirectory(atPath: folder("www"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: folder("www/db.json"), withDestinationPath: data)
    let linked = try Server.run("serve", "--from", folder("www/db.json"), "--store", "memory", "--www", folder("www"))
    #expect(linked.code == 78 && linked.errors.contains("is in the folder"), "\(linked.errors)")
  }

  @Test func `mistakes in the use of the options are explained`() throws {
    #expect(try Server.run("serve", "--from", folder("missing.json")).code == 66)
    #expect(try Server.run("serve", "--from", folder(".")).code == 66)
    #expect(try Server.run("serve", "--reseed").code == 64)
    let unused = try Server.run("serve", "--from", try write("{}"), "--time-zone", "Europe/Rome")
    #expect(unused.code == 64 && unused.errors.contains("belongs to the built-in model"), "\(unused.errors)")
    let unset = try Server.run("serve", "--from", try write("{}"), environment: ["BINDERY_TIME_ZONE": "Europe/Rome"])
    #expect(unset.code == 78 && unset.errors.contains("belongs to the built-in model"), "\(unset.errors)")
    let model = try write("{}", to: "db.model.json")
    let confused = try Server.run("serve", "--from", model)
    #expect(confused.code == 64 && confused.errors.contains("pass a model file with --model"))
    // The data does not fit the model file beside it.
    _ = try write(
      #"{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}"#, to: "db.model.json")
    let misfit = try Server.run("serve", "--from", try write(#"{"a": 1}"#))
    #expect(misfit.code == 65 && misfit.errors.contains("db.json: /a: "), "\(misfit.errors)")
    // The failed start is not remembered as the one that has loaded the data.
    let server = try Server(store: nil, options: ["--from", try write(#"{"a": "x"}"#)])
    #expect(!server.startupOutput.contains("has changed"))
    // The program's own model does not fit the store.
    let exported = try Server.run("export", "--store", folder("db.db"))
    #expect(exported.code == 78)
    #expect(exported.errors.contains("pass that model with --model FILE or --from FILE."))
    // Too many members for a model.
    let large = (0..<10_001).map { #""m\#($0)":1"# }.joined(separator: ",")
    let run = try Server.run("check", "--from", try write("{\(large)}", to: "large.json"))
    #expect(run.code == 78 && run.errors.contains("pass it with --model"))
  }
}
