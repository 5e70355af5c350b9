import BinderyCore
import BinderyMenu
import BinderyService
import BinderySystem
import Testing

/// The server goes away and comes back.
@Suite(.serialized, .needsBrowser)
struct OfflineTests {
  private static let isLive = "document.getElementById('status').dataset.state === 'live'"
  private static let isOffline = "document.getElementById('status').dataset.state === 'offline'"

  @Test func `the page says that it is offline, and catches up by itself`() throws {
    try PageScene.run(allowing: "ERR_CONNECTION_REFUSED") { scene in
      let window = scene.window
      try window.wait(for: Self.isLive)
      let before = try window.renders()
      scene.restaurant.stop()
      try window.wait(for: Self.isOffline)
      #expect(try window.text("#status").contains("Offline"))
      scene.restaurant.edit(Dishes.caprese) { $0.isFavorite = true }
      try scene.restaurant.startAgain()
      try window.wait(
        for: "\(Self.isLive) && document.getElementById('favorites').textContent.includes('1')")
      #expect(try window.renders().drawn(since: before) == ["dish \(Dishes.caprese)", "favorites"])
    }
  }

  @Test func `the page survives a server that takes no more streams`() throws {
    try PageScene.run(allowing: "ERR_CONNECTION_REFUSED") { scene in
      let (window, restaurant) = (scene.window, scene.restaurant)
      try window.wait(for: Self.isLive)
      restaurant.stop()
      try restaurant.startAgain(streams: 0)
      // Each attempt is answered with 200 and the time to come back, so that the browser does not give up.
      try window.wait(for: Self.isOffline)
      let attempts = "performance.getEntriesByType('resource').filter(it => it.name.includes('/events')).length"
      try window.wait(for: "\(attempts) >= 3")
      restaurant.stop()
      restaurant.edit(Dishes.caprese) { $0.isFavorite = true }
      try restaurant.startAgain()
      try window.wait(
        for: "\(Self.isLive) && document.getElementById('favorites').textContent.includes('1')")
    }
  }

  @Test func `what is typed while offline is saved later`() throws {
    try PageScene.run(allowing: "ERR_CONNECTION_REFUSED") { scene in
      let (window, quantity) = (scene.window, Dishes.selector(Dishes.caprese, "quantity"))
      scene.restaurant.stop()
      try window.wait(for: Self.isOffline)
      try window.clear(quantity)
      try window.type("9", into: quantity)
      try window.wait(for: "document.querySelector('\(Dishes.selector(Dishes.caprese)) .error').checkVisibility()")
      try scene.restaurant.startAgain()
      try window.wait(
        for: "!document.querySelector('\(Dishes.selector(Dishes.caprese)) .error').checkVisibility()")
      #expect(scene.restaurant.dish(Dishes.caprese)?.status == .inStock(quantity: 9))
    }
  }

  @Test func `a stream that is refused is asked for again`() throws {
    // Browsers give a stream up for good on any status but 200.
    try PageScene.run(allowing: "Failed to load resource") { scene in
      scene.restaurant.stop()
      let stranger = try Service(Closed(), listeningOn: [scene.restaurant.authority], eventLoops: 1)
      let thread = try Thread { try? stranger.run() }
      _ = try scene.window.value("dispatchEvent(new Event('online'))", as: Bool.self)
      try scene.browser.waitForLog(containing: "404")
      stranger.stop()
      thread.join()
      try scene.restaurant.startAgain()
      try scene.window.wait(for: Self.isLive)
    }
  }
}

/// A state that has none of the places that the page watches.
private struct Closed: Model {
  var reason = "holidays"

  init() {}

  init(reason: String) { self.reason = reason }

  static let shape = Shape<Closed>.members(Closed.init(reason:), Member("reason", \.reason))
}
