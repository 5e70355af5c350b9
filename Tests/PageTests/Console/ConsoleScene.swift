import BinderyCore
import BinderyService
import BinderySystem
import Testing

/// A service and a browser that shows its console, for one test.
struct ConsoleScene<Model: StateModel> {
  let service: Service<Model>
  let browser: Browser
  let window: Window
  /// The URL of the service, which ends in a slash.
  let address: String

  /// Runs a test, and expects no messages in the browser console but those about refused requests.
  ///
  /// - Parameter path: The place that is opened first, as a JSON Pointer.
  static func run(
    _ initial: Model, at path: String = "", _ screen: Browser.Screen = .desktop, access: AccessPolicy = .local,
    basePath: String = "/", _ body: (ConsoleScene) throws -> Void
  ) throws {
    var configuration = ServiceConfiguration<Model>()
    configuration.basePath = basePath
    configuration.eventLoops = 1
    let service = try Service(
      initial: initial, listeningOn: ["127.0.0.1:0"], access: access, configuration: configuration)
    let thread = try BinderySystem.Thread { try? service.runBlocking() }
    defer {
      service.stop()
      thread.join()
    }
    let browser = try Browser(screen)
    defer { browser.quit() }
    let address = "http://\(service.addresses[0])\(basePath == "/" ? "" : basePath)/"
    let scene = ConsoleScene(service: service, browser: browser, window: browser.firstWindow(), address: address)
    try scene.open(path, in: scene.window)
    try body(scene)
    let messages = try browser.takeLog().map(\.message).filter { !$0.contains("responded with a status of 4") }
    #expect(messages.isEmpty)
  }

  /// Opens the console at a place, and waits until it is live or asks for a token.
  func open(_ path: String, in window: Window) throws {
    try window.navigate(to: "\(address)console#\(path)")
    try window.wait(for: "\(ConsolePart.isLive) || document.querySelector('dialog[open]') !== null")
  }

  /// Opens another window with the console.
  func anotherWindow(at path: String) throws -> Window {
    let window = try browser.newWindow()
    try open(path, in: window)
    return window
  }
}

/// What the tests of the console look for in its page.
enum ConsolePart {
  static let input = "#editor .field .control :is(input, textarea)"
  static let message = "document.querySelector('#editor .message')?.textContent"
  /// The number of elements or entries in the pane of a collection.
  static let facts = "document.querySelector('#editor > .facts')?.textContent"
  static let isLive = "document.getElementById('status').dataset.state === 'live'"
  static let hasNoDraft = "document.getElementById('drafts').hidden"

  /// Returns a JavaScript expression for the row of a place in the tree.
  static func row(_ path: String) -> String { "document.querySelector('.row[data-path=\"\(path)\"]')" }

  /// Returns a JavaScript condition: the row of a place shows a text.
  static func shows(_ text: String, at path: String) -> String {
    "\(row(path))?.querySelector('.value').textContent === '\(text)'"
  }

  /// Returns a JavaScript condition: the control of the selected place has a value.
  static func controlHas(_ value: String) -> String { "document.querySelector('\(input)')?.value === '\(value)'" }

  /// Returns a JavaScript condition: the conflict shows three values.
  static func conflict(base: String, theirs: String, yours: String) -> String {
    "[...document.querySelectorAll('#editor .conflict dd')].map((e) => e.textContent).join() === '\(base),\(theirs),\(yours)'"
  }
}
