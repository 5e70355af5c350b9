import Bindery
import FoundationEssentials

@Editable
public struct Menu: StateModel {
  public var dishes: Identified<Dish>
  public var pinnedID: Dish.ID?
  public var time: Time
  @ReadOnly public var lastCustomTime: Date?
  public var editing: Dish??
  @ReadOnly public var today: CalendarDay
  public var selectedDay: CalendarDay
  @Hidden public var evening: Date = .distantPast

  @ComputedFrom(\.dishes, \.pinnedID, filling: .editsOnly)
  public var pinnedDish: Dish? {
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

  @ComputedFrom(\.dishes)
  public var favorites: [Dish.ID] { dishes.filter(\.isFavorite).map(\.id) }

  @ComputedFrom(\.time, \.lastCustomTime, \.evening)
  public var customTimeOrDefault: Date {
    get { if case .custom(let date) = time { date } else { lastCustomTime ?? evening } }
    set { time = .custom(newValue) }
  }

  private static let cardCount = 11

  @ComputedFrom(\.today, \.selectedDay, filling: .editsOnly)
  public var days: Identified<DayCard> {
    get {
      let dates = (0..<Menu.cardCount).map { today.advanced(by: $0) }
      return Identified(uniquing: dates.map { DayCard($0, isSelected: $0 == selectedDay) })
    }
    set {
      let row = today...today.advanced(by: Menu.cardCount - 1)
      let selected = newValue.first { $0.isSelected && $0.date != selectedDay && row.contains($0.date) }
      if let selected { selectedDay = selected.date }
    }
  }

  @ComputedFrom(\.today, \.selectedDay)
  public var selectedDayLabel: String {
    switch selectedDay {
    case today: "Today"
    case today.advanced(by: 1): "Tomorrow"
    default: selectedDay.weekdayName
    }
  }

  public mutating func settle(from base: Menu) throws(InvalidState) {
    if case .custom(let date) = time { lastCustomTime = date }
    if today < base.today { (today, evening) = (base.today, base.evening) }
    if let pinnedID, !dishes.contains(id: pinnedID) {
      guard pinnedID == base.pinnedID else {
        throw InvalidState("the menu has no dish with the id in pinnedID", at: "/pinnedID")
      }
      self.pinnedID = nil
    }
  }
}

@Editable
public struct Dish: Hashable, Identifiable {
  @ID(new: { UUID() }) public let id: UUID
  @Constrained(.length(1...100), .bytes(atMost: 400), .notBlank, .noControlCharacters) public var name: String
  public var isFavorite = false
  public var status = Status.inStock(quantity: 1)
}

@Editable
public enum Status: Hashable {
  @Constrained(.atLeast(1)) case inStock(quantity: Int)
  case outOfStock(isOnBackOrder: Bool)
}

@Editable
public enum Time: Hashable {
  case tonight
  case tomorrow
  case custom(Date)
}

@Editable
public struct DayCard: Hashable, Identifiable {
  @ID public let date: CalendarDay
  public let weekday: String
  public let number: Int
  public var isSelected: Bool

  public var id: CalendarDay { date }

  init(date: CalendarDay, weekday: String, number: Int, isSelected: Bool) {
    self.date = date
    self.weekday = weekday
    self.number = number
    self.isSelected = isSelected
  }

  init(_ date: CalendarDay, isSelected: Bool) {
    self.init(date: date, weekday: date.weekdayName, number: date.components.day, isSelected: isSelected)
  }
}

extension CalendarDay {
  var weekdayName: String {
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"][weekday]
  }
}
