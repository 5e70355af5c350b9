import BinderyCore
import BinderyMenu
import Testing

/// The edit sheet, which is part of the shared state.
@Suite(.serialized, .needsBrowser)
struct SheetTests {
  private static let isOpen = "document.getElementById('sheet').open"

  private static func openSheet(for id: String, _ scene: PageScene) throws {
    try scene.window.click(Dishes.selector(id, "edit"))
    try scene.window.wait(for: isOpen)
  }

  @Test func `all windows show the sheet and the text typed into it`() throws {
    try PageScene.run { scene in
      let other = try scene.anotherWindow()
      try scene.window.click("#add")
      try other.wait(for: Self.isOpen)
      #expect(try other.text("#sheet-title") == "New dish")
      try scene.window.type("Soup", into: "#sheet-name")
      try other.wait(for: "document.getElementById('sheet-name').value === 'Soup'")
      #expect(try other.text("#sheet-title") == "New dish")
      for _ in 0..<2 { try other.click("#sheet [data-control=cancel]") }
      try scene.window.wait(for: "!\(Self.isOpen)")
      try scene.server.wait { $0.dishes.count == 4 }
    }
  }

  @Test func `a new dish is saved including the last key`() throws {
    try PageScene.run { scene in
      let window = scene.window
      try window.click("#add")
      try window.wait(for: Self.isOpen)
      try window.click("#sheet-favorite")
      try window.type("Soup" + Key.enter, into: "#sheet-name")
      try window.wait(for: "!\(Self.isOpen) && document.querySelectorAll('#dish-list > li').length === 4")
      let dish = scene.server.menu.dishes.last
      #expect(dish?.name == "Soup")
      #expect(dish?.isFavorite == true)
      try scene.server.wait { $0.editing == nil }
    }
  }

  @Test func `changes of another window are discarded only after a warning, and can be opened again`() throws {
    try PageScene.run { scene in
      let (window, other) = (scene.window, try scene.anotherWindow())
      try Self.openSheet(for: Dishes.caprese, scene)
      try window.clear("#sheet-name")
      try window.type("Insalata", into: "#sheet-name")
      try other.wait(for: "document.getElementById('sheet-name').value === 'Insalata'")
      try other.press(Key.escape)
      try other.wait(for: "document.getElementById('sheet').textContent.includes('Another window has changed')")
      try scene.server.wait { $0.editing != nil }
      try other.press(Key.escape)
      try window.wait(for: "!\(Self.isOpen) && document.getElementById('notice').textContent.includes('Insalata')")
      try window.click("#notice [data-control=act]")
      try other.wait(for: "\(Self.isOpen) && document.getElementById('sheet-name').value === 'Insalata'")
      try window.wait(for: Self.isOpen)
      try window.click("#sheet [data-control=save]")
      try other.wait(for: "!\(Self.isOpen)")
      try scene.server.wait { $0.dish(Dishes.caprese)?.name == "Insalata" }
    }
  }

  @Test func `a window that closes the sheet itself, or whose changes were saved, shows no message`() throws {
    try PageScene.run { scene in
      let (window, other) = (scene.window, try scene.anotherWindow())
      try Self.openSheet(for: Dishes.caprese, scene)
      try window.type("!", into: "#sheet-name")
      try window.press(Key.escape)
      try window.wait(for: "!\(Self.isOpen)")
      #expect(try window.value("document.querySelector('#notice > *') === null") == true)
      try Self.openSheet(for: Dishes.caprese, scene)
      try window.type("!", into: "#sheet-name")
      try other.wait(for: "document.getElementById('sheet-name').value.endsWith('!')")
      try other.click("#sheet [data-control=save]")
      try window.wait(for: "!\(Self.isOpen)")
      try scene.server.wait { $0.dish(Dishes.caprese)?.name.hasSuffix("!") == true }
      #expect(try window.value("document.querySelector('#notice > *') === null") == true)
    }
  }

  @Test func `saving a dish without a name shows an error at the name`() throws {
    try PageScene.run { scene in
      try scene.window.click("#add")
      try scene.window.wait(for: Self.isOpen)
      try scene.window.click("#sheet [data-control=save]")
      try scene.window.wait(for: "document.getElementById('sheet-name-error').checkVisibility()")
      #expect(try scene.window.value("document.getElementById('sheet-name').ariaInvalid") == "true")
      try scene.server.wait { $0.dishes.count == 4 }
    }
  }

  @Test func `saving preserves concurrent changes to other members`() throws {
    try PageScene.run { scene in
      let id = Dishes.caprese
      try Self.openSheet(for: id, scene)
      try scene.window.clear("#sheet-name")
      try scene.window.type("Insalata", into: "#sheet-name")
      scene.server.edit(id) { $0.status = .inStock(quantity: 7) }
      try scene.window.click("#sheet [data-control=save]")
      try scene.window.wait(for: "!\(Self.isOpen)")
      try scene.server.wait { $0.dish(id)?.name == "Insalata" }
      try scene.server.wait { $0.dish(id)?.status == .inStock(quantity: 7) }
    }
  }

  @Test func `a concurrent change of the same member is reported before it is overwritten`() throws {
    // The browser writes the 409 response to the first save to the console.
    try PageScene.run(allowing: "409") { scene in
      let id = Dishes.caprese
      try Self.openSheet(for: id, scene)
      try scene.window.clear("#sheet-name")
      try scene.window.type("Insalata", into: "#sheet-name")
      scene.server.edit(id) { $0.name = "Tricolore" }
      try scene.window.click("#sheet [data-control=save]")
      try scene.window.wait(
        for: "document.querySelector('#sheet form > .error:last-of-type').textContent.includes('Tricolore')")
      try scene.server.wait { $0.dish(id)?.name == "Tricolore" }
      try scene.window.click("#sheet [data-control=save]")
      try scene.window.wait(for: "!\(Self.isOpen)")
      try scene.server.wait { $0.dish(id)?.name == "Insalata" }
    }
  }

  @Test func `a deleted dish can be restored at its old position`() throws {
    try PageScene.run { scene in
      let before = scene.server.menu
      try scene.window.click(Dishes.selector(Dishes.carbonara, "delete"))
      try scene.window.wait(for: "document.querySelector('#notice [data-control=act]')")
      try scene.server.wait { $0.dishes.count == 3 }
      try scene.server.wait { $0.pinnedID == nil }
      try scene.window.click("#notice [data-control=act]")
      try scene.window.wait(for: "document.querySelector('#pinned \(Dishes.selector(Dishes.carbonara))')")
      try scene.server.wait { Array($0.dishes) == Array(before.dishes) }
      try scene.server.wait { $0.pinnedID == before.pinnedID }
    }
  }
}
