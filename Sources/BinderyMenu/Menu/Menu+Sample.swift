public import BinderyCore
public import FoundationEssentials

extension Menu {
  /// The menu that a new store begins with.
  public init(today: Day, evening: Date) {
    let dishes = Identified(uniquing: Dish.samples)
    self.init(
      dishes: dishes, pinnedID: dishes.first?.id, time: .tonight, lastCustomTime: nil, editing: .none, today: today,
      selectedDay: today, evening: evening)
  }
}

extension Dish {
  /// The four dishes of a new menu, each with an id that does not change.
  public static let samples: [Dish] = [
    Dish(sample: 1, "🍝 Spaghetti Carbonara"),
    Dish(sample: 2, "🧀 Eggplant Parmigiana"),
    Dish(sample: 3, "🍮 Classic Panna Cotta"),
    Dish(sample: 4, "🥗 Caprese Salad"),
  ]

  private init(sample number: UInt8, _ name: String) {
    // Version 8 of RFC 9562: the bits are ours.
    let id = UUID(
      uuid: (0xB1, 0x0D, 0xE4, 0x00, 0x00, 0x00, 0x80, 0x00, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, number))
    self.init(id: id, name: name, isFavorite: false, status: .inStock(quantity: 1))
  }
}
