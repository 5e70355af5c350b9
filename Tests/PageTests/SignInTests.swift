import BinderyCore
import BinderyMenu
import BinderyService
import Testing

/// The page of a server that requires a token.
@Suite(.serialized, .needsBrowser)
struct SignInTests {
  private static let first = "first-token-0123456789"
  private static let second = "second-token-0123456789"
  private static let isSignInOpen = "document.querySelector('#sign-in').open"
  private static let isLive = "document.querySelector('#status').dataset.state === 'live'"

  /// The console message of a browser for a 401 response.
  private static let unauthorizedMessage = "401 (Unauthorized)"

  @Test func `the page asks for a token and stores it where scripts cannot read it`() throws {
    try PageScene.run(access: .tokens([Self.first]), allowing: Self.unauthorizedMessage) { scene in
      let window = scene.window
      try window.wait(for: Self.isSignInOpen)
      try window.type("wrong-token-0123456789\n", into: "#token")
      try window.wait(for: "document.querySelector('#sign-in-error').textContent.includes('does not accept')")
      try window.press(Key.escape)
      #expect(try window.value(Self.isSignInOpen, as: Bool.self), "Escape must not close the dialog")
      try window.clear("#token")
      try window.type(Self.first + "\n", into: "#token")
      try window.wait(for: Self.isLive)
      let scriptStorage = "document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)"
      #expect(try window.value(scriptStorage, as: String.self) == "{}{}")
      try window.click(Dishes.selector(Dishes.caprese, "favorite"))
      try window.wait(
        for: "document.querySelector('\(Dishes.selector(Dishes.caprese, "favorite"))').ariaPressed === 'true'")
    }
  }

  @Test func `without a write token all controls are disabled, and the page says why`() throws {
    let access = try AccessPolicy.tokens([Self.first], reading: [Self.second])
    try PageScene.run(access: access, allowing: Self.unauthorizedMessage) { scene in
      let window = scene.window
      try window.wait(for: Self.isSignInOpen)
      try window.type(Self.second + "\n", into: "#token")
      try window.wait(for: Self.isLive)
      #expect(try window.text("#read-only").hasPrefix("Read-only"))
      #expect(try window.value("document.querySelector('#read-only').checkVisibility()"))
      scene.server.edit(Dishes.caprese) { $0.status = .outOfStock(isOnBackOrder: true) }
      let row = "document.querySelector('\(Dishes.selector(Dishes.caprese))')"
      try window.wait(for: "\(row).dataset.renders === '2'")
      let enabled = "document.querySelectorAll('#menu :is(button, input):enabled').length"
      #expect(try window.value(enabled) == 0)
      // A window that cannot close the shared sheet is not locked by it.
      scene.server.store.post { $0.editing = .some(nil) }
      scene.server.edit(Dishes.caprese) { $0.name = "Insalata" }
      try window.wait(for: "\(row).textContent.includes('Insalata')")
      #expect(try window.value("document.querySelector('#sheet').open") == false)
    }
  }

  @Test func `a sign-out ends the session and hides the menu in all windows`() throws {
    try PageScene.run(access: .tokens([Self.first]), allowing: Self.unauthorizedMessage) { scene in
      let window = scene.window
      try window.wait(for: Self.isSignInOpen)
      try window.type(Self.first + "\n", into: "#token")
      try window.wait(for: Self.isLive)
      let other = try scene.anotherWindow()
      try other.wait(for: Self.isLive)
      try window.click("#sign-out")
      for window in [window, other] {
        try window.wait(for: Self.isSignInOpen)
        #expect(
          try window.value("document.getElementById('menu').checkVisibility({visibilityProperty: true})") == false)
      }
      #expect(try other.text("#sign-in-reason") == "Your session has ended.")
      try window.navigate(to: scene.server.address)
      try window.wait(for: Self.isSignInOpen)
    }
  }

  @Test func `a server without tokens has no sign-out`() throws {
    try PageScene.run { scene in
      try scene.window.wait(for: Self.isLive)
      #expect(try scene.window.value("document.querySelector('#sign-out').checkVisibility()") == false)
    }
  }

  @Test func `the page asks for a new token after its token was revoked`() throws {
    try PageScene.run(access: .tokens([Self.first]), allowing: Self.unauthorizedMessage) { scene in
      let window = scene.window
      try window.wait(for: Self.isSignInOpen)
      try window.type(Self.first + "\n", into: "#token")
      try window.wait(for: Self.isLive)
      try scene.server.replaceTokens([Self.second])
      try window.wait(for: Self.isSignInOpen)
      #expect(try window.text("#sign-in-reason").contains("revoked"))
      #expect(try window.text("#status") == "Signed out")
      try window.type(Self.second + "\n", into: "#token")
      try window.wait(for: Self.isLive)
    }
  }
}
