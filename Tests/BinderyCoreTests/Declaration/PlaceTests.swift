import BinderyCore
import BinderyMenu
import FoundationEssentials
import Testing

struct PlaceTests {
  private let id = UUID(uuidString: "b10de400-0000-8000-8000-000000000002")!
  private var menu = Menu(today: CalendarDay(number: 20_776), evening: Date(timeIntervalSince1970: 0))
  private var root: StatePlace<Menu, Menu> { .root }

  @Test func `the path is a JSON Pointer with ids`() {
    #expect(root.path == "")
    #expect(root.dishes[id: id].name.path == "/dishes/b10de400-0000-8000-8000-000000000002/name")
    #expect(root.dishes[id: id].status[case: Status.inStock].path.hasSuffix("/status/inStock/quantity"))
    #expect(root.editing.unwrapped().path == "/editing/some")
    #expect(root.editing.unwrapped().unwrapped().name.path == "/editing/some/name")
    #expect(root.pinnedDish.unwrapped().name.path == "/pinnedDish/name")
    #expect(root.time[case: Time.custom].path == "/time/custom")
    #expect(root.days[id: CalendarDay(number: 20_778)].isSelected.path == "/days/2026-11-21/isSelected")
    #expect(Shelf.places.byName[key: "a/b~c"].x.path == "/byName/a~1b~0c/x")
    #expect(Shelf.places.oddlyNamed.path == "/a~1b~0\"é\n")
  }

  @Test mutating func `places read and write through every kind of step`() throws {
    let quantity = root.dishes[id: id].status[case: Status.inStock]
    try quantity.edit(in: &menu) { $0 += 4 }
    #expect(try quantity.value(in: menu) == 5)
    #expect(menu.dishes[1].status == .inStock(quantity: 5))
    try root.pinnedDish.unwrapped().name.access.set(&menu, to: "Soup")
    #expect(menu.dishes[0].name == "Soup")
    try root.editing.access.set(&menu, to: .some(.none))
    try root.editing.unwrapped().access.set(&menu, to: menu.dishes[0])
    try root.editing.unwrapped().unwrapped().isFavorite.access.set(&menu, to: true)
    #expect(menu.editing??.isFavorite == true)
  }

  @Test mutating func `reads and writes of an absent place throw and change nothing`() throws {
    let before = menu.dishes
    let isOnBackOrder = root.dishes[id: id].status[case: Status.outOfStock]
    let absence = Absence(.inactiveCase(wanted: "outOfStock", active: "inStock"), depth: 3)
    #expect(throws: absence) { try isOnBackOrder.value(in: menu) }
    #expect(throws: absence) { try isOnBackOrder.access.set(&menu, to: true) }
    let name = root.editing.unwrapped().unwrapped().name
    #expect(throws: Absence(.nilOptional, depth: 1)) { try name.access.set(&menu, to: "x") }
    menu.editing = .some(.none)
    #expect(throws: Absence(.nilOptional, depth: 2)) { try name.access.set(&menu, to: "x") }
    let gone = root.dishes[id: UUID()]
    #expect(throws: Absence.self) { try gone.access.set(&menu, to: menu.dishes[0]) }
    #expect(menu.dishes == before)
  }

  @Test mutating func `a read-only place cannot be written`() {
    #expect(throws: ValidationError.self) { try root.today.access.set(&menu, to: CalendarDay(number: 0)) }
    #expect(throws: ValidationError.self) { try root.dishes[id: id].id.access.set(&menu, to: UUID()) }
    #expect(throws: ValidationError.self) {
      try root.dishes[id: id].edit(in: &menu) {
        $0 = Dish(id: UUID(), name: "x", isFavorite: true, status: $0.status)
      }
    }
    #expect(menu.dishes.map(\.id) == Dish.samples.map(\.id))
  }

  @Test mutating func `nil reads as the default and a write sets the optional`() throws {
    let pinned = root.pinnedID[orDefault: id]
    menu.pinnedID = nil
    #expect(try pinned.value(in: menu) == id)
    try pinned.edit(in: &menu) { _ in }
    #expect(menu.pinnedID == id)
  }

  @Test func `the members of a labelled payload have places`() throws {
    let x = Wrapper.places[case: Wrapper.at].x
    #expect(x.path == "/at/point/x")
    var wrapper = Wrapper.at(point: Point(x: 1, y: 2))
    try x.access.set(&wrapper, to: 3)
    #expect(try x.value(in: wrapper) == 3)
  }

  @Test func `keys that differ in normalization are different places`() throws {
    let shelf = Shelf(
      byName: ["caf\u{E9}": Point(x: 1, y: 0)], byNumber: [:], byID: [:], byDay: [:], grid: [], maybe: [],
      oddlyNamed: "")
    let root = Shelf.places
    #expect(try root.byName[key: "caf\u{E9}"].x.value(in: shelf) == 1)
    #expect(throws: Absence.self) { try root.byName[key: "cafe\u{301}"].x.value(in: shelf) }
  }
}

private enum Wrapper: Editable {
  case at(point: Point)
  static let at = EnumCase("at", label: "point", Wrapper.at(point:)) {
    if case .at(let point) = $0 { point } else { nil }
  }
  static let shape = EditableShape<Wrapper>.cases(at)
}
