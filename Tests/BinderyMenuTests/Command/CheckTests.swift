import Bindery
import BinderyMenu
import BinderyTestKit
import Foundation
import Testing

/// `bindery serve --check`, and the configuration errors that prevent a server from starting.
struct CheckTests {
  private let directory: TemporaryFolder

  init() throws { directory = try TemporaryFolder() }

  private func makeFile(_ content: String) throws -> String {
    let path = directory(UUID().uuidString)
    try Data(content.utf8).write(to: URL(filePath: path))
    return path
  }

  private func check(_ arguments: String..., environment: [String: String] = [:]) async -> Int32 {
    defer { try? FileManager.default.removeItem(atPath: directory("bindery.db")) }
    return await MenuCommand.run(
      ["serve", "--check", "--store", directory("none.db")] + arguments, environment: environment)
  }

  @Test func `a valid configuration passes the check, which creates no files`() async throws {
    let tokens = try makeFile("# of the kitchen\n\nwrite-token-0123456789\r\n  another-token-0123456789  \n")
    let before = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    #expect(await check() == 0)
    #expect(await check("--listen", ":18080,unix:\(directory("socket"))", "--token-file", tokens) == 0)
    #expect(await check("--listen", ":18080", "--no-auth") == 0)
    #expect(await check("--store", "memory") == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == before)
  }

  @Test(arguments: [
    "", "\n# nothing\n", "short\n", "write-token-0123456789\nwith a blank 0123456789\n", "ümlaut-0123456789\n",
    String(repeating: "x", count: 513), "Bearer write-token-0123456789\n", "import write-token-0123456789\n",
    "token-abcdefgh write-token-0123456789\n",
    "alice write-token-0123456789\nbob write-token-0123456789\n",
  ])
  func `an invalid token file is rejected`(_ content: String) async throws {
    #expect(try await check("--token-file", makeFile(content)) == 78)
  }

  @Test func `a token file must be readable and regular`() async throws {
    let valid = try makeFile("write-token-0123456789")
    #expect(await check("--token-file", valid) == 0)
    #expect(await check("--token-file", directory("missing")) == 78)
    #expect(await check("--token-file", directory.path) == 78)
    #expect(await check("--token-file", "/dev/zero") == 78)
    #expect(
      try await check("--token-file", makeFile((0..<5_000).map { "write-token-\(100_000 + $0)\n" }.joined())) == 78)
    #expect(await check("--token-file", valid, "--read-token-file", directory("missing")) == 78)
    #expect(await check("--token-file", valid, "--read-token-file", valid) == 78)
    let link = directory("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: valid)
    #expect(await check("--token-file", link) == 0)
  }

  @Test(arguments: [":18080", "0.0.0.0:18080", "[::]:18080", "127.0.0.1:18080,0.0.0.0:18081"])
  func `a server on a public address needs tokens or --no-auth`(_ listen: String) async {
    #expect(await check("--listen", listen) == 78)
    #expect(await MenuCommand.run(["serve", "--store", "memory", "--listen", listen], environment: [:]) == 78)
    #expect(await check("--listen", listen, environment: ["BINDERY_NO_AUTH": "1"]) == 0)
  }

  @Test func `the check finds invalid addresses, stores and time zones`() async throws {
    #expect(await check("--listen", "192.0.2.1:18080", "--no-auth") == 78)
    #expect(await check("--listen", "unix:\(directory("no/folder"))") == 78)
    #expect(await check("--store", directory("no/folder.db")) == 78)
    #expect(try await check("--store", makeFile("this is not a database, but it is long enough to be read")) == 78)
    for zone in ["Nowhere/City", "Europe", "zone.tab"] { #expect(await check("--time-zone", zone) == 78) }
    #expect(await check(environment: ["TZ": "Nowhere/City"]) == 78)
    #expect(await check(environment: ["TZ": ":/usr/share/zoneinfo/Europe/Rome"]) == 0)
    #expect(await check(environment: ["TZ": "/nowhere/zoneinfo.txt"]) == 78)
  }

  @Test func `an invalid argument exits with 64 and an invalid environment variable with 78`() async {
    #expect(await check("--threads", "x") == 64)
    #expect(await check(environment: ["BINDERY_THREADS": "x"]) == 78)
    #expect(await check("--no-auth", "--token-file", "x") == 64)
    #expect(await MenuCommand.run(["health", "--check"], environment: [:]) == 64)
  }
}
