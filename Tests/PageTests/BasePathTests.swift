import BinderyAPI
import BinderyMenu
import BinderyService
import Testing

/// The page of a service below a base path, such as `https://example.org/menu/`.
@Suite(.serialized, .needsBrowser)
struct BasePathTests {
  private static let menu = BasePath("/menu")!
  private static let token = "write-token-0123456789"
  private static let isLive = "document.querySelector('#status').dataset.state === 'live'"

  @Test func `the page is complete and live without the final slash`() throws {
    try PageScene.run(basePath: Self.menu) { scene in
      let window = scene.window
      try window.open("http://\(scene.server.authority)/menu")
      try window.wait(for: Self.isLive)
      #expect(try window.value("location.pathname") == "/menu/")
      #expect(try window.value("getComputedStyle(document.querySelector('main')).display") == "grid")
      try window.click(Dishes.selector(Dishes.caprese, "favorite"))
      try window.wait(for: "document.getElementById('favorites').textContent.includes('1 favorite')")
      try window.click("label:has(#show-paths)")
      try window.wait(for: "document.querySelector('#time > .path').textContent.trim() === '/menu/state/time'")
    }
  }

  @Test func `a session works below the base path`() throws {
    try PageScene.run(access: .tokens([Self.token]), basePath: Self.menu, allowing: "401 (Unauthorized)") { scene in
      try scene.window.wait(for: "document.querySelector('#sign-in').open")
      try scene.window.type(Self.token + "\n", into: "#token")
      try scene.window.wait(for: Self.isLive)
      try scene.window.click(Dishes.selector(Dishes.caprese, "favorite"))
      try scene.window.wait(for: "document.getElementById('favorites').textContent.includes('1 favorite')")
    }
  }
}
