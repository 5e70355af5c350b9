import BinderyMenu
import Testing

/// Changes appear in all windows, and only the changed components render.
@Suite(.serialized, .needsBrowser)
struct LivenessTests {
  @Test func `a change in one window appears in the other and renders only the changed components`() throws {
    try PageScene.run { scene in
      let other = try scene.anotherWindow()
      let before = try other.renders()
      try scene.window.click(Dishes.selector(Dishes.parmigiana, "favorite"))
      try other.wait(for: "document.getElementById('favorites').textContent.includes('1 favorite')")
      #expect(try other.renders().rendered(since: before) == ["dish \(Dishes.parmigiana)", "favorites"])
    }
  }

  @Test func `each rendering changes the color of the component`() throws {
    try PageScene.run { scene in
      let hue = "document.querySelector('\(Dishes.selector(Dishes.caprese))').style.getPropertyValue('--hue')"
      let before: String = try scene.window.value(hue)
      try scene.window.click(Dishes.selector(Dishes.caprese, "favorite"))
      try scene.window.wait(for: "\(hue) !== '\(before)'")
    }
  }

  @Test func `neighbouring components have clearly different colors`() throws {
    try PageScene.run { scene in
      let hues: [String: Int] = try scene.window.value(
        """
        Object.fromEntries([...document.querySelectorAll("#dish-list .component, .day")].map((it, index) =>
          [(it.dataset.date ? "day " : "dish ") + (it.dataset.date ? [...it.parentElement.children].indexOf(it) : index),
            +it.style.getPropertyValue("--hue")]))
        """)
      for (name, offsets) in [("dish", [1]), ("day", [1, 6])] {
        for index in 0..<11 {
          for offset in offsets {
            guard let hue = hues["\(name) \(index)"], let other = hues["\(name) \(index + offset)"] else { continue }
            let difference = abs(hue - other)
            #expect(min(difference, 360 - difference) >= 60, "\(name) \(index) and \(index + offset)")
          }
        }
      }
    }
  }

  @Test func `the counter is explained where the page begins`() throws {
    try PageScene.run { scene in
      let text = try scene.window.text(".intro")
      #expect(text.contains("counts how often it was drawn"))
      let isFirst = "document.querySelector('.intro').getBoundingClientRect().bottom < innerHeight / 4"
      #expect(try scene.window.value(isFirst))
    }
  }

  @Test func `pinning moves a dish out of the list and unpinning empties the container`() throws {
    try PageScene.run { scene in
      let window = scene.window
      let before = try window.renders()
      try window.click(Dishes.selector(Dishes.caprese, "pin"))
      try window.wait(for: "document.querySelector('#pinned \(Dishes.selector(Dishes.caprese))')")
      // Both dishes have new rows in their new containers, whose counters start at one.
      #expect(try window.renders().rendered(since: before) == ["pinned", "dishes"])
      try window.click("#pinned " + Dishes.selector(Dishes.caprese, "pin"))
      try window.wait(for: "!document.getElementById('pinned-empty').hidden")
      try scene.server.wait { $0.pinnedID == nil }
    }
  }

  @Test func `editing the pinned dish renders the dish and not its container`() throws {
    try PageScene.run { scene in
      let before = try scene.window.renders()
      try scene.window.click(Dishes.selector(Dishes.carbonara, "favorite"))
      try scene.window.wait(for: "document.getElementById('favorites').textContent.includes('1 favorite')")
      #expect(try scene.window.renders().rendered(since: before) == ["dish \(Dishes.carbonara)", "favorites"])
      try scene.server.wait { $0.pinnedDish?.isFavorite == true }
    }
  }

  @Test func `selecting a day renders only two cards`() throws {
    try PageScene.run { scene in
      let window = scene.window
      let before = try window.renders()
      try window.click("[data-date=\"2026-11-24\"]")
      try window.wait(for: "document.getElementById('day-label').textContent === 'Tuesday'")
      #expect(try window.renders().rendered(since: before) == ["day 2026-11-21", "day 2026-11-24", "day-label"])
    }
  }

  @Test func `the custom date is restored after another time was selected`() throws {
    try PageScene.run { scene in
      let window = scene.window
      let field = "document.getElementById('custom-field')"
      #expect(try window.value("\(field).checkVisibility()") == false)
      try window.click("label:has([value=custom])")
      try window.wait(for: "\(field).checkVisibility()")
      let zone: String = try window.value("Intl.DateTimeFormat().resolvedOptions().timeZone")
      #expect(try window.text("label[for=custom-field]").contains("in your time zone (\(zone))"))
      #expect(try window.text("#custom-text").hasSuffix("UTC"), "the tests run in UTC")
      // The order of the field's parts depends on the locale. The arrow key changes a part in every locale.
      let shown: String = try window.value("\(field).value")
      try window.type("\u{E013}", into: "#custom-field")
      try window.wait(for: "\(field).value !== '\(shown)'")
      let picked: String = try window.value("\(field).value")
      try window.click("label:has([value=tonight])")
      try window.wait(for: "!\(field).checkVisibility()")
      try scene.server.wait { $0.time == .tonight }
      try window.click("label:has([value=custom])")
      try window.wait(for: "\(field).checkVisibility() && \(field).value === '\(picked)'")
    }
  }

  @Test func `a dish can be sold out and back in stock`() throws {
    try PageScene.run { scene in
      let (window, id) = (scene.window, Dishes.pannaCotta)
      try window.click(Dishes.selector(id, "sold-out"))
      try window.wait(for: "document.querySelector('\(Dishes.selector(id, "back-order"))').checkVisibility()")
      try window.click(Dishes.selector(id, "back-order"))
      let row = "document.querySelector('\(Dishes.selector(id))')"
      try window.wait(for: "\(row).dataset.renders === '3'")
      try scene.server.wait { $0.dish(id)?.status == .outOfStock(isOnBackOrder: true) }
      try window.click(Dishes.selector(id, "back-in-stock"))
      try window.wait(for: "document.querySelector('\(Dishes.selector(id, "quantity"))').value === '1'")
    }
  }

  @Test func `markup in a name is shown as text`() throws {
    try PageScene.run { scene in
      let name = "<img src=x onerror=alert(1)>"
      scene.server.edit(Dishes.parmigiana) { $0.name = name }
      try scene.window.wait(
        for: "document.querySelector('\(Dishes.selector(Dishes.parmigiana)) h3').textContent === '\(name)'")
      #expect(try scene.window.value("document.querySelectorAll('img').length") == 0)
    }
  }
}
