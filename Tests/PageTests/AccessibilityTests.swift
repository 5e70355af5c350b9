import BinderyCore
import BinderyMenu
import FoundationEssentials
import Testing

/// The page with a screen reader, and with colors that the system forces.
@Suite(.serialized, .needsBrowser)
struct AccessibilityTests {
  @Test func `the controls of a dish name the dish`() throws {
    try PageScene.run { scene in
      scene.server.edit(Dishes.caprese) { $0.status = .outOfStock(isOnBackOrder: true) }
      try scene.window.wait(for: "document.querySelectorAll('[data-case=outOfStock]:not([hidden])').length === 1")
      let unnamed: [String] = try scene.window.value(
        """
        [...document.querySelectorAll(".dish")].flatMap((dish) => [...dish.querySelectorAll("button, input")]
          .filter((it) => !it.ariaLabel.includes(dish.querySelector("h3").textContent))
          .map((it) => it.outerHTML))
        """)
      #expect(unnamed.isEmpty)
    }
  }

  @Test func `the label of a button says what it does`() throws {
    try PageScene.run { scene in
      let labels = try ["sold-out", "back-in-stock"].map { try scene.window.text(Dishes.selector(Dishes.caprese, $0)) }
      #expect(labels == ["Mark sold out", "Put back in stock"])
    }
  }

  @Test func `forced colors show what is selected`() throws {
    try PageScene.run { scene in
      let window = scene.window
      scene.server.edit(Dishes.caprese) { $0.status = .outOfStock(isOnBackOrder: true) }
      scene.server.edit(Dishes.pannaCotta) { $0.status = .outOfStock(isOnBackOrder: false) }
      try window.wait(for: "document.querySelectorAll('[data-case=outOfStock]:not([hidden])').length === 2")
      try window.emulate("forced-colors", "active")
      try window.wait(for: "matchMedia('(forced-colors: active)').matches")
      for (selected, other) in [
        ("label:has([value=tonight])", "label:has([value=tomorrow])"),
        ("[data-date='2026-11-21'] label", "[data-date='2026-11-22'] label"),
        (Dishes.selector(Dishes.caprese, "back-order"), Dishes.selector(Dishes.pannaCotta, "back-order")),
      ] {
        let backgrounds: [String] = try window.value(
          "[`\(selected)`, `\(other)`].map((it) => getComputedStyle(document.querySelector(it)).backgroundColor)")
        #expect(backgrounds[0] != backgrounds[1], "\(selected)")
      }
    }
  }

  @Test func `the offer to undo a deletion is visible in a long list`() throws {
    try PageScene.run { scene in
      let window = scene.window
      scene.server.store.post { menu in
        for number in 1...60 {
          let dish = Dish(id: UUID(), name: "Dish \(number)", isFavorite: false, status: .inStock(quantity: 1))
          try? menu.dishes.append(dish)
        }
      }
      try window.wait(for: "document.querySelectorAll('#dish-list > li').length === 63")
      try window.focus("#dish-list > li:nth-child(30) [data-control=delete]")
      try window.press(Key.enter)
      try window.wait(for: "document.activeElement.textContent === 'Undo'")
      let frame = "document.activeElement.getBoundingClientRect()"
      #expect(try window.value("\(frame).top > 0 && \(frame).bottom <= innerHeight"))
    }
  }
}
