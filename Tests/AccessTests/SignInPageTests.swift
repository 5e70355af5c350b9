import BinderyAPI
import BinderyCore
import BinderyMenu
import BinderyService
import BinderySystem
import BinderyTestKit
import Testing

/// The reference page at `/docs`, and the page that browsers get instead of it without a token.
struct SignInPageTests {
  private static let browser: KeyValuePairs = ["Accept": "text/html,application/xhtml+xml,*/*;q=0.8"]

  /// Runs a service of the menu with its reference page on a free port.
  private func serve(
    files: [WebFile] = [], basePath: String = "/", _ body: (SocketClient) throws -> Void
  ) throws {
    var configuration = ServiceConfiguration<Menu>()
    configuration.files = files
    configuration.basePath = basePath
    let service = try Service(
      initial: TestAPI.menu, listeningOn: ["127.0.0.1:0"], access: .tokens([TestAPI.writeToken]),
      configuration: configuration)
    let thread = try Thread { try? service.runBlocking() }
    defer {
      service.stop()
      thread.join()
    }
    try body(SocketClient(service.addresses[0]))
  }

  @Test func `a browser without a token gets a page to sign in`() throws {
    try serve { client throws in
      let reply = try client.get("/docs", Self.browser)
      #expect(reply.status == 401)
      #expect(reply["WWW-Authenticate"] == "Bearer realm=\"bindery\"")
      #expect(reply["Content-Type"] == "text/html; charset=utf-8")
      #expect(reply["Cache-Control"] == "no-store")
      #expect(reply.text.contains("<form"))
      let policy = try #require(reply["Content-Security-Policy"])
      for part in [
        "default-src 'none'", "script-src 'sha256-", "style-src 'sha256-", "connect-src 'self'", "form-action 'none'",
        "frame-ancestors 'none'", "require-trusted-types-for 'script'",
      ] { #expect(policy.contains(part), "\(part)") }
      #expect(!policy.contains("unsafe"))
      // Relative URLs also work below a base path.
      #expect(!reply.text.contains("=\"/") && !reply.text.contains("fetch(\"/"))
    }
  }

  @Test func `the pages are also found below a base path`() throws {
    try serve(basePath: "/menu") { client throws in
      let root = try client.get("/menu/")
      // Relative to the root of the service.
      #expect(root.status == 302 && root["Location"] == "console")
      let reply = try client.get("/menu/docs", Self.browser)
      #expect(reply.status == 401 && reply.text.contains("<form"))
      #expect(try client.get("/docs", Self.browser).outcome == "401 unauthorized")
      let credential: KeyValuePairs = ["Authorization": "Bearer \(TestAPI.writeToken)"]
      #expect(try client.get("/menu/docs", credential).text.contains("href=\"openapi.yaml\""))
      #expect(try client.get("/menu/openapi.yaml", credential).text.contains("servers: [{url: /menu}]"))
    }
  }

  @Test func `other clients and other paths get a problem document`() throws {
    try serve { client throws in
      let problem = try client.get("/docs")
      #expect(problem.outcome == "401 unauthorized")
      for (path, fields) in [("/state", Self.browser), ("/nothing", Self.browser), ("/docs", ["Accept": "*/*"])] {
        let reply = try client.get(path, fields)
        #expect(reply.outcome == "401 unauthorized")
        #expect(reply.text == problem.text, "the response reveals no paths")
      }
      #expect(try client.send("POST", "/docs", "{}", Self.browser).outcome == "401 unauthorized")
    }
  }

  @Test func `with a token or a session the page describes the model`() throws {
    try serve { client throws in
      let credential: KeyValuePairs = ["Authorization": "Bearer \(TestAPI.writeToken)", "Accept": "text/html"]
      let reply = try client.get("/docs", credential)
      #expect(reply.status == 200)
      #expect(reply["Content-Type"] == "text/html; charset=utf-8")
      #expect(reply.text.contains("/state/dishes/{dishId}"))
      let cookie = try #require(try client.send("POST", "/session", "", credential)["Set-Cookie"])
      let session = String(cookie.prefix { $0 != ";" })
      #expect(try client.get("/docs", ["Cookie": session]).text == reply.text)
      #expect(try client.get("/docs", ["Cookie": session, "If-None-Match": reply["ETag"] ?? ""]).status == 304)
    }
  }

  @Test func `the root leads to the console if the service has no page of its own`() throws {
    try serve { client throws in
      let reply = try client.get("/")
      #expect(reply.status == 302)
      #expect(reply["Location"] == "console")
    }
    let page = WebFile(path: "/", mediaType: "text/plain", content: Array("own".utf8))
    try serve(files: [page]) { client throws in #expect(try client.get("/").text == "own") }
  }

  @Test func `a file cannot replace the reference page`() throws {
    let file = WebFile(path: "/docs", mediaType: "text/plain", content: [])
    #expect(throws: ServiceError.self) { try serve(files: [file]) { _ throws in } }
  }
}
