import BinderyCore
import BinderyMenu
import Testing

/// The page while the server is unavailable.
@Suite(.serialized, .needsBrowser)
struct OfflineTests {
  private static let isLive = "document.getElementById('status').dataset.state === 'live'"
  private static let isOffline = "document.getElementById('status').dataset.state === 'offline'"

  @Test func `the page shows that it is offline and recovers automatically`() throws {
    try PageScene.run(allowing: "ERR_CONNECTION_REFUSED") { scene in
      let window = scene.window
      try window.wait(for: Self.isLive)
      let before = try window.renders()
      scene.server.stop()
      try window.wait(for: Self.isOffline)
      #expect(try window.text("#status").contains("Offline"))
      scene.server.edit(Dishes.caprese) { $0.isFavorite = true }
      try scene.server.restart()
      try window.wait(
        for: "\(Self.isLive) && document.getElementById('favorites').textContent.includes('1')")
      #expect(try window.renders().rendered(since: before) == ["dish \(Dishes.caprese)", "favorites"])
    }
  }

  @Test func `the page reconnects after a server with too many streams rejected it`() throws {
    try PageScene.run(allowing: "Failed to load resource") { scene in
      let (window, server) = (scene.window, scene.server)
      try window.wait(for: Self.isLive)
      server.stop()
      try server.restart(streams: 0)
      try window.wait(for: Self.isOffline)
      try scene.browser.waitForLog(containing: "503")
      server.stop()
      server.edit(Dishes.caprese) { $0.isFavorite = true }
      try server.restart()
      try window.wait(
        for: "\(Self.isLive) && document.getElementById('favorites').textContent.includes('1')")
    }
  }

  @Test func `the page reads values that are too large for an event`() throws {
    try PageScene.run(allowing: "ERR_CONNECTION_REFUSED") { scene in
      let (window, server) = (scene.window, scene.server)
      try window.wait(for: Self.isLive)
      server.stop()
      try window.wait(for: Self.isOffline)
      // An event of this length has room for no list of dishes.
      try server.restart(eventBytes: 100)
      server.edit(Dishes.caprese) { $0.name = "🥗 Insalata" }
      try window.wait(for: "\(Self.isLive) && document.body.innerHTML.includes('Insalata')")
      let reads = "performance.getEntriesByType('resource').filter(it => it.name.endsWith('/state/dishes')).length"
      try window.wait(for: "\(reads) > 0")
    }
  }

  @Test func `input typed while offline is saved later`() throws {
    try PageScene.run(allowing: "ERR_CONNECTION_REFUSED") { scene in
      let (window, quantity) = (scene.window, Dishes.selector(Dishes.caprese, "quantity"))
      scene.server.stop()
      try window.wait(for: Self.isOffline)
      try window.clear(quantity)
      try window.type("9", into: quantity)
      try window.wait(for: "document.getElementById('status').textContent.includes('1 change waits')")
      try scene.server.restart()
      try window.wait(for: "\(Self.isLive) && document.getElementById('status').dataset.pending === '0'")
      try scene.server.wait { $0.dish(Dishes.caprese)?.status == .inStock(quantity: 9) }
    }
  }
}
