import BinderyCore
import BinderyMenu
import FoundationEssentials
import Testing

struct PinTests {
  private var menu = Menu.sample

  @Test func `a new menu has four dishes, and the first is pinned`() {
    #expect(
      menu.dishes.map(\.name) == [
        "🍝 Spaghetti Carbonara", "🧀 Eggplant Parmigiana", "🍮 Classic Panna Cotta", "🥗 Caprese Salad",
      ])
    #expect(menu.dishes.allSatisfy { $0.status == .inStock(quantity: 1) && !$0.isFavorite })
    #expect(menu.pinnedDish == menu.dishes.first)
    #expect(menu.favorites == [])
  }

  @Test func `the ids of the initial dishes are fixed`() {
    #expect(menu.dishes.first?.id.uuidString == "B10DE400-0000-8000-8000-000000000001")
    #expect(Set(menu.dishes.map(\.id)).count == 4)
  }

  @Test mutating func `setting the pinned dish edits the dish on the menu`() throws {
    menu.pinnedDish?.name = "Lasagne"
    #expect(menu.dishes.first?.name == "Lasagne")
    #expect(menu.dishes.count == 4)
  }

  @Test mutating func `setting nil unpins the dish but does not remove it`() {
    menu.pinnedDish = nil
    #expect(menu.pinnedID == nil)
    #expect(menu.dishes.count == 4)
    #expect(menu.pinnedDish == nil)
  }

  @Test mutating func `setting a different dish is ignored`() {
    let before = menu.json
    menu.pinnedDish = menu.dishes[1]
    #expect(menu.json == before)
    menu.pinnedID = nil
    menu.pinnedDish = menu.dishes[1]
    #expect(menu.pinnedDish == nil)
  }

  @Test mutating func `removing the pinned dish unpins it`() throws {
    let base = menu
    menu.dishes.remove(at: 0)
    #expect(menu.pinnedDish == nil)
    try menu.settle(from: base)
    #expect(menu.pinnedID == nil)
  }

  @Test mutating func `editing a dish and pinning an unknown one is rejected`() {
    let base = menu
    menu.dishes.edit(at: 0) { $0.name = "Lasagne" }
    menu.pinnedID = UUID()
    #expect(throws: InvalidState.self) { try menu.settle(from: base) }
  }

  @Test mutating func `a state from a file that pins an unknown dish is unpinned`() throws {
    menu.pinnedID = UUID()
    let base = menu
    try menu.settle(from: base)
    #expect(menu.pinnedID == nil)
  }

  @Test mutating func `pinning an unknown dish is rejected`() {
    let base = menu
    menu.pinnedID = UUID()
    #expect(throws: InvalidState("the menu has no dish with the id in pinnedID", at: "/pinnedID")) {
      try menu.settle(from: base)
    }
  }

  @Test mutating func `pinning a dish that the same commit removes is rejected`() {
    let base = menu
    menu.pinnedID = menu.dishes[1].id
    menu.dishes.remove(at: 1)
    #expect(throws: InvalidState.self) { try menu.settle(from: base) }
  }

  @Test mutating func `moving the pinned dish does not unpin it`() throws {
    let base = menu
    let dish = menu.dishes[0]
    menu.dishes.remove(at: 0)
    menu.dishes.update(dish)
    try menu.settle(from: base)
    #expect(menu.pinnedID == dish.id)
    #expect(menu.pinnedDish == dish)
  }

  @Test mutating func `the favorites have the order of the menu`() {
    menu.dishes.edit(at: 2) { $0.isFavorite = true }
    menu.dishes.edit(at: 0) { $0.isFavorite = true }
    #expect(menu.favorites == [menu.dishes[0].id, menu.dishes[2].id])
  }
}
