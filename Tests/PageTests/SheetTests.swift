import BinderyCore
import BinderyMenu
import Testing

/// The edit sheet, which is state like all else.
@Suite(.serialized, .needsBrowser)
struct SheetTests {
  private static let isOpen = "document.getElementById('sheet').open"

  private static func opensFor(_ id: String, _ scene: PageScene) throws {
    try scene.window.click(Dishes.selector(id, "edit"))
    try scene.window.wait(for: isOpen)
  }

  @Test func `the sheet is open in every window, and so is what is typed into it`() throws {
    try PageScene.run { scene in
      let other = try scene.anotherWindow()
      try scene.window.click("#add")
      try other.wait(for: Self.isOpen)
      #expect(try other.text("#sheet-title") == "New dish")
      try scene.window.type("Soup", into: "#sheet-name")
      try other.wait(for: "document.getElementById('sheet-name').value === 'Soup'")
      #expect(try other.text("#sheet-title") == "New dish")
      try other.click("#sheet [data-control=cancel]")
      try scene.window.wait(for: "!\(Self.isOpen)")
      #expect(scene.restaurant.menu.dishes.count == 4)
    }
  }

  @Test func `a new dish is saved with its last key, in one revision`() throws {
    try PageScene.run { scene in
      let window = scene.window
      try window.click("#add")
      try window.wait(for: Self.isOpen)
      try window.click("#sheet-favorite")
      try window.type("Soup" + Key.enter, into: "#sheet-name")
      try window.wait(for: "!\(Self.isOpen) && document.querySelectorAll('#dish-list > li').length === 4")
      let dish = scene.restaurant.menu.dishes.last
      #expect(dish?.name == "Soup")
      #expect(dish?.isFavorite == true)
      #expect(scene.restaurant.menu.editing == nil)
    }
  }

  @Test func `a dish without a name is not saved, and that is said at the name`() throws {
    try PageScene.run { scene in
      try scene.window.click("#add")
      try scene.window.wait(for: Self.isOpen)
      try scene.window.click("#sheet [data-control=save]")
      try scene.window.wait(for: "document.getElementById('sheet-name-error').checkVisibility()")
      #expect(try scene.window.value("document.getElementById('sheet-name').ariaInvalid") == "true")
      #expect(scene.restaurant.menu.dishes.count == 4)
    }
  }

  @Test func `what others change in the dish meanwhile is kept`() throws {
    try PageScene.run { scene in
      let id = Dishes.caprese
      try Self.opensFor(id, scene)
      try scene.window.clear("#sheet-name")
      try scene.window.type("Insalata", into: "#sheet-name")
      scene.restaurant.edit(id) { $0.status = .inStock(quantity: 7) }
      try scene.window.click("#sheet [data-control=save]")
      try scene.window.wait(for: "!\(Self.isOpen)")
      #expect(scene.restaurant.dish(id)?.name == "Insalata")
      #expect(scene.restaurant.dish(id)?.status == .inStock(quantity: 7))
    }
  }

  @Test func `a change of the same member is told before it is replaced`() throws {
    // The refusal of the first save is a line in the console, which the browser writes.
    try PageScene.run(allowing: "409") { scene in
      let id = Dishes.caprese
      try Self.opensFor(id, scene)
      try scene.window.clear("#sheet-name")
      try scene.window.type("Insalata", into: "#sheet-name")
      scene.restaurant.edit(id) { $0.name = "Tricolore" }
      try scene.window.click("#sheet [data-control=save]")
      try scene.window.wait(
        for: "document.querySelector('#sheet form > .error:last-of-type').textContent.includes('Tricolore')")
      #expect(scene.restaurant.dish(id)?.name == "Tricolore")
      try scene.window.click("#sheet [data-control=save]")
      try scene.window.wait(for: "!\(Self.isOpen)")
      #expect(scene.restaurant.dish(id)?.name == "Insalata")
    }
  }

  @Test func `a deleted dish can be put back where it was`() throws {
    try PageScene.run { scene in
      let before = scene.restaurant.menu
      try scene.window.click(Dishes.selector(Dishes.carbonara, "delete"))
      try scene.window.wait(for: "document.querySelector('[data-control=undo]')")
      #expect(scene.restaurant.menu.dishes.count == 3)
      #expect(scene.restaurant.menu.pinnedID == nil)
      try scene.window.click("[data-control=undo]")
      try scene.window.wait(for: "document.querySelector('#pinned \(Dishes.selector(Dishes.carbonara))')")
      #expect(Array(scene.restaurant.menu.dishes) == Array(before.dishes))
      #expect(scene.restaurant.menu.pinnedID == before.pinnedID)
    }
  }
}
