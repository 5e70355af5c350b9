import Foundation
import HTTP
import JSON
import Menu
import Resources
import Shapes
import Testing

/// The description of the menu's service.
struct OpenAPITests {
  let document = OpenAPIDocument(of: Menu.example, title: "Bindery", version: "0.1.0")

  @Test func `the file in the repository is what the types give`() throws {
    let file = URL(filePath: #filePath).resolvingSymlinksInPath()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "openapi.yaml")
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text == document.yaml, "renew it: bindery openapi > openapi.yaml")
  }
}
