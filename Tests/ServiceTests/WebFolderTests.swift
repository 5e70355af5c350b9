import BinderyAPI
import BinderyService
import BinderySystem
import BinderyTestKit
import Foundation
import Testing

/// The files of a folder that is served beside the state.
struct WebFolderTests {
  private static let token = "write-token-0123456789"

  @Test func `the files are public and have a type, and HTML cannot be framed`() throws {
    let site = try Site([
      "index.html": "<p>one", "help/index.html": "<p>help", "ein Bild.txt": "bild", "js/a.mjs": "x", "a~0.css": "y",
    ])
    try site.serve(access: .tokens([Self.token])) { address in
      let client = try CurlClient(address)
      let page = try client.get("/")
      #expect(page.status == 200 && page.text == "<p>one")
      #expect(page["Content-Type"] == "text/html; charset=utf-8" && page["Cache-Control"] == "no-cache")
      #expect(page["Content-Security-Policy"] == "frame-ancestors 'none'")
      #expect(page["X-Content-Type-Options"] == "nosniff" && page["Accept-Ranges"] == "bytes")
      #expect(try client.get("/index.html").text == "<p>one" && client.get("/help/").text == "<p>help")
      let script = try client.get("/js/a.mjs?v=1")
      #expect(script["Content-Type"] == "text/javascript; charset=utf-8" && script["Content-Security-Policy"] == nil)
      #expect(script["X-Content-Type-Options"] == "nosniff")
      #expect(try client.get("/ein%20Bild.txt").text == "bild")
      // In file names, “~” is a character like any other.
      #expect(try client.get("/a~0.css").text == "y" && client.get("/a%7E0.css").text == "y")
      // Everything else needs the token; that a file is missing does not.
      #expect(try client.get("/state").status == 401 && client.get("/metrics").status == 401)
      let missing = try client.get("/none")
      #expect(missing.outcome == "404 unknown-path" && missing["curl"] == nil)
      #expect(try client.delete("/index.html").status == 401)
      #expect(try client.delete("/index.html", ["Authorization": "Bearer \(Self.token)"]).status == 405)
    }
  }

  @Test func `a folder without a slash leads to its page, below any base path`() throws {
    let site = try Site(["sub dir/index.html": "page", "empty/file": "x"])
    for base in ["", "/menu"] {
      try site.serve(basePath: #require(BasePath(base.isEmpty ? "/" : base))) { address in
        let client = try CurlClient(address)
        let reply = try client.get(base + "/sub%20dir?a=b")
        #expect(reply.status == 307 && reply["Location"] == base + "/sub%20dir/?a=b")
        #expect(try client.get(base + "/sub%20dir/").text == "page")
        for path in ["/empty", "/empty/", "/empty/file/", "/sub%20dir/index.html/"] {
          #expect(try client.get(base + path).outcome == "404 unknown-path", "\(path)")
        }
        // Without a page of its own, the service leads to its documentation.
        let root = try client.get(base + "/")
        #expect(root.status == 302 && root["Location"] == "docs")
      }
    }
  }

  @Test func `a changed file needs no restart, and its entity tag changes with every content`() throws {
    let site = try Site(["a.txt": "one"])
    try site.serve { address in
      let client = try CurlClient(address)
      let first = try client.get("/a.txt")
      let tag = try #require(first.etag)
      #expect(try client.get("/a.txt").etag == tag && client.head("/a.txt").etag == tag)
      #expect(try client.get("/a.txt", ["If-None-Match": tag]).status == 304)
      #expect(try client.get("/a.txt", ["If-Match": tag]).status == 200)
      try site.write("a.txt", Data("two".utf8))
      // Programs such as rsync set the time of the content.
      let time = try FileManager.default.attributesOfItem(atPath: site.path("a.txt"))[.modificationDate] as? Date
      try site.write("a.txt", Data("TWO".utf8))
      try FileManager.default.setAttributes([.modificationDate: #require(time)], ofItemAtPath: site.path("a.txt"))
      let second = try client.get("/a.txt", ["If-None-Match": tag])
      #expect(second.status == 200 && second.text == "TWO" && second.etag != tag)
      let refused = try client.get("/a.txt", ["If-Match": tag])
      #expect(refused.outcome == "412 precondition-failed" && refused.etag == second.etag)
      #expect(try client.get("/a.txt", ["If-Match": "tag"]).outcome == "400 malformed-header")
      try FileManager.default.removeItem(atPath: site.path("a.txt"))
      #expect(try client.get("/a.txt", ["If-None-Match": tag]).status == 404)
    }
  }

  @Test func `a file that was just changed has a new entity tag in each response`() throws {
    // The resolution of its time could hide another change.
    try Site(["a.txt": "one"]).serve(isSettled: false) { address in
      let client = try CurlClient(address)
      let tag = try #require(try client.get("/a.txt").etag)
      let again = try client.get("/a.txt", ["If-None-Match": tag, "If-Range": tag, "Range": "bytes=0-0"])
      #expect(again.status == 200 && again.text == "one" && again.etag != tag)
    }
  }

  /// Values of `Range` for a file of ten bytes, with the status, `Content-Range` and content.
  static let ranges: [(String, Int, String?, String)] = [
    ("bytes=0-0", 206, "bytes 0-0/10", "0"), ("bytes=2-4", 206, "bytes 2-4/10", "234"),
    ("bytes=5-", 206, "bytes 5-9/10", "56789"), ("bytes=-3", 206, "bytes 7-9/10", "789"),
    ("bytes=-99", 206, "bytes 0-9/10", "0123456789"), ("bytes=8-99999999999999999999", 206, "bytes 8-9/10", "89"),
    ("BYTES=9-", 206, "bytes 9-9/10", "9"), ("bytes=10-", 416, "bytes */10", ""), ("bytes=-0", 416, "bytes */10", ""),
    ("bytes=99999999999999999999-", 416, "bytes */10", ""), ("bytes=4-2", 200, nil, "0123456789"),
    ("bytes=0-1,3-4", 200, nil, "0123456789"), ("bytes=a-b", 200, nil, "0123456789"),
    ("bytes=", 200, nil, "0123456789"),
    ("bytes=-", 200, nil, "0123456789"), ("lines=0-1", 200, nil, "0123456789"), ("bytes=+1-2", 200, nil, "0123456789"),
    ("bytes=1-2-3", 200, nil, "0123456789"), ("bytes 1-2", 200, nil, "0123456789"),
  ]

  @Test func `one range of a file is sent alone, and other ranges are ignored`() throws {
    let site = try Site(["a.txt": "0123456789", "empty": ""])
    try site.serve { address in
      let client = try CurlClient(address)
      for (range, status, contentRange, content) in Self.ranges {
        let reply = try client.get("/a.txt", ["Range": range])
        #expect(reply.status == status && reply["Content-Range"] == contentRange, "\(range): \(reply)")
        if status == 416 {
          #expect(reply.problem == "range-not-satisfiable")
        } else {
          #expect(reply.text == content && reply.etag != nil, "\(range): \(reply)")
        }
      }
      let tag = try #require(try client.get("/a.txt").etag)
      let isPart = { (condition: String) in
        try client.get("/a.txt", ["Range": "bytes=1-2", "If-Range": condition]).status == 206
      }
      #expect(try isPart(tag))
      for condition in ["\"other\"", "W/" + tag, "Sun, 06 Nov 1994 08:49:37 GMT", "\(tag), \(tag)", "*"] {
        #expect(try !isPart(condition), "\(condition)")
      }
      #expect(try client.get("/a.txt", ["Range": "bytes=1-2", "If-None-Match": tag]).status == 304)
      // Ranges are defined for GET only.
      let head = try client.head("/a.txt", ["Range": "bytes=1-2"])
      #expect(head.status == 200 && head["Content-Length"] == "10" && head.body.isEmpty)
      for range in ["bytes=-5", "bytes=0-"] {
        let reply = try client.get("/empty", ["Range": range])
        #expect(reply.status == (range == "bytes=-5" ? 200 : 416) && (reply.status == 416 || reply.body.isEmpty))
      }
    }
  }

  /// Paths that lead to nothing that is served.
  static let attacks = [
    "/../secret", "/%2e%2e/secret", "/%2E%2E%2Fsecret", "/..%2fsecret", "/sub/../../secret",
    "/sub/%2e%2e/%2e%2e/secret",
    "/sub/..%2f..%2fsecret", "//secret", "/sub//file", "/./file", "/%2e/file", "/file%00", "/file%00.html", "/%00",
    "/sub%2ffile", "/%2ffile", "/%2fetc%2fpasswd", "/..%5csecret", "/sub\\..\\..\\secret", "/%252e%252e/secret", "/%ff",
    "/%c0%ae%c0%ae/secret", "/%", "/%zz", "/.hidden", "/%2ehidden", "/.%CC%81hidden", "/sub/.hidden", "/.git/config",
    "/backup~",
    "/backup%7e", "/link", "/link-outside", "/folder-link/file", "/folder-outside/passwd", "/broken", "/pipe",
    "/socket",
    "/hard-link", "/file/", "/file/index.html", "/sub/none", "/\(String(repeating: "a", count: 300))",
    String(repeating: "/a", count: 64), String(repeating: "/a", count: 65),
  ]

  @Test func `no request leads out of the folder, to a hidden file or to anything but a regular file`() throws {
    let outside = try Site(["secret": "SECRET", "token": "SECRET"])
    let site = try Site(["file": "public", "sub/file": "public", "sub/.hidden": "SECRET", ".hidden": "SECRET"])
    for name in [".git/config", "backup~", ".\u{301}hidden"] { try site.write(name, Data("SECRET".utf8)) }
    let links = [
      ("link", "file"), ("link-outside", outside.path("secret")), ("folder-link", "sub"), ("folder-outside", "/etc"),
      ("broken", "nowhere"), ("secret", "../secret"),
    ]
    for (name, target) in links {
      try FileManager.default.createSymbolicLink(atPath: site.path(name), withDestinationPath: target)
    }
    try FileManager.default.linkItem(atPath: outside.path("token"), toPath: site.path("hard-link"))
    let socket = try Listener(address: .unix(path: site.path("socket")))
    try ChildProcess.run("mkfifo", [site.path("pipe")])
    try site.serve(withoutServing: [outside.path("token")]) { address in
      let client = try SocketClient(address)
      for path in Self.attacks {
        for method in ["GET", "HEAD"] {
          let reply = try client.send(method, path)
          #expect([400, 404].contains(reply.status) && !reply.text.contains("SECRET"), "\(path): \(reply)")
        }
      }
      #expect(try client.get("/file").text == "public" && client.get("/sub/file").text == "public")
    }
    _ = socket
  }

  @Test func `names with unusual characters are served under their encoded path`() throws {
    let names = [
      "ü ñ.txt", "a+b&c=d?e#f.txt", "100%.txt", "new\nline", "back\\slash", "\"quoted\"", "👋🏽", "a..b", "-", "a~b",
      "c~1d",
    ]
    let site = try Site(Dictionary(uniqueKeysWithValues: names.map { ($0, "content of \($0)") }))
    try site.serve(access: .tokens([Self.token])) { address in
      let client = try SocketClient(address)
      for name in names {
        let path = "/" + name.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(try client.get(path).text == "content of \(name)")
      }
    }
  }

  @Test func `a device is not served`() throws {
    let folder = try WebFolder("/dev", withoutServing: [])
    for name in ["zero", "null"] {
      guard case .nothing = folder.open([name]) else { return #expect(Bool(false), "opened \(name)") }
    }
  }
}
