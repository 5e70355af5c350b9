import BinderyCore
import BinderyDigest
import BinderyJSON
import BinderyMenu
import FoundationEssentials

/// The initial menus of the targets, and the invariants of every menu.
enum MenuFixtures {
  /// A constant key, so that ETags in the corpus stay valid.
  static let key = DigestKey(secret: Array(0..<192))

  /// A constant history, so that two connections get the same responses.
  static let history = HistoryID("fuzztest")!

  /// A menu in which every optional has a value and every enum has a case other than in `Menu.example`.
  static let full: Menu = {
    var menu = Menu.example
    menu.time = .custom(menu.evening)
    menu.lastCustomTime = menu.evening
    menu.editing = .some(menu.dishes.first)
    if let pinned = menu.pinnedID { menu.dishes.edit(id: pinned) { $0.status = .outOfStock(isOnBackOrder: true) } }
    return menu
  }()

  /// Returns the public part of a menu as canonical JSON.
  static func json(_ menu: Menu) -> [UInt8] { Menu.shape.json(menu) }

  /// Checks the invariants that every request must preserve.
  static func check(_ menu: Menu) throws(Finding) {
    let json = json(menu)
    try expect(ReferenceJSON.accepts(json), "the menu is not valid JSON: \(json.text)")
    var ids: Set<Dish.ID> = []
    var edited: [Dish] = []
    if case .some(.some(let dish)) = menu.editing { edited = [dish] }
    for dish in Array(menu.dishes) + edited {
      let scalars = dish.name.unicodeScalars
      try expect(
        (1...100).contains(dish.name.count) && dish.name.utf8.count <= 400,
        "the length of a name is not in 1...100: \(dish.name)")
      try expect(
        scalars.allSatisfy { $0.properties.generalCategory != .control },
        "a name contains control characters: \(dish.name)")
      try expect(!scalars.allSatisfy(\.properties.isWhitespace), "a name is blank: \(dish.name)")
      if case .inStock(let quantity) = dish.status { try expect(quantity >= 1, "\(quantity) in stock") }
    }
    for dish in menu.dishes { try expect(ids.insert(dish.id).inserted, "duplicate id \(dish.id)") }
    if let pinned = menu.pinnedID { try expect(ids.contains(pinned), "the pinned dish \(pinned) does not exist") }
    if case .custom(let date) = menu.time {
      try expect(menu.lastCustomTime == date, "lastCustomTime differs from the custom time")
    }
    try expect(menu.today == Menu.example.today, "today has changed")
    try expect(menu.days.count { $0.isSelected } <= 1, "two days are selected")
    try checkStorage(menu)
  }

  /// Checks that a menu, and its difference from other menus, round-trips through the stored form.
  static func checkStorage(_ menu: Menu) throws(Finding) {
    let stored = Menu.shape.stored(menu)
    try attempt("the stored menu cannot be restored: \(stored.text)") {
      try expect(Menu.shape.areSame(try Menu.shape.restore(stored), menu), "the restored menu differs: \(stored.text)")
      for base in [Menu.example, full] {
        var difference = PatchBuilder(.stored)
        Menu.shape.difference(from: base, to: menu, &difference)
        let patch = difference.finish()
        var result = base
        try Menu.shape.restore(&result, try StoredPatch(parsing: patch))
        try expect(Menu.shape.areSame(result, menu), "applying \(patch.text) does not result in \(stored.text)")
      }
    }
  }
}
