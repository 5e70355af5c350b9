import BinderyConsole
import BinderyService
import BinderySystem
import BinderyTestKit
import Testing

/// The console, which every service serves.
struct ConsoleDocumentTests {
  @Test(arguments: ["", "/tally"])
  func `the console needs no token, and may load only its own files`(base: String) async throws {
    var configuration = ServiceConfiguration<Tally>()
    configuration.eventLoops = 1
    configuration.basePath = base + "/"
    let service = try Service(
      initial: Tally(), listeningOn: ["127.0.0.1:0"], access: .tokens(["write-token-0123456789"]),
      configuration: configuration)
    // On a thread of its own: blocking tests may occupy the threads of the pool.
    try Thread.detach { try? service.runBlocking() }
    defer { service.stop() }
    let replies = try await service.requests { client in
      try [client.get(base + "/"), client.get(base + "/console"), client.get(base + "/model.json")]
        + ConsoleFiles.parts.keys.sorted().map { try client.get(base + "/console/" + $0) }
    }
    #expect(replies.map(\.status) == [302, 200, 401] + ConsoleFiles.parts.map { _ in 200 })
    #expect(replies[0]["Location"] == "console")
    #expect(replies[1].text.hasPrefix("<!doctype html>\n<html"))
    for reply in [replies[1]] + replies.dropFirst(3) {
      #expect(reply["Content-Security-Policy"]?.contains("require-trusted-types-for 'script'") == true)
      #expect(reply["Content-Security-Policy"]?.hasPrefix("default-src 'none'") == true)
    }
  }

  @Test func `the page names no file that is not served, and no file is left out`() {
    let texts = [ConsoleFiles.page] + ConsoleFiles.parts.values
    let named = texts.map { String(decoding: $0, as: UTF8.self) }.joined()
      .matches(of: /(?:"\.\/|"console\/)([a-z]+\.[a-z]+)"/).map { String($0.output.1) }
    #expect(Set(named) == Set(ConsoleFiles.parts.keys))
  }
}
