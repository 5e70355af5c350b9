import BinderyMenu
import Testing

/// The connections of the browser. Over HTTP/1.1 it opens at most six to one server, and an event stream occupies one.
@Suite(.serialized, .needsBrowser)
struct ConnectionTests {
  private static let isLive = "document.getElementById('status').dataset.state === 'live'"
  private static let hasNoConnection = "document.getElementById('status').dataset.state === 'periodic'"

  @Test func `a hidden window has no stream, and is updated when it is shown again`() throws {
    try PageScene.run { scene in
      let window = scene.window
      try window.wait(for: Self.isLive)
      #expect(scene.server.openStreams == 1)
      try window.minimize()
      try window.wait(for: "document.hidden")
      try scene.server.waitForStreams(0)
      scene.server.edit(Dishes.caprese) { $0.isFavorite = true }
      try window.restore()
      try window.wait(for: "\(Self.isLive) && document.getElementById('favorites').textContent.includes('1')")
      #expect(scene.server.openStreams == 1)
    }
  }

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

  @Test func `beyond five live windows, a window says why it is not live, and reads and writes`() throws {
    try PageScene.run { scene in
      try scene.window.wait(for: Self.isLive)
      for _ in 2...5 { try scene.anotherWindow().wait(for: Self.isLive) }
      let more = [try scene.anotherWindow(), try scene.anotherWindow()]
      for window in more {
        try window.wait(for: Self.hasNoConnection)
        #expect(try window.text("#status").contains("five other windows"))
      }
      try scene.server.waitForStreams(5)
      // A write of a window without a stream, and its effect in both kinds of windows.
      try more[0].click(Dishes.selector(Dishes.caprese, "favorite"))
      for window in [scene.window] + more {
        try window.wait(for: "document.getElementById('favorites').textContent.includes('1 favorite')")
      }
      // A window that is closed leaves its connection to another one.
      try scene.window.navigate(to: "about:blank")
      try more[0].wait(for: "document.getElementById('status').dataset.state === 'live'")
      #expect(try more[1].value(Self.hasNoConnection))
    }
  }
}
