public import Bindery
public import FoundationEssentials

/// A dish on the menu.
public struct Dish: Hashable, Identifiable, Editable {
  /// The id of the dish. It never changes.
  public let id: UUID
  /// The name of the dish, starting with its emoji.
  public var name: String
  /// Whether the dish is a favorite.
  public var isFavorite: Bool
  /// The availability of the dish.
  public var status: Status

  /// Creates a dish.
  public init(id: UUID, name: String, isFavorite: Bool, status: Status) {
    self.id = id
    self.name = name
    self.isFavorite = isFavorite
    self.status = status
  }

  public static let shape = EditableShape<Dish>.members(
    Dish.init,
    StoredMember("id", id: \.id, new: { UUID() }),
    StoredMember("name", \.name, .length(1...100), .bytes(atMost: 400), .notBlank, .noControlCharacters),
    StoredMember("isFavorite", \.isFavorite, default: false),
    StoredMember("status", \.status, default: .inStock(quantity: 1)))
}
