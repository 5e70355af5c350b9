import BinderyCore
import BinderyMenu
import BinderyService
import Foundation
import Testing

/// The console and its surroundings: the window, the session, the clipboard and what is between it and the server.
@Suite(.serialized, .needsBrowser)
struct ConsoleWindowTests {
  private static let name = "/dishes/\(Dishes.carbonara)/name"
  private static let state = "document.getElementById('status').dataset.state"

  /// Renames the first dish, like another client.
  private func rename(_ name: String, _ scene: ConsoleScene<Menu>) {
    scene.service.store.post { $0.dishes.edit(id: UUID(uuidString: Dishes.carbonara)!) { $0.name = name } }
  }

  @Test func `a hidden window gives up its stream, and is current when it is shown`() throws {
    try ConsoleScene.run(Menu.example, at: Self.name) { scene in
      let window = scene.window
      // The page waits ten seconds. The test need not.
      _ = try window.value(
        "(({ setTimeout }) => { window.setTimeout = (run, time) => setTimeout(run, time === 10_000 ? 1 : time); })(window)",
        as: String?.self)
      try window.minimize()
      try scene.service.waitForStreams(0)
      #expect(try window.value(Self.state) == "connecting")
      rename("Spaghetti", scene)
      try window.restore()
      try window.wait(for: "\(ConsolePart.isLive) && \(ConsolePart.controlHas("Spaghetti"))")
      try scene.service.waitForStreams(1)
    }
  }

  @Test func `signing out asks before it discards drafts`() throws {
    let token = "write-token-0123456789"
    try ConsoleScene.run(Menu.example, at: Self.name, access: .tokens([token])) { scene in
      let window = scene.window
      try window.wait(for: "document.getElementById('sign-in').open")
      try window.type(token + "\n", into: "#token")
      try window.wait(for: "\(ConsolePart.isLive) && document.querySelector('\(ConsolePart.input)') !== null")
      try window.type("!", into: ConsolePart.input)
      try window.wait(for: "!(\(ConsolePart.hasNoDraft))")
      let answer = "window.confirm = (text) => { window.question = text; return window.answer === true; }"
      _ = try window.value("(\(answer), '')", as: String.self)
      try window.click("#sign-out")
      #expect(try window.value("window.question") == "Discard the drafts?")
      #expect(try window.value("document.getElementById('drafts').textContent") == "1 draft")
      // The session has not ended.
      rename("Spaghetti", scene)
      try window.wait(for: ConsolePart.shows("Spaghetti", at: Self.name))

      _ = try window.value("window.answer = true", as: Bool.self)
      try window.click("#sign-out")
      try window.wait(for: "window.answer === undefined && document.getElementById('sign-in').open")
      try window.type(token + "\n", into: "#token")
      try window.wait(for: "\(ConsolePart.isLive) && \(ConsolePart.controlHas("Spaghetti"))")
      #expect(try window.value(ConsolePart.hasNoDraft))
    }
  }

  @Test func `a text to copy is shown where the browser does not permit copying`() throws {
    try ConsoleScene.run(Menu.example, at: "/time") { scene in
      let window = scene.window
      // As on a page that is neither on HTTPS nor on localhost.
      _ = try window.value(
        """
        (Object.defineProperty(navigator, 'clipboard', { value: undefined }),
          window.prompt = (title, text) => { window.copied = title + ': ' + text; return null; }, '')
        """, as: String.self)
      try window.wait(for: "document.querySelector('.copies summary') !== null")
      try window.click(".copies summary")
      try window.click(".copies button:last-child")
      try window.wait(for: "window.copied?.includes('store.values(at: Menu.places.time)')")
    }
  }

  @Test func `the code that is copied sends the token that the service needs`() throws {
    let token = "write-token-0123456789"
    try ConsoleScene.run(Menu.example, at: "/time", access: .tokens([token])) { scene in
      let window = scene.window
      try window.wait(for: "document.getElementById('sign-in').open")
      try window.type(token + "\n", into: "#token")
      try window.wait(for: "document.querySelector('.copies summary') !== null")
      let copy = "async (text) => { window.copied = text; }"
      _ = try window.value("(navigator.clipboard.writeText = \(copy), '')", as: String.self)
      try window.click(".copies summary")
      let buttons = "[...document.querySelectorAll('.copies button')]"
      for name in ["curl", "fetch"] {
        _ = try window.value("(\(buttons).find((it) => it.textContent === '\(name)').click(), '')", as: String.self)
        try window.wait(for: "window.copied?.startsWith('\(name == "fetch" ? "const" : name)')")
        #expect(try window.value("copied.includes('Bearer $TOKEN')"))
      }
    }
  }

  @Test func `joiners are part of words and emoji, and visible elsewhere`() throws {
    let names = [
      // Words in Persian and in Hindi, and an emoji.
      ("می\u{200C}خواهم", "می\u{200C}خواهم"), ("क्\u{200D}ष", "क्\u{200D}ष"), ("👩\u{200D}🍳", "👩\u{200D}🍳"),
      // In other places, a character without a width makes two texts look the same.
      ("pay\u{200D}pal", "pay\\u{200D}pal"), ("pay\u{200C}pal", "pay\\u{200C}pal"),
      ("pay\u{200B}pal", "pay\\u{200B}pal"),
    ]
    try ConsoleScene.run(Menu.example, at: Self.name) { scene in
      for (name, shown) in names {
        rename(name, scene)
        let text = "\(ConsolePart.row(Self.name))?.querySelector('.value').textContent"
        try scene.window.wait(for: "\(text) === String.raw`\(shown)`")
      }
    }
  }

  @Test func `the page of a proxy whose server restarts is no connection`() throws {
    try ConsoleScene.run(Menu.example, at: Self.name) { scene in
      let window = scene.window
      try window.wait(for: ConsolePart.isLive)
      _ = try window.value(
        """
        (({ fetch }) => {
          const start = (page) => page.enqueue(new TextEncoder().encode('<p>Please wait.'));
          window.fetch = async (url, options) =>
            url === 'events' ? new Response(new ReadableStream({ start })) : fetch(url, options);
          window.end = () => { window.fetch = fetch; };
          dispatchEvent(new Event('online'));
        })(window)
        """, as: String?.self)
      try window.wait(for: "\(Self.state) === 'offline'")
      rename("Spaghetti", scene)
      _ = try window.value("(window.end(), '')", as: String.self)
      try window.wait(for: "\(ConsolePart.isLive) && \(ConsolePart.shows("Spaghetti", at: Self.name))")
    }
  }
}
