import BinderyCore
import BinderyMenu
import Testing

/// Everything without a pointer; the focus is never lost.
@Suite(.serialized, .needsBrowser)
struct KeyboardTests {
  /// Whether the focus is on a control of a dish.
  private static func isOn(_ control: String, of id: String, in parent: String = "body") -> String {
    "document.activeElement.matches('\(parent) \(Dishes.selector(id, control))')"
  }

  /// Goes on with the tabulator until the focus is there.
  private static func tab(to condition: String, in window: Window) throws {
    for _ in 0..<80 {
      if try window.value(condition) { return }
      try window.press(Key.tab)
    }
    throw Window.Never(description: "no way by keyboard: \(condition)")
  }

  @Test func `a dish is added, edited and left alone`() throws {
    try PageScene.run { scene in
      let window = scene.window
      let isOpen = "document.getElementById('sheet').open"
      try Self.tab(to: "document.activeElement.id === 'add'", in: window)
      try window.press(Key.enter)
      try window.wait(for: "\(isOpen) && document.activeElement.id === 'sheet-name'")
      try window.press("T", "e", "a", Key.enter)
      try window.wait(for: "!\(isOpen) && document.activeElement.id === 'add'")
      #expect(scene.restaurant.menu.dishes.last?.name == "Tea")

      try Self.tab(to: Self.isOn("edit", of: Dishes.caprese), in: window)
      try window.press(Key.enter)
      try window.wait(for: isOpen)
      try window.press(Key.escape)
      try window.wait(for: "!\(isOpen) && \(Self.isOn("edit", of: Dishes.caprese))")
      #expect(scene.restaurant.menu.editing == nil)
    }
  }

  @Test func `the focus stays with what it was on`() throws {
    try PageScene.run { scene in
      let (window, id) = (scene.window, Dishes.pannaCotta)
      try Self.tab(to: Self.isOn("favorite", of: id), in: window)
      try window.press(Key.space)
      try window.wait(for: "document.activeElement.ariaPressed === 'true' && \(Self.isOn("favorite", of: id))")

      try Self.tab(to: Self.isOn("sold-out", of: id), in: window)
      try window.press(Key.enter)
      try window.wait(for: Self.isOn("back-in-stock", of: id))
      try window.press(Key.enter)
      try window.wait(for: Self.isOn("sold-out", of: id))

      try window.focus(Dishes.selector(id, "pin"))
      try window.press(Key.enter)
      try window.wait(for: Self.isOn("pin", of: id, in: "#pinned"))
      try window.press(Key.enter)
      try window.wait(for: Self.isOn("pin", of: id, in: "#dish-list"))

      try Self.tab(to: Self.isOn("delete", of: id), in: window)
      try window.press(Key.enter)
      try window.wait(for: Self.isOn("delete", of: Dishes.caprese))
    }
  }

  @Test func `times and days are chosen with the arrows`() throws {
    try PageScene.run { scene in
      let window = scene.window
      try Self.tab(to: "document.activeElement.name === 'time'", in: window)
      try window.press(Key.right)
      try window.wait(for: "document.getElementById('time').dataset.renders === '2'")
      #expect(scene.restaurant.menu.time == .tomorrow)
      try Self.tab(to: "document.activeElement.name === 'day'", in: window)
      try window.press(Key.right)
      try window.wait(for: "document.getElementById('day-label').textContent === 'Tomorrow'")
      #expect(try window.value("document.activeElement.value") == "2026-11-22")
    }
  }
}
