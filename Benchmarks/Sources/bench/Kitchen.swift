import Bindery
import FoundationEssentials

/// A model like the menu, with any number of dishes.
struct Kitchen: StateModel {
  var dishes: Identified<Dish>
  var note: String?

  static let shape = EditableShape<Kitchen>.members(
    Kitchen.init(dishes:note:), StoredMember("dishes", \.dishes), StoredMember("note", \.note))

  init(dishes: Identified<Dish>, note: String?) {
    self.dishes = dishes
    self.note = note
  }

  /// Creates a kitchen with `count` dishes, numbered from 0.
  init(count: Int) {
    self.init(dishes: Identified(uniquing: (0..<count).map { Dish(number: $0) }), note: nil)
  }
}

/// A dish with a deterministic id.
struct Dish: Identifiable, Editable {
  let id: UUID
  var name: String
  var isFavorite: Bool
  var status: Status

  static let shape = EditableShape<Dish>.members(
    Dish.init(id:name:isFavorite:status:),
    StoredMember("id", id: \.id, new: { UUID() }),
    StoredMember("name", \.name, .length(1...100)),
    StoredMember("isFavorite", \.isFavorite, default: false),
    StoredMember("status", \.status, default: .inStock(quantity: 1)))

  init(id: UUID, name: String, isFavorite: Bool, status: Status) {
    self.id = id
    self.name = name
    self.isFavorite = isFavorite
    self.status = status
  }

  init(number: Int) {
    self.init(id: Self.id(number), name: "🍝 Dish \(number)", isFavorite: false, status: .inStock(quantity: 1))
  }

  /// Returns the id of the dish with a number.
  static func id(_ number: Int) -> UUID {
    let byte = (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    return UUID(
      uuid: (0xB1, 0x0D, 0xE4, 0, 0, 0, 0x80, 0, 0x80, 0, 0, 0, byte[3], byte[2], byte[1], byte[0]))
  }
}

/// The availability of a dish.
enum Status: Editable {
  case inStock(quantity: Int)
  case outOfStock(isOnBackOrder: Bool)

  static let inStock = EnumCase("inStock", label: "quantity", Status.inStock(quantity:), .atLeast(0)) {
    if case .inStock(let quantity) = $0 { quantity } else { nil }
  }
  static let outOfStock = EnumCase("outOfStock", label: "isOnBackOrder", Status.outOfStock(isOnBackOrder:)) {
    if case .outOfStock(let isOnBackOrder) = $0 { isOnBackOrder } else { nil }
  }
  static let shape = EditableShape<Status>.cases(inStock, outOfStock)
}
