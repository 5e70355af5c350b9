import BinderyCore
import BinderyMenu
import BinderyService
import FoundationEssentials
import Testing

/// The paths of the components.
@Suite(.serialized, .needsBrowser)
struct PathTests {
  @Test func `on demand, each component shows its path`() throws {
    try PageScene.run { scene in
      let window = scene.window
      #expect(try window.value("document.querySelector('.path') === null"))
      try window.click("label:has(#show-paths)")
      try window.wait(for: "document.querySelector('.path')")
      let unlabeled = "[...document.querySelectorAll('.component:not(:has(> .path))')].map(it => it.outerHTML)"
      #expect(try window.value(unlabeled) == [String]())
      // New components get theirs, too.
      scene.server.store.post {
        try? $0.dishes.append(Dish(id: UUID(), name: "Soup", isFavorite: false, status: .inStock(quantity: 1)))
      }
      try window.wait(for: "document.querySelectorAll('#dish-list .path').length === 4")
      let paths: [String] = try window.value("[...document.querySelectorAll('.path')].map(it => it.textContent.trim())")
      for path in ["/state/pinnedDish", "/state/dishes/\(Dishes.caprese)", "/state/time", "/state/days/2026-11-21"] {
        #expect(paths.contains(path))
      }
      try window.click("label:has(#show-paths)")
      try window.wait(for: "document.querySelector('.path') === null")
    }
  }

  @Test func `a path is copied as a curl command`() throws {
    try PageScene.run { scene in
      let command = try Self.copy(scene)
      #expect(command == "curl 'http://\(scene.server.authority)/state/time'")
    }
  }

  @Test func `the command names the token, which the page does not know`() throws {
    let token = "write-token-0123456789"
    try PageScene.run(access: .tokens([token]), allowing: "401 (Unauthorized)") { scene in
      try scene.window.wait(for: "document.querySelector('#sign-in').open")
      try scene.window.type(token + "\n", into: "#token")
      try scene.window.wait(for: "document.querySelector('#status').dataset.state === 'live'")
      let command = try Self.copy(scene)
      #expect(command == #"curl -H "Authorization: Bearer $TOKEN" 'http://\#(scene.server.authority)/state/time'"#)
    }
  }

  private static func copy(_ scene: PageScene) throws -> String {
    try scene.window.click("label:has(#show-paths)")
    try scene.window.wait(for: "document.querySelector('#time > .path')")
    try scene.window.click("#time > .path")
    try scene.window.wait(for: "document.querySelector('#notice code')")
    return try scene.window.text("#notice code")
  }
}
