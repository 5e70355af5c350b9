import BinderyCore
import BinderyService
import BinderyTestKit
import Foundation
import Testing

/// The files of a web page, read from a folder or embedded in the program.
final class WebFileTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "bindery-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Creates a file in the folder.
  private func write(_ name: String, _ content: some DataProtocol = Data("x".utf8)) throws {
    let file = folder.appending(path: name)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(content).write(to: file)
  }

  private func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder.appending(path: name).path, withDestinationPath: target)
  }

  private func paths() throws -> [String] { try WebFile.folder(folder.path).map(\.path).sorted() }

  /// Serves files while requests are sent.
  private func serve(
    _ files: [WebFile], access: AccessPolicy = .local, _ requests: (CurlClient) throws -> Void
  ) throws {
    let live = try LiveService(Tally(), access: access, files: files)
    defer { live.stop() }
    try requests(CurlClient(live.address))
  }

  @Test func `index.html has the path of its folder, and hidden files and backups are left out`() throws {
    for name in ["index.html", "js/page.js", "help/index.html", ".env", ".git/config", "js/.x", "page.css~"] {
      try write(name)
    }
    #expect(try paths() == ["/", "/help/", "/help/index.html", "/index.html", "/js/page.js"])
  }

  @Test(arguments: [
    ("a.html", "text/html; charset=utf-8"), ("a.css", "text/css; charset=utf-8"),
    ("a.mjs", "text/javascript; charset=utf-8"), ("a.min.JS", "text/javascript; charset=utf-8"),
    ("a.svg", "image/svg+xml"), ("a.woff2", "font/woff2"), ("a.wasm", "application/wasm"),
    ("a", "application/octet-stream"), ("a.b/c", "application/octet-stream"), ("a.xyz", "application/octet-stream"),
  ])
  func `the extension determines the media type`(_ name: String, _ type: String) throws {
    try write(name)
    #expect(try WebFile.folder(folder.path).map(\.mediaType) == [type])
    #expect(WebFile(path: "/" + name, content: []).mediaType == type)
  }

  @Test func `a path of a folder is that of a page`() {
    #expect(WebFile(path: "/", content: []).mediaType == "text/html; charset=utf-8")
  }

  @Test func `the files are public, have an ETag, and are sent only when they have changed`() throws {
    try write("index.html", Data("<p>one".utf8))
    try write("help/index.html", Data("<p>help".utf8))
    try write("ein Bild.txt", Data("bild".utf8))
    let files = try WebFile.folder(folder.path)
    let policy = try AccessPolicy.tokens(["write-token-0123456789"])
    try serve(files, access: policy) { client in
      let page = try client.get("/")
      #expect(page.status == 200 && page.text == "<p>one")
      #expect(page["Content-Type"] == "text/html; charset=utf-8" && page["Cache-Control"] == "no-cache")
      #expect(page["Content-Security-Policy"]?.contains("script-src 'self'") == true)
      #expect(page["X-Content-Type-Options"] == "nosniff")
      let tag = try #require(page.etag)
      #expect(try client.get("/", ["If-None-Match": tag]).status == 304)
      #expect(try client.get("/index.html").etag == tag)
      #expect(try client.get("/help/").text == "<p>help")
      #expect(try client.get("/ein%20Bild.txt").text == "bild")
      #expect(try client.get("/state").status == 401)
      #expect(try client.get("/help").status == 401)
    }
  }

  @Test func `no request leads out of the folder`() throws {
    try write("index.html")
    try write(".secret", Data("secret".utf8))
    try write("js/page.js")
    let outside = folder.deletingLastPathComponent().appending(path: "\(UUID().uuidString).txt")
    try Data("secret".utf8).write(to: outside)
    defer { try? FileManager.default.removeItem(at: outside) }
    let name = outside.lastPathComponent
    try serve(try WebFile.folder(folder.path)) { client in
      for path in [
        "/../\(name)", "/js/../../\(name)", "/%2e%2e/\(name)", "/..%2f\(name)", "/js/..%5c..%5c\(name)", "//\(name)",
        outside.path, "/.secret", "/%2esecret", "/js/%2e%2e/.secret", "/index.html/", "/js/", "/js", "/index.html%00",
      ] {
        let reply = try client.get(path)
        #expect([400, 404].contains(reply.status) && !reply.text.contains("secret\n"), "\(path): \(reply)")
      }
      #expect(try client.get("/state/count/").outcome == "404 unknown-path")
      #expect(try client.put("/js/page.js", "1").status == 405)
    }
  }

  @Test func `a long file is sent in slices and arrives complete`() throws {
    let content = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
    try write("photo.png", content)
    try serve(try WebFile.folder(folder.path)) { client in
      let reply = try client.get("/photo.png")
      #expect(reply["Transfer-Encoding"] == "chunked" && reply["Content-Type"] == "image/png")
      #expect(Data(reply.body) == content)
      #expect(try client.head("/photo.png").etag == reply.etag)
      #expect(try client.get("/photo.png", ["If-None-Match": reply.etag ?? ""]).status == 304)
    }
  }

  @Test func `a symbolic link may lead to a file in the folder, as in a mounted ConfigMap`() throws {
    try write("..2026/index.html", Data("mounted".utf8))
    try link("..data", to: "..2026")
    try link("index.html", to: "..data/index.html")
    #expect(try WebFile.folder(folder.path).first?.content == Array("mounted".utf8))
    #expect(try paths() == ["/", "/index.html"])
  }

  @Test(arguments: [("/etc/hostname", "out of the folder"), ("/nowhere", "cannot read"), ("js", "link to a folder")])
  func `another symbolic link is refused at the start`(_ target: String, _ reason: String) throws {
    try write("js/page.js")
    try link("other", to: target)
    let error = #expect(throws: ServiceError.self) { try WebFile.folder(self.folder.path) }
    #expect(error?.description.contains(reason) == true && error?.description.contains("/other") == true)
  }

  @Test func `a folder that cannot be served is refused with its name and what to do`() throws {
    let missing = folder.appending(path: "none").path
    #expect(
      throws: ServiceError.invalidFile("\(missing) does not exist: expected a folder with the files of a web page")
    ) {
      try WebFile.folder(missing)
    }
    try write("file")
    #expect(throws: ServiceError.self) { try WebFile.folder(self.folder.appending(path: "file").path) }
    try write("a~b/c")
    let error = #expect(throws: ServiceError.self) { try WebFile.folder(self.folder.path) }
    #expect(error?.description.contains("rename it") == true)
  }

  @Test func `a folder has at most a thousand files and 64 MiB`() throws {
    for number in 0..<1_000 { try write("\(number).txt", Data()) }
    #expect(try paths().count == 1_000)
    try write("one-more.txt", Data())
    #expect(throws: ServiceError.self) { try WebFile.folder(self.folder.path) }
    try FileManager.default.removeItem(at: folder)
    try write("large.bin", Data(count: 64 << 20))
    #expect(try paths() == ["/large.bin"])
    try write("more.bin", Data(count: 1))
    #expect(throws: ServiceError.self) { try WebFile.folder(self.folder.path) }
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
