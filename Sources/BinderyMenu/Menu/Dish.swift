public import BinderyCore
public import FoundationEssentials

/// One dish of the menu.
public struct Dish: Hashable, Identifiable, Bindable {
  public let id: UUID
  /// With its emoji in front.
  public var name: String
  public var isFavorite: Bool
  public var status: Status

  public init(id: UUID, name: String, isFavorite: Bool, status: Status) {
    self.id = id
    self.name = name
    self.isFavorite = isFavorite
    self.status = status
  }

  public static let shape = Shape<Dish>.members(
    Dish.init,
    Member("id", id: \.id, new: { UUID() }),
    Member("name", \.name, .length(1...100), .bytes(atMost: 400), .notBlank, .noControlCharacters),
    Member("isFavorite", \.isFavorite, default: false),
    Member("status", \.status, default: .inStock(quantity: 1)))
}
