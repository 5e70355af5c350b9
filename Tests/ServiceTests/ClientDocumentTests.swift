import BinderyClient
import BinderyService
import BinderySystem
import BinderyTestKit
import Testing

/// The browser client, which every service serves.
struct ClientDocumentTests {
  private static let origin = "https://app.example"

  /// Sends requests without a token to a service that requires one.
  private func requests(
    basePath: String = "/", _ body: @escaping @Sendable (SocketClient) throws -> [Reply]
  ) async throws -> [Reply] {
    var configuration = ServiceConfiguration<Tally>()
    configuration.eventLoops = 1
    configuration.basePath = basePath
    var access = try AccessPolicy.tokens(["write-token-0123456789"])
    access.allowedOrigins = [Self.origin]
    let service = try Service(
      initial: Tally(), listeningOn: ["127.0.0.1:0"], access: access, configuration: configuration)
    // On a thread of its own: blocking tests may occupy the threads of the pool.
    try Thread.detach { try? service.runBlocking() }
    defer { service.stop() }
    return try await service.requests(body)
  }

  /// Returns the name of the module that `/client.js` exports.
  private static func name(_ reply: Reply) throws -> String {
    let match = try #require(try /export \* from "\.\/(client-[0-9a-f]{16}\.js)";\n/.wholeMatch(in: reply.text))
    return String(match.output.1)
  }

  @Test(arguments: ["", "/menu"])
  func `the client needs no token, is revalidated, and leads to a file that never changes`(base: String) async throws {
    let replies = try await requests(basePath: base + "/") { client in
      let entry = try client.get(base + "/client.js")
      let name = try Self.name(entry)
      return try [
        entry, client.get(base + "/client.js", ["If-None-Match": entry.etag ?? ""]), client.get(base + "/" + name),
        client.get(base + "/client.d.ts"), client.head(base + "/" + name), client.get(base + "/client-0.js"),
      ]
    }
    #expect(replies.map(\.status) == [200, 304, 200, 200, 200, 401])
    #expect(replies[0]["Cache-Control"] == "no-cache" && replies[1]["Cache-Control"] == "no-cache")
    #expect(replies[2]["Cache-Control"] == "public, max-age=31536000, immutable")
    #expect(replies[0]["Content-Type"] == "text/javascript; charset=utf-8")
    #expect(replies[2]["Content-Type"] == "text/javascript; charset=utf-8")
    // Comments are for readers of the source.
    #expect(replies[2].text.contains("export function connect(") && !replies[2].text.contains("//"))
    #expect(replies[3].body == ClientFiles.declarations)
    #expect(replies[4]["Content-Length"] == "\(replies[2].body.count)")
  }

  @Test func `a page of an allowed origin may import the client`() async throws {
    let replies = try await requests { client in
      let entry = try client.get("/client.js", ["Origin": Self.origin])
      return [entry, try client.get("/" + Self.name(entry), ["Origin": Self.origin])]
    }
    for reply in replies { #expect(reply["Access-Control-Allow-Origin"] == Self.origin) }
  }
}
