import BinderyCore

/// A model with every kind of value that the menu does not have.
struct Zoo: Model {
  var count = 3
  var ratio = 0.5
  var title = "Zoo"
  var note: String?
  var tags = ["a", "b"]
  var prices = ["adult": 12, "child": 5]
  var rooms = ["hall": Room(name: "Hall", size: 9, door: nil)]
  var cell = Cell.empty
  var maybeCell: Cell?
  var sheet: Room??
  var deep: Int???
  var animals = Identified(uniquing: [
    Animal(id: 10, name: "Ape", legs: 2, nick: nil), Animal(id: 0, name: "Bee", legs: 6, nick: "B"),
  ])

  /// Keeps even numbers only.
  var doubled: Int {
    get { count * 2 }
    set { count = newValue / 2 }
  }
  /// Ignores every write.
  var seven: Int {
    get { 7 }
    set {}
  }
  var total: Int { prices.values.reduce(0, +) }

  static let shape = Shape<Zoo>.members(
    Zoo.init(count:ratio:title:note:tags:prices:rooms:cell:maybeCell:sheet:deep:animals:),
    Member("count", \.count, .atMost(1_000)),
    Member("ratio", \.ratio),
    Member("title", \.title),
    Member("note", \.note),
    Member("tags", \.tags),
    Member("prices", \.prices),
    Member("rooms", \.rooms),
    Member("cell", \.cell),
    Member("maybeCell", \.maybeCell),
    Member("sheet", \.sheet),
    Member("deep", \.deep),
    Member("animals", \.animals),
    computed: [
      Computed("doubled", \.doubled, from: \.count),
      Computed("seven", \.seven),
      Computed("total", readOnly: \.total, from: \.prices),
    ])

  func settle(from base: Zoo) throws(InvalidState) {
    if count > 100 { throw InvalidState("no more than 100 fit", at: "/count") }
    if animals.isEmpty { throw InvalidState("a zoo without animals", at: "/animals") }
  }
}

struct Room: Hashable, Bindable {
  var name: String
  var size: Int
  var door: String?

  static let shape = Shape<Room>.members(
    Room.init, Member("name", \.name, .length(1...20)), Member("size", \.size, default: 1),
    Member("door", \.door, default: nil))
}

struct Animal: Hashable, Identifiable, Bindable {
  let id: Int
  var name: String
  var legs: Int
  var nick: String?

  static let shape = Shape<Animal>.members(
    Animal.init, Member("id", id: \.id), Member("name", \.name), Member("legs", \.legs, .within(0...1000), default: 4),
    Member("nick", \.nick, default: nil))
}

enum Cell: Bindable, Equatable {
  case empty
  case number(Int)
  case point(x: Int, y: Int)
  case size(width: Int)
  case word(String?)
  case room(Room)
  case herd(Identified<Animal>)

  static let shape = Shape<Cell>.cases(
    Case("empty", Cell.empty),
    Case("number", Cell.number) { if case .number(let it) = $0 { it } else { nil } },
    Case("point", Cell.point(x:y:), Member("x", \.0), Member("y", \.1)) {
      if case .point(let x, let y) = $0 { (x, y) } else { nil }
    },
    Case("size", label: "width", Cell.size(width:), .atLeast(1)) { if case .size(let it) = $0 { it } else { nil } },
    Case("word", Cell.word) { if case .word(let it) = $0 { it } else { nil } },
    Case("room", Cell.room) { if case .room(let it) = $0 { it } else { nil } },
    Case("herd", Cell.herd) { if case .herd(let it) = $0 { it } else { nil } })
}
