import BinderyCore
import BinderyMenu
import Testing

/// The page can be used with the keyboard, and the focus is never lost.
@Suite(.serialized, .needsBrowser)
struct KeyboardTests {
  /// Returns a JavaScript condition: the focus is on a control of a dish.
  private static func hasFocus(_ control: String, of id: String, in parent: String = "body") -> String {
    "document.activeElement.matches('\(parent) \(Dishes.selector(id, control))')"
  }

  /// Presses Tab until a JavaScript condition is true.
  private static func tab(to condition: String, in window: Window) throws {
    for _ in 0..<80 {
      if try window.value(condition) { return }
      try window.press(Key.tab)
    }
    throw Window.TimeoutError(description: "not reachable with Tab: \(condition)")
  }

  @Test func `a dish can be added, and the edit sheet opened and canceled`() throws {
    try PageScene.run { scene in
      let window = scene.window
      let isOpen = "document.getElementById('sheet').open"
      try Self.tab(to: "document.activeElement.id === 'add'", in: window)
      try window.press(Key.enter)
      try window.wait(for: "\(isOpen) && document.activeElement.id === 'sheet-name'")
      try window.press("T", "e", "a", Key.enter)
      try window.wait(for: "!\(isOpen) && document.activeElement.id === 'add'")
      try scene.server.wait { $0.dishes.last?.name == "Tea" }

      try Self.tab(to: Self.hasFocus("edit", of: Dishes.caprese), in: window)
      try window.press(Key.enter)
      try window.wait(for: isOpen)
      try window.press(Key.escape)
      try window.wait(for: "!\(isOpen) && \(Self.hasFocus("edit", of: Dishes.caprese))")
      try scene.server.wait { $0.editing == nil }
    }
  }

  @Test func `the focus stays on the same dish when its controls change`() throws {
    try PageScene.run { scene in
      let (window, id) = (scene.window, Dishes.pannaCotta)
      try Self.tab(to: Self.hasFocus("favorite", of: id), in: window)
      try window.press(Key.space)
      try window.wait(for: "document.activeElement.ariaPressed === 'true' && \(Self.hasFocus("favorite", of: id))")

      try Self.tab(to: Self.hasFocus("sold-out", of: id), in: window)
      try window.press(Key.enter)
      try window.wait(for: Self.hasFocus("back-in-stock", of: id))
      try window.press(Key.enter)
      try window.wait(for: Self.hasFocus("sold-out", of: id))

      try window.focus(Dishes.selector(id, "pin"))
      try window.press(Key.enter)
      try window.wait(for: Self.hasFocus("pin", of: id, in: "#pinned"))
      try window.press(Key.enter)
      try window.wait(for: Self.hasFocus("pin", of: id, in: "#dish-list"))

      try Self.tab(to: Self.hasFocus("delete", of: id), in: window)
      try window.press(Key.enter)
      // Enter pressed twice must not delete the next dish.
      try window.wait(for: "document.activeElement.textContent === 'Undo'")
      try window.press(Key.escape)
      try window.wait(for: Self.hasFocus("edit", of: Dishes.caprese))
      try scene.server.wait { $0.dishes.count == 3 }
    }
  }

  @Test func `times and days can be selected with the arrow keys`() throws {
    try PageScene.run { scene in
      let window = scene.window
      try Self.tab(to: "document.activeElement.name === 'time'", in: window)
      try window.press(Key.right)
      try window.wait(for: "document.getElementById('time').dataset.renders === '2'")
      try scene.server.wait { $0.time == .tomorrow }
      try Self.tab(to: "document.activeElement.name === 'day'", in: window)
      try window.press(Key.right)
      try window.wait(for: "document.getElementById('day-label').textContent === 'Tomorrow'")
      #expect(try window.value("document.activeElement.value") == "2026-11-22")
    }
  }
}
