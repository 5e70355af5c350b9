import BinderyService
import Testing

/// The files of a web page that are embedded in a program.
struct WebFileTests {
  @Test(arguments: [
    ("a.html", "text/html; charset=utf-8"), ("a.css", "text/css; charset=utf-8"),
    ("a.mjs", "text/javascript; charset=utf-8"), ("a.min.JS", "text/javascript; charset=utf-8"),
    ("a.svg", "image/svg+xml"), ("a.woff2", "font/woff2"), ("a.wasm", "application/wasm"),
    ("a", "application/octet-stream"), ("a.b/c", "application/octet-stream"), ("a.xyz", "application/octet-stream"),
    ("a.b/", "text/html; charset=utf-8"),
  ])
  func `the extension of the path determines the media type, and a folder is a page`(_ path: String, _ type: String) {
    #expect(WebFile(path: "/" + path, content: []).mediaType == type)
  }

  @Test(arguments: ["/state", "/state/x", "page.js", "/metrics", "/events", "/a//b", "/a/../b", "/%zz"])
  func `a file cannot have a malformed path or one of the service itself`(_ path: String) throws {
    var configuration = ServiceConfiguration<Tally>()
    configuration.files = [WebFile(path: path, content: [])]
    #expect(throws: ServiceError.self) {
      try Service(initial: Tally(), listeningOn: ["127.0.0.1:0"], configuration: configuration)
    }
  }

  @Test func `two files cannot have the same path, in any spelling`() throws {
    var configuration = ServiceConfiguration<Tally>()
    configuration.files = [WebFile(path: "/ü.html", content: []), WebFile(path: "/%c3%bc.html", content: [])]
    let error = #expect(throws: ServiceError.self) {
      try Service(initial: Tally(), listeningOn: ["127.0.0.1:0"], configuration: configuration)
    }
    #expect(error?.description == "two files have the path “/%C3%BC.html”")
  }
}
