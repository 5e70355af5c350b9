import Bindery
import BinderyMenu
import BinderyTestKit
import Foundation
import Testing

/// The option `--model` of the program.
struct ModelFileCommandTests {
  private let directory: TemporaryFolder

  init() throws { directory = try TemporaryFolder() }

  private func makeFile(_ content: String, name: String = "lamp.model.json") throws -> String {
    let url = directory.url.appending(path: name)
    try Data(content.utf8).write(to: url)
    return url.path
  }

  private func run(_ arguments: String...) async -> Int32 { await run(arguments) }
  private func run(_ arguments: [String]) async -> Int32 { await MenuCommand.run(arguments, environment: [:]) }

  private static func lamp(_ properties: String) -> String {
    #"{"type": "object", "properties": {"isOn": {"type": "boolean", "default": false}\#(properties)}}"#
  }

  @Test func `a valid model file passes the check, which creates no files`() async throws {
    let file = try makeFile(Self.lamp(""))
    #expect(await run("check", "--model", file) == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["lamp.model.json"])
  }

  @Test func `a mistake in a model file is a configuration error`() async throws {
    #expect(await run("check", "--model", try makeFile(Self.lamp(#", "level": {"type": "integer"}"#))) == 78)
    #expect(await run("serve", "--model", try makeFile("{")) == 78)
    #expect(await run("check", "--model", directory("missing.json")) == 78)
    #expect(await run("check", "--model", directory.path) == 78)
    #expect(await run("check", "--model", try makeFile(String(repeating: " ", count: 1 << 20) + "{}")) == 78)
  }

  @Test func `the state of a model file is imported, kept beside the file, and follows a changed model`() async throws {
    let file = try makeFile(Self.lamp(""))
    let state = try makeFile(#"{"isOn": true}"#, name: "state.json")
    #expect(await run("import", state, "--model", file) == 0)
    #expect(FileManager.default.fileExists(atPath: directory("lamp.db")))
    let more = Self.lamp(#", "level": {"type": "integer", "default": 3}"#)
    #expect(await run("check", "--model", try makeFile(more)) == 0)
    let other = #"{"type": "object", "properties": {"isOn": {"type": "string", "default": "no"}}}"#
    #expect(await run("check", "--model", try makeFile(other)) == 78)
  }

  @Test(arguments: [
    (#""x-bindery": {"id": "alt"}, "#, #""array""#, 78), (#""x-bindery": {"id": "alt"}, "#, #"["array", "null"]"#, 78),
    (#""x-bindery": {"id": "id"}, "title": "Row", "#, #""array""#, 0),
    (#""x-bindery": {"id": "id"}, "#, #"["array", "null"]"#, 0), ("", #""array""#, 78),
  ])
  func `the id of a collection with a store cannot change`(
    _ identity: String, _ type: String, _ code: Int32
  ) async throws {
    let on = #""on": {"type": "boolean", "default": true}"#
    func model(_ identity: String, _ type: String = #""array""#) -> String {
      #"{"type": "object", "properties": {\#(on), "rows": {"type": \#(type), "items": {"type": "object", \#(identity)"#
        + #""properties": {"id": {"type": "string"}, "alt": {"type": "string"}}, "required": ["id", "alt"]}}}}"#
    }
    let first = try makeFile(model(#""x-bindery": {"id": "id"}, "#))
    let store = directory("rows.db")
    let state = try makeFile(#"{"rows": [{"id": "a", "alt": "b"}, {"id": "b", "alt": "a"}]}"#, name: "state.json")
    #expect(await run("import", state, "--model", first, "--store", store) == 0)
    let second = try makeFile(model(identity, type))
    #expect(await run("check", "--model", second, "--store", store) == code)
    #expect(await run("export", "--model", second, "--store", store) == code)
    #expect(await run("import", state, "--model", second, "--store", store) == code)
    #expect(await run("import", state, "--model", second, "--store", directory("new.db")) == 0)
    // A collection may be removed.
    let none = try makeFile(#"{"type": "object", "properties": {\#(on)}}"#)
    #expect(await run("check", "--model", none, "--store", store) == 0)
    // A model without any of the members is that of another store.
    let other = try makeFile(#"{"type": "object", "properties": {"title": {"type": "string", "default": ""}}}"#)
    for command in ["check", "export"] { #expect(await run(command, "--model", other, "--store", store) == 78) }
  }

  @Test func `the model of the program is printed as a model file`() async throws {
    #expect(await run("types", "--json-schema") == 0)
    #expect(await run("types") == 64)
    #expect(await run("types", "--json-schema", "--model", try makeFile(Self.lamp(""))) == 0)
  }

  @Test(arguments: [["openapi"], ["types", "--json-schema"], ["types", "--typescript"]])
  func `a description is that of the model file, and an option that does not exist is refused`(
    _ command: [String]
  ) async throws {
    let file = try makeFile(Self.lamp(""))
    #expect(await run(command + ["--model", file]) == 0)
    #expect(await run(command + ["--model", directory("missing.json")]) == 78)
    #expect(await run(command + ["--modle", file]) == 64)
    #expect(await run(command + [file]) == 64)
  }
}
