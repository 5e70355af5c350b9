import BinderyCore
import BinderyMenu
import BinderyService
import Foundation
import Testing

/// The console, which shows and edits any model.
@Suite(.serialized, .needsBrowser)
struct ConsoleTests {
  private static let quantity = "/dishes/\(Dishes.carbonara)/status/inStock/quantity"

  /// Sets the quantity of the first dish, like another client.
  private func setQuantity(_ quantity: Int, _ scene: ConsoleScene<Menu>) {
    scene.service.store.post {
      $0.dishes.edit(id: UUID(uuidString: Dishes.carbonara)!) { $0.status = .inStock(quantity: quantity) }
    }
  }

  private func quantity(_ scene: ConsoleScene<Menu>) -> Status? {
    scene.service.store.snapshot.root.dishes[id: UUID(uuidString: Dishes.carbonara)!]?.status
  }

  @Test(arguments: ["/", "/menu"])
  func `a service without a page leads to its console`(basePath: String) throws {
    try ConsoleScene.run(Menu.example, basePath: basePath) { scene in
      try scene.window.navigate(to: scene.address)
      try scene.window.wait(for: ConsolePart.shows("tonight", at: "/time"))
      #expect(try scene.window.value("location.href") == "\(scene.address)console#")
      #expect(try scene.window.text("#editor h2").contains("Menu"))
    }
  }

  @Test func `a refusal appears at the field, which keeps the focus and the draft`() throws {
    try ConsoleScene.run(Menu.example, at: Self.quantity) { scene in
      let window = scene.window
      try window.wait(for: ConsolePart.controlHas("1"))
      try window.clear(ConsolePart.input)
      try window.type("0\n", into: ConsolePart.input)
      try window.wait(for: "\(ConsolePart.message) === '0 is not an integer ≥ 1.'")
      #expect(try window.value("document.activeElement === document.querySelector('\(ConsolePart.input)')"))
      #expect(try window.value("document.activeElement.ariaInvalid === 'true' && document.activeElement.value === '0'"))
      #expect(quantity(scene) == .inStock(quantity: 1))
      try window.press(Key.escape)
      try window.wait(for: "\(ConsolePart.controlHas("1")) && \(ConsolePart.hasNoDraft)")
    }
  }

  @Test func `a change of another client flashes one leaf, and no other counter changes`() throws {
    try ConsoleScene.run(Menu.example, at: Self.quantity) { scene in
      try scene.window.wait(for: ConsolePart.shows("1", at: Self.quantity))
      let other = "/dishes/\(Dishes.parmigiana)"
      setQuantity(5, scene)
      try scene.window.wait(for: ConsolePart.shows("5", at: Self.quantity))
      #expect(try scene.window.value("\(ConsolePart.row(Self.quantity)).matches('.flash, .flash-again')"))
      let count = { (path: String) in "\(ConsolePart.row(path)).querySelector('.changes').textContent" }
      #expect(try scene.window.value(count(Self.quantity)) == "1×")
      #expect(try scene.window.value(count(other)) == "")
      let flashed = "[...document.querySelectorAll('.flash, .flash-again')].map((row) => row.dataset.path)"
      // The pinned dish is another way to the same value.
      #expect(try Set(scene.window.value(flashed, as: [String].self)).subtracting(["/pinnedDish"]) == [Self.quantity])
    }
  }

  @Test func `two windows that edit one number see both values, and choose`() throws {
    try ConsoleScene.run(Menu.example, at: Self.quantity) { scene in
      let window = scene.window
      try window.wait(for: ConsolePart.controlHas("1"))
      try window.clear(ConsolePart.input)
      try window.type("7", into: ConsolePart.input)
      let other = try scene.anotherWindow(at: Self.quantity)
      try other.wait(for: ConsolePart.controlHas("1"))
      try other.clear(ConsolePart.input)
      try other.type("5\n", into: ConsolePart.input)
      try other.wait(for: ConsolePart.shows("5", at: Self.quantity))
      // The draft of the first window stays, and its field says what has changed.
      try window.wait(for: "\(ConsolePart.message) === '⚠ now 5, was 1' && \(ConsolePart.controlHas("7"))")
      try window.press(Key.enter)
      try window.wait(for: ConsolePart.conflict(base: "1", theirs: "5", yours: "7"))
      #expect(quantity(scene) == .inStock(quantity: 5))
      try window.click("#editor .conflict .primary")
      try window.wait(for: "\(ConsolePart.shows("7", at: Self.quantity)) && \(ConsolePart.hasNoDraft)")
      #expect(quantity(scene) == .inStock(quantity: 7))
      // Undo reverts this write alone.
      try window.click("#notices button")
      try window.wait(for: ConsolePart.shows("5", at: Self.quantity))
    }
  }

  @Test func `windows that edit different members do not conflict`() throws {
    let name = "/dishes/\(Dishes.carbonara)/name"
    try ConsoleScene.run(Menu.example, at: name) { scene in
      try scene.window.wait(for: "document.querySelector('\(ConsolePart.input)') !== null")
      try scene.window.clear(ConsolePart.input)
      try scene.window.type("Carbonara", into: ConsolePart.input)
      setQuantity(5, scene)
      try scene.window.wait(for: "document.getElementById('revision').textContent === 'r1'")
      try scene.window.press(Key.enter)
      try scene.window.wait(for: "\(ConsolePart.shows("Carbonara", at: name)) && \(ConsolePart.hasNoDraft)")
      #expect(quantity(scene) == .inStock(quantity: 5))
    }
  }

  @Test func `a proxy that makes ETags weak causes no conflicts`() throws {
    try ConsoleScene.run(Menu.example, at: Self.quantity) { scene in
      let window = scene.window
      try window.wait(for: ConsolePart.controlHas("1"))
      // As nginx does when it compresses a response.
      _ = try window.value(
        """
        (() => {
          const { fetch } = window;
          window.fetch = async (...request) => {
            const response = await fetch(...request);
            const headers = new Headers(response.headers);
            if (headers.has("ETag")) headers.set("ETag", "W/" + headers.get("ETag"));
            const { status } = response;
            return new Response([204, 304].includes(status) ? null : response.body, { status, headers });
          };
          return true;
        })()
        """, as: Bool.self)
      for number in 5...7 {
        try window.clear(ConsolePart.input)
        try window.type("\(number)", into: ConsolePart.input)
        try window.press(Key.enter)
        try window.wait(for: "\(ConsolePart.shows("\(number)", at: Self.quantity)) && \(ConsolePart.hasNoDraft)")
        #expect(quantity(scene) == .inStock(quantity: number))
      }
      // The stream names what the page has.
      _ = try window.value("location.hash = '#/time'", as: String.self)
      try window.wait(for: "document.querySelector('#editor select') !== null")
      setQuantity(9, scene)
      try window.wait(for: ConsolePart.shows("9", at: Self.quantity))
    }
  }

  @Test func `drafts survive changes of the server, other places and a reload`() throws {
    try ConsoleScene.run(Menu.example, at: Self.quantity) { scene in
      let window = scene.window
      try window.wait(for: ConsolePart.controlHas("1"))
      try window.clear(ConsolePart.input)
      try window.type("7", into: ConsolePart.input)
      setQuantity(5, scene)
      try window.wait(for: "\(ConsolePart.message)?.includes('now 5')")
      _ = try window.value("location.hash = '#/time'", as: String.self)
      try window.wait(for: "document.querySelector('#editor select') !== null")
      #expect(try window.text("#drafts") == "1 draft")
      try window.navigate(to: "about:blank")
      try scene.open(Self.quantity, in: window)
      try window.wait(for: ConsolePart.controlHas("7"))
      // A draft that equals the value of the server is no draft.
      setQuantity(7, scene)
      try window.wait(for: "\(ConsolePart.controlHas("7")) && \(ConsolePart.hasNoDraft)")
    }
  }

  @Test func `a revert of a value that has changed since says what has changed`() throws {
    try ConsoleScene.run(Menu.example, at: Self.quantity) { scene in
      setQuantity(5, scene)
      setQuantity(6, scene)
      let rows = "document.querySelectorAll('#history .log > li')"
      try scene.window.wait(for: "\(rows).length === 2 && \(rows)[1].textContent.includes('1 → 5')")
      try scene.window.click("#history .log > li:nth-child(2) > button")
      try scene.window.click("#history .preview .primary")
      try scene.window.wait(for: "document.querySelector('#history .error')?.textContent.includes('later revision')")
      #expect(quantity(scene) == .inStock(quantity: 6))
    }
  }

  @Test func `the history says which element was removed`() throws {
    try ConsoleScene.run(Menu.example, at: Self.quantity) { scene in
      let row = "document.querySelector('#history .log > li')"
      scene.service.store.post { _ = $0.dishes.remove(id: UUID(uuidString: Dishes.carbonara)!) }
      try scene.window.wait(for: "\(row)?.textContent.includes('removed {')")
      #expect(try scene.window.value("\(row).textContent", as: String.self).contains("Carbonara"))
      #expect(try scene.window.value("\(row).querySelector('a').hash", as: String.self) == "#/dishes")
    }
  }

  @Test func `a case with a payload is chosen, filled in and saved by keyboard`() throws {
    try ConsoleScene.run(Menu.example, at: "/time") { scene in
      let window = scene.window
      try window.wait(for: "document.querySelector('#editor select') !== null")
      try window.focus(".row[aria-selected=true]")
      try window.press(Key.enter)
      try window.press("c")
      try window.wait(for: "document.querySelector('#editor .payload input')?.value !== ''")
      #expect(scene.service.store.snapshot.root.time == .tonight, "a payload is written only when it is saved")
      try window.type("\(Key.control)s\(Key.null)", into: "#editor select")
      try window.wait(for: ConsolePart.shows("custom", at: "/time"))
      #expect(scene.service.store.snapshot.root.time != .tonight)
    }
  }

  @Test func `a reader sees no controls, and no write is sent`() throws {
    let token = "read-token-0123456789"
    let access = try AccessPolicy.tokens(["write-token-0123456789"], reading: [token])
    try ConsoleScene.run(Menu.example, at: Self.quantity, access: access) { scene in
      let window = scene.window
      try window.wait(for: "document.getElementById('sign-in').open")
      try window.type("wrong-token-0123456789\n", into: "#token")
      try window.wait(for: "document.querySelector('#sign-in .error').textContent.includes('does not accept')")
      try window.clear("#token")
      try window.type(token + "\n", into: "#token")
      try window.wait(for: ConsolePart.shows("1", at: Self.quantity))
      #expect(try window.text("#read-only") == "Read-only")
      let controls = "document.querySelectorAll('#editor input, #editor select, #history li button').length"
      #expect(try window.value(controls) == 0)
      // A token that is revoked is asked for again.
      try scene.service.replaceTokens(["write-token-0123456789"])
      try window.wait(for: "document.getElementById('sign-in').open")
    }
  }

  @Test func `names and texts of the state are never markup`() throws {
    let name = "<img src=x onerror=alert(1)>\u{202E}txt"
    try ConsoleScene.run(Menu.example, at: "/dishes/\(Dishes.carbonara)") { scene in
      scene.service.store.post {
        $0.dishes.edit(id: UUID(uuidString: Dishes.carbonara)!) { $0.name = name }
      }
      let shown = "<img src=x onerror=alert(1)>\\\\u{202E}txt"
      try scene.window.wait(for: "\(ConsolePart.row("/dishes/\(Dishes.carbonara)"))?.textContent.includes('\(shown)')")
      #expect(try scene.window.value("document.images.length") == 0)
    }
  }
}
