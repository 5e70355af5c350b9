import BinderyService
import BinderySystem
import BinderyTestKit
import Testing

/// A service whose root on its host is not `/`.
struct BasePathTests {
  private static let token = "write-token-0123456789"

  private func makeService(_ basePath: String) throws -> Service<Tally> {
    var configuration = ServiceConfiguration<Tally>()
    configuration.eventLoops = 1
    configuration.basePath = basePath
    configuration.files = [WebFile(path: "/", mediaType: "text/plain", content: Array("page".utf8))]
    return try Service(
      initial: Tally(), listeningOn: ["127.0.0.1:0"], access: .tokens([Self.token]), configuration: configuration)
  }

  @Test(arguments: ["/tally", "/tally/"])
  func `the files and the state of a service are below its base path`(_ basePath: String) async throws {
    let service = try makeService(basePath)
    // On a thread of its own: blocking tests may occupy the threads of the pool.
    try Thread.detach { try? service.runBlocking() }
    let replies = try await service.requests { client in
      // The files are public.
      try ["/tally", "/tally/", "/readyz"].map { try client.get($0) }
        + ["/tally/state/count", "/tally/openapi.yaml", "/"].map {
          try client.get($0, ["Authorization": "Bearer \(Self.token)"])
        }
    }
    #expect(replies.map(\.status) == [307, 200, 200, 200, 200, 404])
    #expect(replies[0]["Location"] == "/tally/")
    #expect(replies[1].text == "page")
    #expect(replies[4].text.contains("servers: [{url: /tally}]\n"))
    service.stop()
  }

  @Test func `a malformed base path is an error`() {
    #expect(throws: ServiceError.malformedBasePath("tally")) { try makeService("tally") }
  }
}
