import BinderyTestKit
import Foundation
import Testing

/// The program `bindery`, which serves a file in a folder of its own, and a browser, for one test.
final class ConsoleProgram {
  let browser: Browser
  let window: Window
  /// What the program wrote until it was ready.
  private(set) var startOutput = ""
  private let folder: URL
  private let options: [String]
  private var process: ChildProcess?
  private var port = "0"

  /// Runs a test, and expects no messages in the browser console but those about failed and refused requests.
  static func run(
    serving options: [String], files: [String: String] = [:], _ screen: Browser.Screen = .desktop,
    _ body: (ConsoleProgram) throws -> Void
  ) throws {
    let program = try ConsoleProgram(options, files, screen)
    defer { program.end() }
    try body(program)
    let messages = try program.browser.takeLog().map(\.message).filter { !$0.contains("Failed to load resource") }
    #expect(messages.isEmpty)
  }

  private init(_ options: [String], _ files: [String: String], _ screen: Browser.Screen) throws {
    self.options = options
    folder = FileManager.default.temporaryDirectory.appending(path: "bindery-console-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
    browser = try Browser(screen)
    window = browser.firstWindow()
    try start()
  }

  /// The URL of the service, which ends in a slash.
  var address: String { "http://127.0.0.1:\(port)/" }

  /// Starts the program, always on the same port.
  func start() throws {
    // The program refuses variables that name none of its options, such as those of the tests.
    let variables = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("BINDERY_") }
    let started = try ChildProcess(
      ChildProcess.builtProgram("bindery"), ["serve", "--listen", "127.0.0.1:\(port)"] + options,
      environment: variables, directory: folder.path, errors: .pipe)
    process = started
    let ready = /serves http:\/\/127\.0\.0\.1:(\d+)\/.*\n/
    startOutput = try started.readErrors { $0.contains(ready) }
    port = String(startOutput.firstMatch(of: ready)!.1)
  }

  func stop() {
    process?.stop()
  }

  private func end() {
    browser.quit()
    stop()
    try? FileManager.default.removeItem(at: folder)
  }

  /// Opens the console at a place, and waits until it is live.
  func open(_ path: String, in window: Window) throws {
    try window.navigate(to: "\(address)console#\(path)")
    try window.wait(for: ConsolePart.isLive)
  }

  /// Makes a conflict at `/count`, which has the value 3: another client writes 7 before the page saves 31.
  func makeConflict(in window: Window) throws {
    try open("/count", in: window)
    try window.wait(for: ConsolePart.controlHas("3"))
    try window.type("1", into: ConsolePart.input)
    try put("7", at: "/count")
    try window.wait(for: "\(ConsolePart.message)?.includes('now 7')")
    try window.press(Key.enter)
    try window.wait(for: ConsolePart.conflict(base: "3", theirs: "7", yours: "31"))
  }

  /// Writes a value like another client.
  func put(_ json: String, at path: String) throws {
    let arguments = ["-sS", "-o", "/dev/null", "-X", "PUT", "-d", json, "\(address)state\(path)"]
    #expect(try ChildProcess.run("curl", arguments).code == 0)
  }

  /// Waits until the server has a value at a path, and the page has no draft.
  func wait(for json: String, at path: String) throws {
    let script = """
      (window.reading ??= fetch('state\(path)').then((it) => it.text())
        .then((it) => { window.lastRead = '\(path) ' + it.trim(); }).finally(() => { window.reading = null; }),
        window.lastRead === '\(path) \(json)' && \(ConsolePart.hasNoDraft))
      """
    try window.wait(for: script)
  }

  /// Selects a place by keyboard alone: `/` in the tree, its path, Enter.
  func go(to path: String) throws {
    let tree = "document.getElementById('tree').contains(document.activeElement)"
    try window.wait(for: tree)
    try window.press("/")
    try window.wait(for: "document.activeElement.id === 'jump-field'")
    try window.type("\(path)\n", into: "#jump-field")
    try window.wait(
      for: """
        !document.getElementById('jump').open && \(tree) && decodeURI(location.hash) === '#\(path)'
          && document.querySelector('#editor .control :is(input, select, textarea, button), #editor .adder button')
        """)
  }
}
