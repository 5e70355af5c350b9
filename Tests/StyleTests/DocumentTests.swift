import Foundation
import Testing

/// Checks what the documentation says about the sources.
struct DocumentTests {
  private static let documents = Repository.files.filter {
    $0.path.hasPrefix("docs/") || ["README.md", "CONTRIBUTING.md"].contains($0.path)
  }

  @Test func `every Swift file that a document names exists, with the functions named after it`() {
    // A file in backticks, and names in backticks in parentheses after it, with spaces or line ends between.
    let pattern = /`([\w\/+.]+\.swift)`(?:\s\(((?:`[^`]+`(?:,\s)?)+)\))?/
    var violations: [String] = []
    var references = 0
    for document in Self.documents {
      for match in document.text.matches(of: pattern) {
        references += 1
        let path = String(match.1)
        let files = Repository.files.filter { $0.path == path || $0.path.hasSuffix("/" + path) }
        if files.isEmpty { violations.append("\(document): there is no file \(path)") }
        for name in (match.2 ?? "").matches(of: /`([^`]+)`/) where !files.contains(where: { $0.text.contains(name.1) })
        {
          violations.append("\(document): \(path) does not contain \(name.1)")
        }
      }
    }
    #expect(violations.isEmpty, "\(violations.joined(separator: "\n"))")
    #expect(references > 20)
  }

  @Test func `every relative link in a document leads to a file, and to a heading if it names one`() {
    let pattern = /\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/
    var violations: [String] = []
    var links = 0
    for document in Repository.files where document.path.hasSuffix(".md") && !document.path.contains(".docc/") {
      let folder = Repository.root.appending(path: document.path).deletingLastPathComponent()
      for match in document.text.matches(of: pattern) {
        links += 1
        let target = match.1.isEmpty ? document.path : String(match.1)
        let url = match.1.isEmpty ? Repository.root.appending(path: target) : folder.appending(path: target)
        let isThere = (try? url.checkResourceIsReachable()) == true
        if !isThere { violations.append("\(document): there is no file \(target)") }
        if isThere, let heading = match.2, !Self.anchors(of: url).contains(String(heading)) {
          violations.append("\(document): \(target) has no heading #\(heading)")
        }
      }
    }
    #expect(violations.isEmpty, "\(violations.joined(separator: "\n"))")
    #expect(links > 40)
  }

  /// Returns the anchors that GitHub gives the headings of a document.
  private static func anchors(of url: URL) -> Set<String> {
    let text = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
    let headings = text.split(separator: "\n").filter { $0.hasPrefix("#") }
    return Set(
      headings.map { heading in
        let words = heading.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces).lowercased()
        return String(
          words.filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" }.map { $0 == " " ? "-" : $0 })
      })
  }
}
