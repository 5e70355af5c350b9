import BinderyCore

/// A model with every kind of value that the menu does not have.
struct Zoo: StateModel {
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

  static let shape = EditableShape<Zoo>.members(
    Zoo.init(count:ratio:title:note:tags:prices:rooms:cell:maybeCell:sheet:deep:animals:),
    StoredMember("count", \.count, .atMost(1_000)),
    StoredMember("ratio", \.ratio),
    StoredMember("title", \.title),
    StoredMember("note", \.note),
    StoredMember("tags", \.tags),
    StoredMember("prices", \.prices),
    StoredMember("rooms", \.rooms),
    StoredMember("cell", \.cell),
    StoredMember("maybeCell", \.maybeCell),
    StoredMember("sheet", \.sheet),
    StoredMember("deep", \.deep),
    StoredMember("animals", \.animals),
    computed: [
      ComputedMember("doubled", \.doubled, from: \.count),
      ComputedMember("seven", \.seven),
      ComputedMember("total", readOnly: \.total, from: \.prices),
    ])

  func settle(from base: Zoo) throws(InvalidState) {
    if count > 100 { throw InvalidState("no more than 100 fit", at: "/count") }
    if animals.isEmpty { throw InvalidState("a zoo without animals", at: "/animals") }
  }
}

struct Room: Hashable, Editable {
  var name: String
  var size: Int
  var door: String?

  static let shape = EditableShape<Room>.members(
    Room.init, StoredMember("name", \.name, .length(1...20)), StoredMember("size", \.size, default: 1),
    StoredMember("door", \.door, default: nil))
}

struct Animal: Hashable, Identifiable, Editable {
  let id: Int
  var name: String
  var legs: Int
  var nick: String?

  static let shape = EditableShape<Animal>.members(
    Animal.init, StoredMember("id", id: \.id), StoredMember("name", \.name),
    StoredMember("legs", \.legs, .within(0...1000), default: 4),
    StoredMember("nick", \.nick, default: nil))
}

enum Cell: Editable, Equatable {
  case empty
  case number(Int)
  case point(x: Int, y: Int)
  case size(width: Int)
  case word(String?)
  case room(Room)
  case herd(Identified<Animal>)

  static let shape = EditableShape<Cell>.cases(
    EnumCase("empty", Cell.empty),
    EnumCase("number", Cell.number) { if case .number(let it) = $0 { it } else { nil } },
    EnumCase("point", Cell.point(x:y:), StoredMember("x", \.0), StoredMember("y", \.1)) {
      if case .point(let x, let y) = $0 { (x, y) } else { nil }
    },
    EnumCase("size", label: "width", Cell.size(width:), .atLeast(1)) { if case .size(let it) = $0 { it } else { nil } },
    EnumCase("word", Cell.word) { if case .word(let it) = $0 { it } else { nil } },
    EnumCase("room", Cell.room) { if case .room(let it) = $0 { it } else { nil } },
    EnumCase("herd", Cell.herd) { if case .herd(let it) = $0 { it } else { nil } })
}
