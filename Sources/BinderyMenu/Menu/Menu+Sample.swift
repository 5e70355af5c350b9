public import Bindery
public import FoundationEssentials

extension Menu {
  /// Creates the initial menu of a new store.
  public init(today: CalendarDay, evening: Date) {
    let dishes = Identified(uniquing: Dish.samples)
    self.init(
      dishes: dishes, pinnedID: dishes.first?.id, time: .tonight, lastCustomTime: nil, editing: .none, today: today,
      selectedDay: today, evening: evening)
  }

  /// The menu in documentation and OpenAPI examples: a new menu on a fixed day.
  public static let example = Menu(
    today: CalendarDay(number: 20_778), evening: Date(timeIntervalSince1970: 20_778 * 86_400 + 19 * 3_600))
}

extension Dish {
  /// The four dishes of a new menu. Their ids are fixed.
  public static let samples: [Dish] = [
    Dish(sample: 1, "🍝 Spaghetti Carbonara"),
    Dish(sample: 2, "🧀 Eggplant Parmigiana"),
    Dish(sample: 3, "🍮 Classic Panna Cotta"),
    Dish(sample: 4, "🥗 Caprese Salad"),
  ]

  private init(sample number: UInt8, _ name: String) {
    // UUID version 8 (RFC 9562 §5.8) allows custom bits.
    let id = UUID(
      uuid: (0xB1, 0x0D, 0xE4, 0x00, 0x00, 0x00, 0x80, 0x00, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, number))
    self.init(id: id, name: name, isFavorite: false, status: .inStock(quantity: 1))
  }
}
