import BinderyMenu
import Foundation
import Testing

/// `bindery serve --check`, and what keeps a server from beginning.
struct CheckTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "bindery-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func path(_ name: String) -> String { folder.appending(path: name).path }

  private func file(_ content: String) throws -> String {
    let path = path(UUID().uuidString)
    try Data(content.utf8).write(to: URL(filePath: path))
    return path
  }

  private func check(_ arguments: String..., environment: [String: String] = [:]) -> Int32 {
    defer { try? FileManager.default.removeItem(at: folder.appending(path: "bindery.db")) }
    return Command.run(["serve", "--check", "--store", path("none.db")] + arguments, environment: environment)
  }

  @Test func `a configuration that holds is found so, and nothing is made`() throws {
    let tokens = try file("# of the kitchen\n\nwrite-token-0123456789\r\n  another-token-0123456789  \n")
    let before = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(check() == 0)
    #expect(check("--listen", ":18080,unix:\(path("socket"))", "--token-file", tokens) == 0)
    #expect(check("--listen", ":18080", "--no-auth") == 0)
    #expect(check("--store", "memory") == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == before)
  }

  @Test(arguments: [
    "", "\n# nothing\n", "short\n", "write-token-0123456789\nwith a blank 0123456789\n", "ümlaut-0123456789\n",
    String(repeating: "x", count: 513),
  ])
  func `a file of tokens must hold some, and nothing else`(_ content: String) throws {
    #expect(check("--token-file", try file(content)) == 78)
  }

  @Test func `a file of tokens must be a file that can be read`() throws {
    let good = try file("write-token-0123456789")
    #expect(check("--token-file", good) == 0)
    #expect(check("--token-file", path("nothing")) == 78)
    #expect(check("--token-file", folder.path) == 78)
    #expect(check("--token-file", "/dev/zero") == 78)
    #expect(check("--token-file", try file(String(repeating: "write-token-0123456789\n", count: 5_000))) == 78)
    #expect(check("--token-file", good, "--read-token-file", path("nothing")) == 78)
    #expect(check("--token-file", good, "--read-token-file", good) == 78)
    let link = path("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: good)
    #expect(check("--token-file", link) == 0)
  }

  @Test(arguments: [":18080", "0.0.0.0:18080", "[::]:18080", "127.0.0.1:18080,0.0.0.0:18081"])
  func `where others can reach it a server needs tokens, or the word that it needs none`(_ listen: String) {
    #expect(check("--listen", listen) == 78)
    #expect(Command.run(["serve", "--store", "memory", "--listen", listen], environment: [:]) == 78)
    #expect(check("--listen", listen, environment: ["BINDERY_NO_AUTH": "1"]) == 0)
  }

  @Test func `what cannot be served is told before it is tried`() throws {
    #expect(check("--listen", "192.0.2.1:18080", "--no-auth") == 78)
    #expect(check("--listen", "unix:\(path("no/folder"))") == 78)
    #expect(check("--store", path("no/folder.db")) == 78)
    #expect(check("--store", try file("this is no store, but it is long enough to be looked at")) == 78)
    #expect(check("--time-zone", "Nowhere/City") == 78)
    #expect(check(environment: ["TZ": "Nowhere/City"]) == 78)
  }

  @Test func `a command line that makes no sense is another code than a variable that does not`() {
    #expect(check("--threads", "x") == 64)
    #expect(check(environment: ["BINDERY_THREADS": "x"]) == 78)
    #expect(check("--no-auth", "--token-file", "x") == 64)
    #expect(Command.run(["health", "--check"], environment: [:]) == 64)
  }
}
