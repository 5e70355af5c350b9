import Foundation
import Testing

/// One window of a browser.
struct Window {
  private struct Element: Decodable {
    let id: String

    private enum CodingKeys: String, CodingKey {
      // The web element identifier (W3C WebDriver §11).
      case id = "element-6066-11e4-a52e-4f735466cecf"
    }
  }

  /// What was waited for did not come.
  struct Never: Error, CustomStringConvertible {
    let description: String
  }

  private let browser: Browser
  private let handle: String

  init(_ browser: Browser, handle: String) {
    self.browser = browser
    self.handle = handle
  }

  /// Opens an address and waits until the page shows the menu, or asks for a token.
  func open(_ address: String) throws {
    try go(address)
    try wait(for: "!document.getElementById('menu').hidden || document.getElementById('sign-in').open")
  }

  func go(_ address: String) throws { try tell("/url", ["url": address]) }

  /// Clicks on an element as a person would: it must be visible and not covered.
  func click(_ selector: String) throws { try tell("/element/\(element(selector))/click") }

  /// Types into a field, at the end of what it holds.
  func type(_ text: String, into selector: String) throws {
    try tell("/element/\(element(selector))/value", ["text": text])
  }

  /// Empties a field as a person would.
  func clear(_ selector: String) throws { try type("\(Key.control)a\(Key.null)\(Key.backspace)", into: selector) }

  /// Puts the focus on an element.
  func focus(_ selector: String) throws {
    try tell("/execute/sync", ["script": "document.querySelector('\(selector)').focus()", "args": [String]()])
  }

  /// Presses keys one after the other, wherever the focus is.
  func press(_ keys: String...) throws {
    let actions = keys.flatMap { [["type": "keyDown", "value": $0], ["type": "keyUp", "value": $0]] }
    try tell("/actions", ["actions": [["type": "key", "id": "keyboard", "actions": actions]]])
  }

  /// The value of an expression of JavaScript.
  func value<Value: Decodable>(_ expression: String, as type: Value.Type = Value.self) throws -> Value {
    try browser.send(to: handle, "POST", "/execute/sync", ["script": "return \(expression)", "args": [String]()])
  }

  func text(_ selector: String) throws -> String {
    try value("document.querySelector('\(selector)').textContent")
  }

  /// Waits until an expression of JavaScript is true; the page itself looks, every few milliseconds.
  func wait(for condition: String, seconds: Int = 40) throws {
    let script = """
      const done = arguments[0], end = performance.now() + \(seconds * 1000);
      const look = () => {
        let isTrue = false;
        try { isTrue = Boolean(\(condition)); } catch {}
        if (isTrue || performance.now() > end) done(isTrue);
        else setTimeout(look, 5);
      };
      look();
      """
    let came: Bool = try browser.send(
      to: handle, "POST", "/execute/async", ["script": script, "args": [String]()])
    guard came else { throw Never(description: "never came: \(condition); log: \(try browser.takeLog())") }
  }

  /// How often each component was drawn, by its name and its id.
  func renders() throws -> [String: Int] {
    try value(
      """
      Object.fromEntries([...document.querySelectorAll(".component")].map((it) =>
        [[it.dataset.component, it.dataset.id ?? it.dataset.date].filter(Boolean).join(" "), +it.dataset.renders]))
      """)
  }

  private func element(_ selector: String) throws -> String {
    try browser.send(
      to: handle, "POST", "/element", ["using": "css selector", "value": selector], as: Element.self
    ).id
  }

  private func tell(_ path: String, _ body: [String: Any] = [:]) throws {
    _ = try browser.send(to: handle, "POST", path, body, as: Nothing?.self)
  }
}

/// Keys that are no characters (W3C WebDriver §17.4.2).
enum Key {
  static let null = "\u{E000}"
  static let backspace = "\u{E003}"
  static let tab = "\u{E004}"
  static let enter = "\u{E007}"
  static let control = "\u{E009}"
  static let escape = "\u{E00C}"
  static let space = " "
  static let right = "\u{E014}"
}
