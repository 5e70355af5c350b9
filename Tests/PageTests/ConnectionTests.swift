import BinderyMenu
import Testing

/// The connections of the browser. Over HTTP/1.1 it opens at most six to one server, and an event stream occupies one.
@Suite(.serialized, .needsBrowser)
struct ConnectionTests {
  private static let isLive = "document.getElementById('status').dataset.state === 'live'"

  @Test func `input is sent when the window is hidden`() throws {
    try PageScene.run { scene in
      let quantity = Dishes.selector(Dishes.caprese, "quantity")
      try scene.window.wait(for: Self.isLive)
      let other = try scene.anotherWindow()
      try scene.window.clear(quantity)
      try scene.window.type("12", into: quantity)
      try scene.window.minimize()
      try other.wait(for: "document.querySelector('\(quantity)').value === '12'")
    }
  }

  @Test func `an integer that a number would round is shown, counted and written`() throws {
    try PageScene.run { scene in
      let quantity = Dishes.selector(Dishes.caprese, "quantity")
      try scene.window.wait(for: Self.isLive)
      try scene.window.clear(quantity)
      try scene.window.type("9007199254740993", into: quantity)
      try scene.server.wait { $0.dish(Dishes.caprese)?.status == .inStock(quantity: 9_007_199_254_740_993) }
      let other = try scene.anotherWindow()
      try other.wait(for: "document.querySelector('\(quantity)').value === '9007199254740993'")
      try other.click(Dishes.selector(Dishes.caprese, "more"))
      try scene.server.wait { $0.dish(Dishes.caprese)?.status == .inStock(quantity: 9_007_199_254_740_994) }
    }
  }

  @Test func `eight windows are live with one stream`() throws {
    try PageScene.run { scene in
      var windows = [scene.window]
      for _ in 2...8 { windows.append(try scene.anotherWindow()) }
      for window in windows { try window.wait(for: Self.isLive) }
      try scene.server.waitForStreams(1)
      try windows[7].click(Dishes.selector(Dishes.caprese, "favorite"))
      for window in windows {
        try window.wait(for: "document.getElementById('favorites').textContent.includes('1 favorite')")
      }
    }
  }
}
