import BinderyMenu
import Testing

/// What is live in every window, and what of it is drawn.
@Suite(.serialized, .needsBrowser)
struct LivenessTests {
  @Test func `what one window changes the other shows, and draws nothing else`() throws {
    try PageScene.run { scene in
      let other = try scene.anotherWindow()
      let before = try other.renders()
      try scene.window.click(Dishes.selector(Dishes.parmigiana, "favorite"))
      try other.wait(for: "document.getElementById('favorites').textContent.includes('1 favorite')")
      #expect(try other.renders().drawn(since: before) == ["dish \(Dishes.parmigiana)", "favorites"])
    }
  }

  @Test func `a new tint comes with each drawing`() throws {
    try PageScene.run { scene in
      let hue = "document.querySelector('\(Dishes.selector(Dishes.caprese))').style.getPropertyValue('--hue')"
      let before: String = try scene.window.value(hue)
      try scene.window.click(Dishes.selector(Dishes.caprese, "favorite"))
      try scene.window.wait(for: "\(hue) !== '\(before)'")
    }
  }

  @Test func `a pinned dish moves up, and its list closes`() throws {
    try PageScene.run { scene in
      let window = scene.window
      let before = try window.renders()
      try window.click(Dishes.selector(Dishes.caprese, "pin"))
      try window.wait(for: "document.querySelector('#pinned \(Dishes.selector(Dishes.caprese))')")
      // The rows of both dishes are new where they stand now, and so count from one.
      #expect(try window.renders().drawn(since: before) == ["pinned", "dishes"])
      try window.click("#pinned " + Dishes.selector(Dishes.caprese, "pin"))
      try window.wait(for: "!document.getElementById('pinned-empty').hidden")
      #expect(scene.restaurant.menu.pinnedID == nil)
    }
  }

  @Test func `an edit of the pinned dish draws that dish, not its place`() throws {
    try PageScene.run { scene in
      let before = try scene.window.renders()
      try scene.window.click(Dishes.selector(Dishes.carbonara, "favorite"))
      try scene.window.wait(for: "document.getElementById('favorites').textContent.includes('1 favorite')")
      #expect(try scene.window.renders().drawn(since: before) == ["dish \(Dishes.carbonara)", "favorites"])
      #expect(scene.restaurant.menu.pinnedDish?.isFavorite == true)
    }
  }

  @Test func `a day is chosen through its card, and only two cards are drawn`() throws {
    try PageScene.run { scene in
      let window = scene.window
      let before = try window.renders()
      try window.click("[data-date=\"2026-11-24\"]")
      try window.wait(for: "document.getElementById('day-label').textContent === 'Tuesday'")
      #expect(try window.renders().drawn(since: before) == ["day 2026-11-21", "day 2026-11-24", "day-label"])
    }
  }

  @Test func `the custom date is kept, and comes back`() throws {
    try PageScene.run { scene in
      let window = scene.window
      let field = "document.getElementById('custom-field')"
      #expect(try window.value("\(field).checkVisibility()") == false)
      try window.click("label:has([value=custom])")
      try window.wait(for: "\(field).checkVisibility()")
      // Keys go into the parts of the field in the order of the locale: the arrow changes one of them in any.
      let shown: String = try window.value("\(field).value")
      try window.type("\u{E013}", into: "#custom-field")
      try window.wait(for: "\(field).value !== '\(shown)'")
      let picked: String = try window.value("\(field).value")
      try window.click("label:has([value=tonight])")
      try window.wait(for: "!\(field).checkVisibility()")
      #expect(scene.restaurant.menu.time == .tonight)
      try window.click("label:has([value=custom])")
      try window.wait(for: "\(field).checkVisibility() && \(field).value === '\(picked)'")
    }
  }

  @Test func `a dish is sold out and comes back`() throws {
    try PageScene.run { scene in
      let (window, id) = (scene.window, Dishes.pannaCotta)
      try window.click(Dishes.selector(id, "sold-out"))
      try window.wait(for: "document.querySelector('\(Dishes.selector(id, "back-order"))').checkVisibility()")
      try window.click(Dishes.selector(id, "back-order"))
      let row = "document.querySelector('\(Dishes.selector(id))')"
      try window.wait(for: "\(row).dataset.renders === '3'")
      #expect(scene.restaurant.dish(id)?.status == .outOfStock(isOnBackOrder: true))
      try window.click(Dishes.selector(id, "back-in-stock"))
      try window.wait(for: "document.querySelector('\(Dishes.selector(id, "quantity"))').value === '1'")
    }
  }

  @Test func `what a name holds never becomes markup`() throws {
    try PageScene.run { scene in
      let name = "<img src=x onerror=alert(1)>"
      scene.restaurant.edit(Dishes.parmigiana) { $0.name = name }
      try scene.window.wait(
        for: "document.querySelector('\(Dishes.selector(Dishes.parmigiana)) h3').textContent === '\(name)'")
      #expect(try scene.window.value("document.querySelectorAll('img').length") == 0)
    }
  }
}
