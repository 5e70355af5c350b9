/// A second, simple implementation of the menu, with which the service must agree after every step.
///
/// Names and dates are stored as their canonical JSON.
struct ReferenceMenu: Equatable {
  struct Dish: Equatable {
    var id: String
    var name: String
    var isFavorite = false
    var status = Status.inStock(1)

    var json: String {
      #"{"id":"\#(id)","name":\#(name),"isFavorite":\#(isFavorite),"status":\#(status.json)}"#
    }
  }

  enum Status: Equatable {
    case inStock(Int)
    case outOfStock(Bool)

    var json: String {
      switch self {
      case .inStock(let quantity): #"{"inStock":{"quantity":\#(quantity)}}"#
      case .outOfStock(let isOnBackOrder): #"{"outOfStock":{"isOnBackOrder":\#(isOnBackOrder)}}"#
      }
    }
  }

  enum Time: Equatable {
    case tonight, tomorrow
    case custom(String)

    var json: String {
      switch self {
      case .tonight: "\"tonight\""
      case .tomorrow: "\"tomorrow\""
      case .custom(let date): "{\"custom\":\(date)}"
      }
    }
  }

  enum Sheet: Equatable {
    case hidden, new
    case dish(Dish)

    var json: String {
      switch self {
      case .hidden: "null"
      case .new: "{\"some\":null}"
      case .dish(let dish): "{\"some\":\(dish.json)}"
      }
    }
  }

  var dishes = [
    Dish(id: Menus.first, name: "\"🍝 Spaghetti Carbonara\""),
    Dish(id: Menus.second, name: "\"🧀 Eggplant Parmigiana\""),
    Dish(id: "b10de400-0000-8000-8000-000000000003", name: "\"🍮 Classic Panna Cotta\""),
    Dish(id: Menus.fourth, name: "\"🥗 Caprese Salad\""),
  ]
  var pinned: String? = Menus.first
  var time = Time.tonight
  var lastCustomTime: String?
  var sheet = Sheet.hidden
  /// The selected day, as the number of days after today: Saturday, 21 November 2026.
  var selected = 0

  func index(of id: String) -> Int? { dishes.firstIndex { $0.id == id } }

  var pinnedIndex: Int? { pinned.flatMap(index) }

  static func day(_ offset: Int) -> String { offset < 10 ? "2026-11-\(21 + offset)" : "2026-12-0\(offset - 9)" }

  static func weekday(_ offset: Int) -> String {
    ["Saturday", "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday"][(offset + 70) % 7]
  }

  var label: String { selected == 0 ? "Today" : selected == 1 ? "Tomorrow" : Self.weekday(selected) }

  var customTimeOrDefault: String {
    if case .custom(let date) = time { date } else { lastCustomTime ?? "\"\(Menus.evening)\"" }
  }

  var json: String {
    let days = (0...10).map { offset in
      let number = Int(Self.day(offset).suffix(2))!
      return #"{"date":"\#(Self.day(offset))","weekday":"\#(Self.weekday(offset))","number":\#(number),"#
        + #""isSelected":\#(offset == selected)}"#
    }
    let favorites = dishes.filter(\.isFavorite).map { "\"\($0.id)\"" }
    let members: [(String, String)] = [
      ("dishes", "[\(dishes.map(\.json).joined(separator: ","))]"),
      ("pinnedID", pinned.map { "\"\($0)\"" } ?? "null"),
      ("time", time.json),
      ("lastCustomTime", lastCustomTime ?? "null"),
      ("editing", sheet.json),
      ("today", "\"\(Self.day(0))\""),
      ("selectedDay", "\"\(Self.day(selected))\""),
      ("pinnedDish", pinnedIndex.map { dishes[$0].json } ?? "null"),
      ("favorites", "[\(favorites.joined(separator: ","))]"),
      ("customTimeOrDefault", customTimeOrDefault),
      ("days", "[\(days.joined(separator: ","))]"),
      ("selectedDayLabel", "\"\(label)\""),
    ]
    return "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
  }
}
