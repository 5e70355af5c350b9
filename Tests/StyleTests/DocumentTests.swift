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
}
