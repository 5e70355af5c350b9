import BinderyCore
import BinderyJSON
import BinderyMenu
import FoundationEssentials
import Testing

struct EditingTests {
  private var menu = Menu.sample

  @Test mutating func `the edit sheet is closed, or contains a new dish, or an existing dish`() throws {
    #expect(menu.json.contains("\"editing\":null"))
    menu.editing = .some(.none)
    #expect(menu.json.contains("\"editing\":{\"some\":null}"))
    menu.editing = menu.dishes[0]
    #expect(menu.json.contains("\"editing\":{\"some\":{\"id\":\"b10de400-0000-8000-8000-000000000001\""))
  }

  @Test mutating func `a new dish needs only a name`() throws {
    try menu.write(.put, "/editing/some", "{\"name\":\"Soup\"}")
    let dish = try #require(menu.editing ?? nil)
    #expect(dish.name == "Soup")
    #expect(!dish.isFavorite)
    #expect(dish.status == .inStock(quantity: 1))
  }

  @Test mutating func `a member of a missing dish cannot be written`() throws {
    #expect(throws: EditError.self) { try menu.write(.patch, "/editing/some/name", "\"Soup\"") }
    menu.editing = .some(.none)
    #expect(throws: EditError.self) { try menu.write(.patch, "/editing/some/name", "\"Soup\"") }
    #expect(throws: EditError.self) { try menu.write(.put, "/editing/some/name", "\"Soup\"") }
  }

  @Test mutating func `closing the edit sheet removes its dish`() throws {
    menu.editing = menu.dishes[0]
    try menu.write(.delete, "/editing")
    #expect(menu.editing == .none)
  }

  @Test(arguments: [
    ("", false), (" ", false), ("\u{200B}", false), ("a\nb", false), ("\u{85}", false), ("x", true),
    (String(repeating: "x", count: 100), true), (String(repeating: "x", count: 101), false),
    (String(repeating: "👩‍👩‍👧‍👦", count: 16), true), (String(repeating: "👩‍👩‍👧‍👦", count: 17), false),
  ])
  mutating func `a name has 1 to 100 characters, at most 400 bytes, and is not blank`(
    name: String, isValid: Bool
  ) throws {
    let text = JSONTree.string(name).text
    let result = Result { try menu.write(.put, "/dishes/\(menu.dishes[0].id)/name", text) }
    #expect(((try? result.get()) != nil) == isValid)
  }

  @Test(arguments: [(1, true), (0, false), (-1, false), (Int.max, true)])
  mutating func `the quantity in stock is at least one`(quantity: Int, isValid: Bool) {
    let result = Result {
      try menu.write(.put, "/dishes/\(menu.dishes[0].id)/status/inStock/quantity", "\(quantity)")
    }
    #expect(((try? result.get()) != nil) == isValid)
  }

  @Test mutating func `only PUT can switch to an inactive status`() throws {
    let path = "/dishes/\(menu.dishes[0].id)/status/outOfStock/isOnBackOrder"
    #expect(throws: EditError.self) { try menu.write(.patch, path, "true") }
    let edit = try menu.write(.put, path, "true")
    #expect(edit.created)
    #expect(menu.dishes[0].status == .outOfStock(isOnBackOrder: true))
  }
}

struct PinnedDishTests {
  private var menu = Menu.sample

  @Test mutating func `writing a dish while no dish is pinned is rejected`() throws {
    try menu.write(.delete, "/pinnedDish")
    #expect(menu.pinnedID == nil)
    for verb in [Menu.Verb.put, .patch] {
      #expect(throws: EditError.absent(.init(.nilOptional, depth: 1))) {
        try menu.write(verb, "/pinnedDish", "{\"name\":\"Soup\"}")
      }
    }
    #expect(throws: EditError.absent(.init(.nilOptional, depth: 1))) {
      try menu.write(.patch, "/pinnedDish/name", "\"Soup\"")
    }
  }

  @Test mutating func `a different id than that of the pinned dish is rejected`() throws {
    let sent =
      "{\"id\":\"\(menu.dishes[1].id)\",\"name\":\"x\",\"isFavorite\":true,\"status\":{\"inStock\":{\"quantity\":2}}}"
    for verb in [Menu.Verb.put, .patch] {
      let error = #expect(throws: EditError.self) { try menu.write(verb, "/pinnedDish", sent) }
      guard case .invalid(let invalid)? = error else { return #expect(Bool(false)) }
      #expect(invalid.code == .readOnlyMember)
      #expect(invalid.pointer == "/id")
    }
  }

  @Test mutating func `editing the pinned dish edits the dish on the menu`() throws {
    try menu.write(.patch, "/pinnedDish", "{\"isFavorite\":true}")
    #expect(menu.favorites == [menu.dishes[0].id])
    try menu.write(.put, "/pinnedDish/status/outOfStock/isOnBackOrder", "false")
    #expect(menu.dishes[0].status == .outOfStock(isOnBackOrder: false))
  }

  @Test mutating func `writing the JSON of the menu back changes nothing`() throws {
    menu.lastCustomTime = .distantFuture
    let before = menu.json
    try menu.write(.put, "", before)
    #expect(menu.json == before)
    try menu.write(.patch, "", before)
    #expect(menu.json == before)
    #expect(menu.time == .tonight)
  }

  @Test mutating func `a stored member and a computed member that overwrites it conflict`() throws {
    let sent = "{\"time\":\"tomorrow\",\"customTimeOrDefault\":\"2030-01-01T00:00:00Z\"}"
    let error = #expect(throws: EditError.self) { try menu.write(.patch, "", sent) }
    guard case .invalid(let invalid)? = error else { return #expect(Bool(false)) }
    #expect(invalid.code == .conflictingMembers)
    #expect(invalid.pointer == "/time")
  }

  @Test mutating func `a value dropped by a setter is reported`() throws {
    let edit = try menu.write(.patch, "", "{\"days\":[]}")
    #expect(edit.outcome == .dropped)
    #expect(menu.days.count == 11)
  }
}
