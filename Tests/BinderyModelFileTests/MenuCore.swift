import BinderyCore
import BinderyModelFile
import FoundationEssentials

/// The model of `Examples/menu.model.json` in Swift.
struct MenuCore: StateModel {
  struct Dish: Identifiable, Editable {
    let id: UUID
    var name: String
    var isFavorite: Bool
    var status: Status

    static let shape = EditableShape<Dish>.members(
      Dish.init,
      StoredMember("id", id: \.id, new: { UUID() }),
      StoredMember("name", \.name, .length(1...100), .bytes(atMost: 400), .notBlank, .noControlCharacters),
      StoredMember("isFavorite", \.isFavorite, default: false),
      StoredMember("status", \.status, default: .inStock(quantity: 1)))
  }

  enum Status: Hashable, Editable {
    case inStock(quantity: Int)
    case outOfStock(isOnBackOrder: Bool)

    static let shape = EditableShape<Status>.cases(
      EnumCase("inStock", label: "quantity", Status.inStock(quantity:), .atLeast(1)) {
        if case .inStock(let quantity) = $0 { quantity } else { nil }
      },
      EnumCase("outOfStock", label: "isOnBackOrder", Status.outOfStock(isOnBackOrder:)) {
        if case .outOfStock(let isOnBackOrder) = $0 { isOnBackOrder } else { nil }
      })
  }

  enum Time: Hashable, Editable {
    case tonight, tomorrow
    case custom(Date)

    static let shape = EditableShape<Time>.cases(
      EnumCase("tonight", Time.tonight), EnumCase("tomorrow", Time.tomorrow),
      EnumCase("custom", Time.custom) { if case .custom(let date) = $0 { date } else { nil } })
  }

  var dishes: Identified<Dish>
  var pinnedID: UUID?
  var time: Time
  var lastCustomTime: Date?
  var editing: Dish??

  var pinnedDish: Dish? {
    get { pinnedID.flatMap { dishes[id: $0] } }
    set {
      guard let dish = newValue else {
        pinnedID = nil
        return
      }
      guard dish.id == pinnedID else { return }
      dishes.edit(id: dish.id) { $0 = dish }
    }
  }

  var favorites: [UUID] { dishes.filter(\.isFavorite).map(\.id) }

  static let shape = EditableShape<MenuCore>.members(
    MenuCore.init(dishes:pinnedID:time:lastCustomTime:editing:),
    StoredMember("dishes", \.dishes),
    StoredMember("pinnedID", \.pinnedID),
    StoredMember("time", \.time),
    StoredMember("lastCustomTime", readOnly: \.lastCustomTime),
    StoredMember("editing", \.editing),
    computed: [
      ComputedMember("pinnedDish", \.pinnedDish, from: \.dishes, \.pinnedID, filling: .editsOnly),
      ComputedMember("favorites", readOnly: \.favorites, from: \.dishes),
    ])

  mutating func settle(from base: MenuCore) throws(InvalidState) {
    if case .custom(let date) = time { lastCustomTime = date }
    if let pinnedID, !dishes.contains(id: pinnedID) {
      guard pinnedID == base.pinnedID else {
        throw InvalidState("“/dishes” has no element with the id “\(pinnedID.keyText)”", at: "/pinnedID")
      }
      self.pinnedID = nil
    }
  }

  /// The state of a new store, the same as that of the model file.
  static var initial: MenuCore {
    let names = ["🍝 Spaghetti Carbonara", "🧀 Eggplant Parmigiana", "🍮 Classic Panna Cotta", "🥗 Caprese Salad"]
    let dishes = names.enumerated().map { index, name in
      Dish(id: MenuModel.id(index + 1), name: name, isFavorite: false, status: .inStock(quantity: 1))
    }
    return MenuCore(
      dishes: Identified(uniquing: dishes), pinnedID: MenuModel.id(1), time: .tonight, lastCustomTime: nil,
      editing: .none)
  }
}

/// The model of `Examples/menu.model.json`.
enum MenuModel {
  static let text: [UInt8] = {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return (try? Data(contentsOf: root.appending(path: "Examples/menu.model.json"))).map(Array.init) ?? []
  }()

  static func id(_ number: Int) -> UUID {
    UUID(uuid: (0xB1, 0x0D, 0xE4, 0, 0, 0, 0x80, 0, 0x80, 0, 0, 0, 0, 0, 0, UInt8(number)))
  }
}
