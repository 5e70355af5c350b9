import BinderyMenu
import BinderyService
import Foundation
import Testing

/// The embedded files of the page.
struct FileTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Sources/BinderyMenu/Page/Files").standardizedFileURL

  @Test func `the embedded files are equal to the files of the folder`() throws {
    let files = try FileManager.default.subpathsOfDirectory(atPath: Self.folder.path).filter { $0.contains(".") }
    let served = Dictionary(
      uniqueKeysWithValues: WebPage.files.map {
        ($0.path == "/" ? "index.html" : String($0.path.dropFirst()), $0.content)
      })
    #expect(Set(files) == Set(served.keys))
    for (name, bytes) in served {
      #expect(try Data(contentsOf: Self.folder.appending(path: name)) == Data(bytes), "\(name)")
    }
  }

  @Test func `the page references only files that the server serves`() throws {
    let paths = Set(WebPage.files.map(\.path) + ["/client.js"])
    for file in WebPage.files {
      let text = String(decoding: file.content, as: UTF8.self)
      for match in text.matches(of: /(?:src|href)="([^#"][^"]*)"/) where !match.1.hasPrefix("state") {
        #expect(paths.contains("/" + match.1), "\(file.path)")
      }
      for match in text.matches(of: /from "([^"]+)"/) {
        let target = URL(string: String(match.1), relativeTo: URL(string: "http://page" + file.path))
        #expect(target.map { paths.contains($0.path) } == true, "\(file.path) imports \(match.1)")
      }
    }
  }

  @Test func `all URLs are relative, so that the page works below any base path`() {
    for file in WebPage.files {
      let text = String(decoding: file.content, as: UTF8.self)
      for pattern in ["(?:src|href)=\"/", "(?:fetch|EventSource|URL)\\([\"'`]/", "from \"/", "url\\(/"] {
        #expect(text.firstMatch(of: try! Regex(pattern)) == nil, "\(file.path) contains \(pattern)")
      }
    }
  }

  @Test func `the files contain no inline code that the Content Security Policy forbids`() throws {
    #expect(!WebPage.contentSecurityPolicy.contains("unsafe"))
    for file in WebPage.files {
      let text = String(decoding: file.content, as: UTF8.self)
      for match in ["style=\"", "<style", "innerHTML", "javascript:", "onclick="] {
        #expect(!text.contains(match), "\(file.path) contains \(match)")
      }
    }
  }
}
