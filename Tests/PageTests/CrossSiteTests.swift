import BinderyCore
import BinderyMenu
import BinderyService
import BinderySystem
import Foundation
import Testing

/// A page of another site, with the script from docs/BROWSERS.md.
@Suite(.serialized, .needsBrowser)
struct CrossSiteTests {
  private static let token = "cross-site-token-0123456789"

  /// The JavaScript example of the document.
  private static func script() throws -> String {
    let document = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/BROWSERS.md")
    let text = try String(contentsOf: document, encoding: .utf8)
    let block = text.components(separatedBy: "```js\n").first { $0.contains("async function watch") }
    return try #require(block?.components(separatedBy: "```").first)
  }

  /// A site with one page that defines the function of the document.
  private static func site() throws -> Service<Note> {
    var configuration = ServiceConfiguration<Note>()
    let policy = "default-src 'none'; script-src 'self'; connect-src *"
    configuration.files = [
      WebFile(
        path: "/", mediaType: "text/html", content: Array("<title>Other</title><script src=/watch.js></script>".utf8),
        contentSecurityPolicy: policy),
      WebFile(path: "/watch.js", mediaType: "text/javascript", content: Array(try script().utf8)),
    ]
    return try Service(initial: Note(), listeningOn: ["127.0.0.1:0"], configuration: configuration)
  }

  struct Note: StateModel {
    var text = ""
    static let shape = EditableShape<Note>.members(Note.init, StoredMember("text", \.text))
  }

  @Test func `a page of another site watches with fetch and a token, and resumes after a restart`() throws {
    let site = try Self.site()
    let thread = try BinderySystem.Thread { try? site.runBlocking() }
    defer {
      site.stop()
      thread.join()
    }
    // Another host, not only another port: a cookie would not be sent.
    let origin = "http://" + site.addresses[0].replacing("127.0.0.1", with: "localhost")
    var access = try AccessPolicy.tokens([Self.token])
    access.allowedOrigins = [origin]
    let server = try MenuServer(access)
    defer { server.stop() }
    let browser = try Browser()
    defer { browser.quit() }
    let window = browser.firstWindow()
    try window.navigate(to: origin + "/")
    let url = server.address + "state/dishes/\(Dishes.caprese)/name"
    let _: Bool = try window.value(
      """
      (window.seen = [], watch("\(url)", "\(Self.token)", (type, data) => seen.push(type + " " + data)), true)
      """)
    try window.wait(for: "seen.length === 1 && seen[0].startsWith('message') && seen[0].includes('Caprese')")
    server.edit(Dishes.caprese) { $0.name = "Insalata" }
    try window.wait(for: "seen.length === 2 && seen[1] === 'message Insalata'")
    server.stop()
    server.edit(Dishes.caprese) { $0.isFavorite = true }
    try server.restart()
    server.edit(Dishes.caprese) { $0.name = "Tomatoes" }
    try window.wait(for: "seen.length === 3 && seen[2] === 'message Tomatoes'")
    try server.replaceTokens(["another-token-0123456789"])
    try window.wait(for: "seen.length === 5 && seen[3].startsWith('cancel') && seen[4].startsWith('rejected')")
  }

  @Test func `a page of a site that is not allowed receives nothing`() throws {
    let site = try Self.site()
    let thread = try BinderySystem.Thread { try? site.runBlocking() }
    defer {
      site.stop()
      thread.join()
    }
    let server = try MenuServer(.tokens([Self.token]))
    defer { server.stop() }
    let browser = try Browser()
    defer { browser.quit() }
    let window = browser.firstWindow()
    try window.navigate(to: "http://" + site.addresses[0].replacing("127.0.0.1", with: "localhost") + "/")
    try window.wait(
      for: """
        window.outcome ?? (window.outcome = "", fetch("\(server.address)state/time", {
          headers: {Authorization: "Bearer \(Self.token)"}
        }).then(() => outcome = "read", () => outcome = "refused"), "")
        """)
    #expect(try window.value("outcome", as: String.self) == "refused")
  }
}
