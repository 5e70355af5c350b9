import BinderyClient
import BinderyMenu
import BinderyTestKit
import Foundation
import Testing

/// The browser client in Node, against a running server, through a proxy that cuts connections.
@Suite(.enabled(if: Program.isInstalled("node"), "needs Node.js"))
struct ClientTests {
  @Test func `the client is at most 10 KiB, compressed`() throws {
    let result = try Program.run("gzip", ["-9", "-c", Program.file("Sources/BinderyClient/Files/client.js")])
    #expect(result.output.count <= 10_240)
  }

  /// The scripts end with an error at the first value that is wrong.
  @Test(arguments: ["bindings.mjs", "cuts.mjs", "undone.mjs", "mounts.mjs", "restart.mjs"])
  func `bindings show what the server has, and nothing older`(script: String) throws {
    let server = try LiveService(Menu.initial)
    defer { server.stop() }
    let result = try Program.run("node", [Program.file("Tests/Client/\(script)"), "http://\(server.address)/"])
    #expect(result.code == 0, "\(String(decoding: result.output + result.errors, as: UTF8.self))")
  }
}

/// The types of the client and of models, checked by the TypeScript compiler.
@Suite(.enabled(if: Program.isInstalled("tsc"), "needs TypeScript"))
struct TypeScriptTests {
  @Test func `right uses compile, and each wrong one does not`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "bindery-types-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(ClientFiles.declarations).write(to: folder.appending(path: "client.d.ts"))
    try Data(Menu.typeScript.utf8).write(to: folder.appending(path: "model.ts"))
    for name in ["right.ts", "wrong.ts"] {
      try FileManager.default.copyItem(
        atPath: Program.file("Tests/Client/\(name)"), toPath: folder.appending(path: name).path)
    }
    #expect(try Self.errors(in: "right.ts", folder).isEmpty)
    let lines = try String(contentsOf: folder.appending(path: "wrong.ts"), encoding: .utf8).split(separator: "\n")
    let wrong = lines.indices.filter { !lines[$0].hasPrefix("import") && !lines[$0].hasPrefix("const menu") }
    #expect(wrong.count >= 20)
    #expect(try Set(Self.errors(in: "wrong.ts", folder)) == Set(wrong.map { $0 + 1 }))
  }

  /// Returns the numbers of the lines with errors.
  private static func errors(in file: String, _ folder: URL) throws -> [Int] {
    let options = ["--strict", "--noEmit", "--target", "es2022", "--moduleResolution", "node", "--lib", "es2022,dom"]
    let output = try Program.run("tsc", options + [folder.appending(path: file).path]).output
    return String(decoding: output, as: UTF8.self).split(separator: "\n").compactMap { line in
      line.split(separator: "\(file)(").dropFirst(line.hasPrefix(file) ? 0 : 1).first
        .flatMap { Int($0.prefix { $0.isNumber }) }
    }
  }
}
