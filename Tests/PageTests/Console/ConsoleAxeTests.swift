import Foundation
import Testing

/// The path of axe-core's axe.min.js.
private let axeFile = ProcessInfo.processInfo.environment["BINDERY_AXE"]

/// The console, checked by axe-core: `make axe`.
@Suite(.serialized, .needsBrowser, .enabled(if: axeFile != nil, "run make axe"))
struct ConsoleAxeTests {
  /// Returns the ids of the rules that the page violates, with an element for each.
  ///
  /// The page's Content-Security-Policy does not let a test add a script, so that axe runs in a world of its own.
  private func violations(_ window: Window) throws -> [String] {
    let source = try String(contentsOfFile: #require(axeFile), encoding: .utf8)
    let run = """
      axe.run(document, { resultTypes: ["violations"] }).then((result) =>
        result.violations.map((it) => `${it.id}: ${it.nodes[0].html} ${it.nodes[0].failureSummary}`).join("\\n"))
      """
    let text = try window.evaluateIsolated("\(source);\n\(run)")
    return text.isEmpty ? [] : text.components(separatedBy: "\n\n")
  }

  private static let model = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Examples/kinds.model.json").path

  @Test(arguments: [Browser.Screen.desktop, .phone])
  func `axe finds no violation in the tree, a form, a conflict and a dialog`(screen: Browser.Screen) throws {
    try ConsoleProgram.run(serving: ["--model", Self.model, "--store", "memory"], screen) { program in
      let window = program.window
      try program.open("", in: window)
      try window.wait(for: ConsolePart.shows("3", at: "/count"))
      #expect(try violations(window) == [])
      try program.open("/tasks/6f1c0000-0000-8000-8000-000000000001", in: window)
      try window.wait(for: "document.querySelector('#editor input') !== null")
      #expect(try violations(window) == [])
      try program.makeConflict(in: window)
      #expect(try violations(window) == [])
      try window.click("#search-open")
      try window.wait(for: "document.getElementById('jump').open")
      #expect(try violations(window) == [])
    }
  }
}
