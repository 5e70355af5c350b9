import BinderyCore
import BinderyService
import BinderySystem
import Foundation
import Testing

/// A page of a folder that is served beside the state, in Chromium.
@Suite(.serialized, .needsBrowser)
struct FolderPageTests {
  struct Note: StateModel {
    var text = "first"
    static let shape = EditableShape<Note>.members(Note.init, StoredMember("text", \.text))
  }

  /// A page that shows a place of the state, and writes to it.
  private static let files = [
    "index.html": """
    <!doctype html><meta charset=utf-8><title>Note</title><link rel=stylesheet href=css/page.css><link rel=icon href=data:,>
    <p id=text></p><button id=write>Write</button>
    <script type=module src=js/page.js></script>
    """,
    "css/page.css": "#text { color: rgb(1, 2, 3) }",
    "js/page.js": """
    import { place } from "./place.mjs";
    new EventSource(place).onmessage = (event) => {
      document.getElementById("text").textContent = JSON.parse(event.data);
    };
    document.getElementById("write").onclick = () => fetch(place, {
      method: "PATCH", body: '"written"', headers: {"Content-Type": "application/json"}
    });
    """,
    "js/place.mjs": "export const place = 'state/text';",
  ]

  @Test(arguments: ["/", "/note"])
  func `a page of the folder loads its files, watches the state and writes to it`(_ basePath: String) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "bindery-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, content) in Self.files {
      let file = folder.appending(path: name)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(content.utf8).write(to: file)
    }
    var configuration = ServiceConfiguration<Note>()
    configuration.folder = folder.path
    configuration.basePath = basePath
    let service = try Service(initial: Note(), listeningOn: ["127.0.0.1:0"], configuration: configuration)
    let thread = try BinderySystem.Thread { try? service.runBlocking() }
    defer {
      service.stop()
      thread.join()
    }
    let browser = try Browser()
    defer { browser.quit() }
    let window = browser.firstWindow()
    try window.navigate(to: "http://\(service.addresses[0])\(basePath)")
    try window.wait(for: "document.getElementById('text').textContent === 'first'")
    #expect(try window.value("getComputedStyle(document.getElementById('text')).color") == "rgb(1, 2, 3)")
    service.store.post { $0.text = "second" }
    try window.wait(for: "document.getElementById('text').textContent === 'second'")
    try window.click("#write")
    try window.wait(for: "document.getElementById('text').textContent === 'written'")
    #expect(try browser.takeLog().isEmpty)
  }
}
