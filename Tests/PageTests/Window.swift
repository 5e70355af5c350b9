import Foundation
import Testing

/// A window of a browser.
struct Window {
  private struct Element: Decodable {
    let id: String

    private enum CodingKeys: String, CodingKey {
      // The web element identifier (W3C WebDriver §11).
      case id = "element-6066-11e4-a52e-4f735466cecf"
    }
  }

  /// A condition that did not become true in time.
  struct TimeoutError: Error, CustomStringConvertible {
    let description: String
  }

  private let browser: Browser
  private let handle: String

  init(_ browser: Browser, handle: String) {
    self.browser = browser
    self.handle = handle
  }

  /// Opens a URL and waits until the page shows the menu or the sign-in dialog.
  func open(_ address: String) throws {
    try navigate(to: address)
    try wait(for: "!document.getElementById('menu').hidden || document.getElementById('sign-in').open")
  }

  /// Opens a URL.
  func navigate(to address: String) throws { try send("/url", ["url": address]) }

  /// Clicks on an element. It must be visible and not covered.
  func click(_ selector: String) throws { try send("click", toElement: selector) }

  /// Types text at the end of a field.
  func type(_ text: String, into selector: String) throws {
    try send("value", ["text": text], toElement: selector)
  }

  /// Clears a field with keys.
  func clear(_ selector: String) throws { try type("\(Key.control)a\(Key.null)\(Key.backspace)", into: selector) }

  /// Moves the focus to an element.
  func focus(_ selector: String) throws {
    try send("/execute/sync", ["script": "document.querySelector('\(selector)').focus()", "args": [String]()])
  }

  /// Presses keys one after the other. The focused element receives them.
  func press(_ keys: String...) throws {
    let actions = keys.flatMap { [["type": "keyDown", "value": $0], ["type": "keyUp", "value": $0]] }
    try send("/actions", ["actions": [["type": "key", "id": "keyboard", "actions": actions]]])
  }

  /// Closes the window.
  func close() throws {
    let _: [String] = try browser.send(to: handle, "DELETE", "/window")
  }

  /// Minimizes the window, so that its page is hidden.
  func minimize() throws { try send("/window/minimize") }

  /// Shows the window again.
  func restore() throws { try send("/window/maximize") }

  /// Returns a PNG file with the visible part of the page.
  func screenshot() throws -> Data {
    let text: String = try browser.send(to: handle, "GET", "/screenshot")
    return try #require(Data(base64Encoded: text))
  }

  /// Emulates a CSS media feature, such as `forced-colors`.
  func emulate(_ feature: String, _ value: String) throws {
    try command("Emulation.setEmulatedMedia", ["features": [["name": feature, "value": value]]])
  }

  /// Sends a command of the Chrome DevTools Protocol.
  func command(_ name: String, _ parameters: [String: Any]) throws {
    try send("/goog/cdp/execute", ["cmd": name, "params": parameters])
  }

  /// Runs a script that the Content-Security-Policy of the page does not affect, and returns the text that it promises.
  func evaluateIsolated(_ script: String) throws -> String {
    struct Tree: Decodable {
      struct Node: Decodable {
        struct Frame: Decodable { let id: String }
        let frame: Frame
      }
      let frameTree: Node
    }
    struct World: Decodable { let executionContextId: Int }
    struct Evaluation: Decodable {
      struct Result: Decodable { let value: String }
      let result: Result
    }
    func execute<Value: Decodable>(_ name: String, _ parameters: [String: Any] = [:]) throws -> Value {
      try browser.send(to: handle, "POST", "/goog/cdp/execute", ["cmd": name, "params": parameters])
    }
    let tree: Tree = try execute("Page.getFrameTree")
    let world: World = try execute("Page.createIsolatedWorld", ["frameId": tree.frameTree.frame.id])
    let evaluation: Evaluation = try execute(
      "Runtime.evaluate",
      [
        "expression": script, "contextId": world.executionContextId, "awaitPromise": true, "returnByValue": true,
      ])
    return evaluation.result.value
  }

  /// Returns the value of a JavaScript expression.
  func value<Value: Decodable>(_ expression: String, as type: Value.Type = Value.self) throws -> Value {
    try browser.send(to: handle, "POST", "/execute/sync", ["script": "return \(expression)", "args": [String]()])
  }

  /// Returns the text of an element.
  func text(_ selector: String) throws -> String {
    try value("document.querySelector('\(selector)').textContent")
  }

  /// Waits until a JavaScript condition is true. A script in the page checks it every 5 milliseconds.
  func wait(for condition: String, seconds: Int = 40) throws {
    let script = """
      const done = arguments[0], end = performance.now() + \(seconds * 1000);
      const check = () => {
        let isTrue = false;
        try { isTrue = Boolean(\(condition)); } catch {}
        if (isTrue || performance.now() > end) done(isTrue);
        else setTimeout(check, 5);
      };
      check();
      """
    let isTrue: Bool = try browser.send(
      to: handle, "POST", "/execute/async", ["script": script, "args": [String]()])
    guard isTrue else { throw TimeoutError(description: "timeout: \(condition); log: \(try browser.takeLog())") }
  }

  /// Returns the number of renderings of each component, by its name and id.
  func renders() throws -> [String: Int] {
    try value(
      """
      Object.fromEntries([...document.querySelectorAll(".component")].map((it) =>
        [[it.dataset.component, it.dataset.id ?? it.dataset.date].filter(Boolean).join(" "), +it.dataset.renders]))
      """)
  }

  /// Returns the WebDriver id of an element.
  private func element(_ selector: String) throws -> String {
    try browser.send(
      to: handle, "POST", "/element", ["using": "css selector", "value": selector], as: Element.self
    ).id
  }

  /// Sends a command to an element, as soon as there is one. A page may build its elements again at any time: a command
  /// to an element that was just removed has no effect and is sent to its successor.
  private func send(_ command: String, _ body: [String: Any] = [:], toElement selector: String) throws {
    var attempts = 4
    while true {
      attempts -= 1
      do {
        return try send("/element/\(element(selector))/\(command)", body)
      } catch let failure as WebDriver.Failure {
        guard attempts > 0, failure.description.contains("stale element reference") else { throw failure }
      }
    }
  }

  private func send(_ path: String, _ body: [String: Any] = [:]) throws {
    _ = try browser.send(to: handle, "POST", path, body, as: EmptyResponse?.self)
  }
}

/// Key codes of non-character keys (W3C WebDriver §17.4.2).
enum Key {
  static let null = "\u{E000}"
  static let backspace = "\u{E003}"
  static let tab = "\u{E004}"
  static let enter = "\u{E007}"
  static let control = "\u{E009}"
  static let escape = "\u{E00C}"
  static let space = " "
  static let pageDown = "\u{E00F}"
  static let up = "\u{E013}"
  static let right = "\u{E014}"
  static let down = "\u{E015}"
}
