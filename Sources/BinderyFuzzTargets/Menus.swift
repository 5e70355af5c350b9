import BinderyCore
import BinderyDigest
import BinderyJSON
import BinderyMenu
import FoundationEssentials

/// The menus that the targets begin with, and what holds for every menu.
enum Menus {
  /// The same in each run, so that an ETag in an input means the same.
  static let key = DigestKey(secret: Array(0..<192))

  /// A menu with every optional filled and another case in each enum.
  static let full: Menu = {
    var menu = Menu.example
    menu.time = .custom(menu.evening)
    menu.lastCustomTime = menu.evening
    menu.editing = .some(menu.dishes.first)
    if let pinned = menu.pinnedID { menu.dishes.edit(id: pinned) { $0.status = .outOfStock(isOnBackOrder: true) } }
    return menu
  }()

  /// What is shown of a menu, in canonical JSON.
  static func json(_ menu: Menu) -> [UInt8] {
    var writer = JSONWriter()
    Menu.shape.encode(menu, into: &writer)
    return writer.bytes
  }

  /// The rules that no request may break.
  static func check(_ menu: Menu) throws(Finding) {
    let json = json(menu)
    try expect(ReferenceJSON.accepts(json), "a menu is no JSON: \(json.text)")
    var ids: Set<Dish.ID> = []
    var edited: [Dish] = []
    if case .some(.some(let dish)) = menu.editing { edited = [dish] }
    for dish in Array(menu.dishes) + edited {
      let scalars = dish.name.unicodeScalars
      try expect((1...100).contains(dish.name.count) && dish.name.utf8.count <= 400, "a name is too long: \(dish.name)")
      try expect(scalars.allSatisfy { $0.properties.generalCategory != .control }, "a name has controls: \(dish.name)")
      try expect(!scalars.allSatisfy(\.properties.isWhitespace), "a name is blank: \(dish.name)")
      if case .inStock(let quantity) = dish.status { try expect(quantity >= 1, "\(quantity) in stock") }
    }
    for dish in menu.dishes { try expect(ids.insert(dish.id).inserted, "\(dish.id) stands twice") }
    if let pinned = menu.pinnedID { try expect(ids.contains(pinned), "\(pinned) is pinned and gone") }
    if case .custom(let date) = menu.time { try expect(menu.lastCustomTime == date, "the last custom time is another") }
    try expect(menu.today == Menu.example.today, "today is another day")
    try expect(menu.days.count { $0.isSelected } <= 1, "two days are selected")
    try checkKeeping(menu)
  }

  /// What is kept of a menu gives it back, and so does the way to it from another.
  static func checkKeeping(_ menu: Menu) throws(Finding) {
    let kept = Menu.shape.stored(menu)
    try attempt("what is kept cannot be read: \(kept.text)") {
      try expect(Menu.shape.areSame(try Menu.shape.restore(kept), menu), "kept, it is another: \(kept.text)")
      for base in [Menu.example, full] {
        var way = PatchBuilder(.stored)
        Menu.shape.difference(from: base, to: menu, &way)
        let patch = way.finish()
        var end = base
        try Menu.shape.restore(&end, try StoredPatch(parsing: patch))
        try expect(Menu.shape.areSame(end, menu), "the way \(patch.text) does not end at \(kept.text)")
      }
    }
  }
}
