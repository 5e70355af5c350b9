import BinderyMenu
import BinderyService
import Testing

/// The page of a server that asks for tokens.
@Suite(.serialized, .needsBrowser)
struct SignInTests {
  private static let first = "first-token-0123456789"
  private static let second = "second-token-0123456789"
  private static let isAsking = "document.querySelector('#sign-in').open"
  private static let isLive = "document.querySelector('#status').dataset.state === 'live'"

  /// What a browser says of an answer that is no success.
  private static let refusal = "401 (Unauthorized)"

  @Test func `the page asks for a token, keeps none where a script could read it, and goes on`() throws {
    try PageScene.run(access: .tokens([Self.first]), allowing: Self.refusal) { scene in
      let window = scene.window
      try window.wait(for: Self.isAsking)
      try window.type("wrong-token-0123456789\n", into: "#token")
      try window.wait(for: "document.querySelector('#sign-in-error').textContent.includes('does not know')")
      try window.press(Key.escape)
      #expect(try window.value(Self.isAsking, as: Bool.self), "there is nothing to see without")
      try window.clear("#token")
      try window.type(Self.first + "\n", into: "#token")
      try window.wait(for: Self.isLive)
      let kept = "document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)"
      #expect(try window.value(kept, as: String.self) == "{}{}")
      try window.click(Dishes.selector(Dishes.caprese, "favorite"))
      try window.wait(
        for: "document.querySelector('\(Dishes.selector(Dishes.caprese, "favorite"))').ariaPressed === 'true'")
    }
  }

  @Test func `a token that is taken back is asked for again, and the page goes on with another`() throws {
    try PageScene.run(access: .tokens([Self.first]), allowing: Self.refusal) { scene in
      let window = scene.window
      try window.wait(for: Self.isAsking)
      try window.type(Self.first + "\n", into: "#token")
      try window.wait(for: Self.isLive)
      try scene.restaurant.replaceTokens([Self.second])
      try window.wait(for: Self.isAsking)
      #expect(try window.text("#sign-in-reason").contains("taken back"))
      #expect(try window.text("#status") == "Signed out")
      try window.type(Self.second + "\n", into: "#token")
      try window.wait(for: Self.isLive)
    }
  }
}
