import BinderyClient
import BinderyConsole
import BinderyCore
import BinderyMenu
import BinderyModelFile
import BinderyOpenAPI
import BinderyService
import BinderyTestKit
import Foundation
import Testing

/// The browser client in Node, against a running server, through a proxy that cuts connections.
@Suite(.enabled(if: Program.isInstalled("node"), "needs Node.js"))
struct ClientTests {
  /// Returns the sizes of compressed documents of a server.
  private func compressedSizes(_ paths: [String]) throws -> [Int] {
    let server = try LiveService(Menu.initial)
    defer { server.stop() }
    return try paths.map { path in
      let url = "http://\(server.address)\(path)"
      return try ChildProcess.run("sh", ["-c", "curl -sSf \(url) | gzip -9"]).outputBytes.count
    }
  }

  @Test func `the client is at most 10 KiB, compressed`() throws {
    let path = try #require(ClientDocuments.byPath.keys.first { $0.hasPrefix("/client-") })
    let size = try compressedSizes([path])[0]
    #expect(size > 5_000 && size <= 10_240)
  }

  @Test func `the files of the console are at most 40 KiB, compressed one by one`() throws {
    let sizes = try compressedSizes(["/console"] + ConsoleFiles.parts.keys.map { "/console/\($0)" })
    #expect(sizes.count > 8 && sizes.allSatisfy { $0 > 100 } && sizes.reduce(0, +) <= 40_960)
  }

  /// The scripts end with an error at the first value that is wrong.
  @Test(arguments: [
    "absent.mjs", "bindings.mjs", "cuts.mjs", "undone.mjs", "mounts.mjs", "refused.mjs", "restart.mjs", "slow.mjs",
    "subscribers.mjs", "unfinished.mjs", "values.mjs",
  ])
  func `bindings show what the server has, and nothing older`(script: String) throws {
    let server = try LiveService(Menu.initial)
    defer { server.stop() }
    let result = try ChildProcess.run("node", [Program.file("Tests/Client/\(script)"), "http://\(server.address)/"])
    #expect(result.code == 0, "\(result.output + result.errors)")
  }

  @Test func `no late or lost response, and no change of the history, leaves a wrong value`() throws {
    let servers = try [LiveService(Menu.initial), LiveService(Menu.initial)]
    defer { for server in servers { server.stop() } }
    let urls = servers.map { "http://\($0.address)/" }
    let result = try ChildProcess.run("node", [Program.file("Tests/Client/faults.mjs")] + urls)
    #expect(result.code == 0, "\(result.output + result.errors)")
  }
}

/// The scripts of the client and of the console, read by the TypeScript compiler.
@Suite(.enabled(if: Program.isInstalled("tsc"), "needs TypeScript"))
struct ScriptTests {
  @Test func `scripts are served with the tokens of their sources`() throws {
    let folder = try TemporaryFolder()
    let server = try LiveService(Menu.initial)
    defer { server.stop() }
    let client = try #require(ClientDocuments.byPath.keys.first { $0.hasPrefix("/client-") })
    var sources = [client: "BinderyClient/Files/client.js"]
    for name in ConsoleFiles.parts.keys where name.hasSuffix(".js") {
      sources["/console/\(name)"] = "BinderyConsole/Files/\(name)"
    }
    #expect(sources.count > 8)
    var arguments = [Program.file("Tests/Client/tokens.mjs")]
    for (path, source) in sources {
      let served = folder.url.appending(path: path.replacing("/", with: "_"))
      try Data(SocketClient(server.address).get(path).body).write(to: served)
      arguments += [Program.file("Sources/\(source)"), served.path]
    }
    let result = try ChildProcess.run("node", arguments)
    #expect(result.code == 0, "\(result.errors)")
  }
}

/// The types of the client and of models, checked by the TypeScript compiler.
@Suite(.enabled(if: Program.isInstalled("tsc"), "needs TypeScript"))
struct TypeScriptTests {
  @Test func `right uses compile, and each wrong one does not`() throws {
    let folder = try Self.folder(Menu.typeScript, "right.ts", "wrong.ts")
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(try Self.errors(in: "right.ts", folder).isEmpty)
    let lines = try String(contentsOf: folder.appending(path: "wrong.ts"), encoding: .utf8).split(separator: "\n")
    let wrong = lines.indices.filter { !lines[$0].hasPrefix("import") && !lines[$0].hasPrefix("const menu") }
    #expect(wrong.count >= 20)
    #expect(try Set(Self.errors(in: "wrong.ts", folder)) == Set(wrong.map { $0 + 1 }))
  }

  @Test(arguments: [("menu.model.json", "file.ts"), ("kinds.model.json", "kinds.ts")])
  func `the types of a model file compile, and wrong uses of them do not`(model: String, program: String) throws {
    let file = try Data(contentsOf: URL(fileURLWithPath: Program.file("Examples/\(model)")))
    let definition = try ModelFile.model(Array(file)).definition
    let folder = try Self.folder(TypeScriptTypes(of: definition, program: "bindery").text, program)
    defer { try? FileManager.default.removeItem(at: folder) }
    // A line that is expected to be wrong and compiles is an error.
    #expect(try Self.errors(in: program, folder).isEmpty)
  }

  @Test func `the lists of a new element have new elements`() throws {
    let step =
      #"{"type": "object", "x-bindery": {"id": "id"}, "required": ["title"], "properties": {"#
      + #""id": {"type": "string", "format": "uuid", "x-bindery": {"generated": true}}, "title": {"type": "string"}}}"#
    let plan = step.dropLast(2) + #", "steps": {"type": "array", "items": \#(step)}}}"#
    let file = #"{"type": "object", "properties": {"plans": {"type": "array", "items": \#(plan)}}}"#
    let definition = try ModelFile.model(Array(file.utf8)).definition
    let folder = try Self.folder(TypeScriptTypes(of: definition, program: "bindery").text)
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = """
      import { connect } from "./client.js";
      import type { State } from "./model";
      const plans = connect<State>().at("/plans");
      plans.append({ title: "A", steps: [{ title: "B" }] });
      // @ts-expect-error: a new step has a title
      plans.append({ title: "A", steps: [{}] });
      """
    try program.write(to: folder.appending(path: "plans.ts"), atomically: true, encoding: .utf8)
    #expect(try Self.errors(in: "plans.ts", folder).isEmpty)
  }

  @Test func `what is below a read-only place is read-only`() throws {
    let street = #"{"street": {"type": "string"}}"#
    let home = #"{"type": "object", "properties": \#(street), "required": ["street"]}"#
    let members = #"{"name": {"type": "string"}, "home": {"anyOf": [\#(home), {"type": "null"}]}}"#
    let owner = #"{"type": "object", "readOnly": true, "properties": \#(members), "required": ["name"]}"#
    let file = #"{"type": "object", "properties": {"owner": \#(owner)}, "required": ["owner"]}"#
    let initial = #", "default": {"owner": {"name": "Ann"}}}"#
    let definition = try ModelFile.model(Array((file.dropLast() + initial).utf8)).definition
    let folder = try Self.folder(TypeScriptTypes(of: definition, program: "bindery").text)
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = """
      import { connect } from "./client.js";
      import type { State } from "./model";
      const state = connect<State>();
      state.at("/owner/name").subscribe((name?: string) => name);
      state.at("/owner/home/street").subscribe((street?: string) => street);
      // @ts-expect-error: the member of a read-only place has no `set`
      state.at("/owner/name").set("Bob");
      // @ts-expect-error: nor has a member below it
      state.at("/owner").at("home").at("street").set("Main Street");
      """
    try program.write(to: folder.appending(path: "owner.ts"), atomically: true, encoding: .utf8)
    #expect(try Self.errors(in: "owner.ts", folder).isEmpty)
  }

  @Test func `keys and integers with a list of values have no others`() throws {
    let folder = try Self.folder(TypeScriptTypes(of: ModelDefinition<Team>(), program: "bindery").text)
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = """
      import { connect } from "./client.js";
      import type { State } from "./model";
      const team = connect<State>();
      team.at("/leads").set({ cook: "Ada" });
      team.at("/leads/cook").set("Ada");
      team.at("/level").set(1);
      team.at("/level").set(9007199254740993n);
      // @ts-expect-error: an entry has a value
      team.at("/leads/cook").set(undefined);
      // @ts-expect-error: the key is not one of the roles
      team.at("/leads/boss");
      // @ts-expect-error: the key is not one of the roles
      team.at("/leads").set({ boss: "Ada" });
      // @ts-expect-error: the integer is not one of the levels
      team.at("/level").set(2);
      """
    try program.write(to: folder.appending(path: "team.ts"), atomically: true, encoding: .utf8)
    #expect(try Self.errors(in: "team.ts", folder).isEmpty)
  }

  @Test func `characters that are not visible are escaped`() throws {
    let hostile = "\u{202e}\u{2028}\u{200b}\u{feff}"
    let member = #"{"enum": ["\#(hostile)"], "title": "\#(hostile)", "default": "\#(hostile)"}"#
    let file = #"{"type": "object", "properties": {"\#(hostile)": \#(member)}}"#
    let definition = try ModelFile.model(Array(file.utf8)).definition
    let text = TypeScriptTypes(of: definition, program: "bindery").text
    #expect(!hostile.unicodeScalars.contains { text.unicodeScalars.contains($0) })
    #expect(text.contains(#""\u{202e}\u{2028}\u{200b}\u{feff}""#))
  }

  /// Creates a folder with the declarations of the client, the types of a model, and programs that use them.
  private static func folder(_ model: String, _ programs: String...) throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "bindery-types-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(ClientFiles.declarations).write(to: folder.appending(path: "client.d.ts"))
    try Data(model.utf8).write(to: folder.appending(path: "model.ts"))
    for name in programs {
      try FileManager.default.copyItem(
        atPath: Program.file("Tests/Client/\(name)"), toPath: folder.appending(path: name).path)
    }
    return folder
  }

  /// Returns the numbers of the lines with errors. Other files must have none.
  private static func errors(in file: String, _ folder: URL) throws -> [Int] {
    let options = ["--strict", "--noEmit", "--target", "es2022", "--moduleResolution", "node", "--lib", "es2022,dom"]
    let result = try ChildProcess.run("tsc", options + [folder.appending(path: file).path])
    let reports = result.output.split(separator: "\n").filter { $0.contains("error TS") }
    let lines = reports.compactMap { line in
      line.split(separator: "\(file)(").dropFirst(line.hasPrefix(file) ? 0 : 1).first
        .flatMap { Int($0.prefix { $0.isNumber }) }
    }
    #expect(lines.count == reports.count && lines.isEmpty == (result.code == 0), "\(result.output)\(result.errors)")
    return lines
  }
}
