public import BinderyCore
public import FoundationEssentials

/// What the service ships with: a restaurant's menu and what a guest has chosen.
public struct Menu: Sendable {
  public var dishes: Identified<Dish>
  public var pinnedID: Dish.ID?
  public var time: Time
  /// The last custom date, kept while another time is chosen.
  public var lastCustomTime: Date?
  /// The edit sheet: nil hides it, `.some(nil)` is a new dish, `.some(dish)` that dish.
  public var editing: Dish??
  /// The date where the restaurant is: an input, set by the server's clock, so that getters stay pure.
  public var today: Day
  public var selectedDay: Day
  /// Today at 19:00 where the restaurant is: an input like ``today``.
  public var evening: Date

  /// The clock's tick: time moves forward only.
  ///
  /// - Parameters:
  ///   - today: the date where the restaurant is.
  ///   - evening: that date at 19:00.
  public mutating func advance(to today: Day, evening: Date) {
    guard today >= self.today else { return }
    self.today = today
    self.evening = evening
  }
}

extension Menu {
  /// The dish that ``pinnedID`` names. A write edits that dish, nil unpins; anything else is dropped.
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

  /// The ids of the favorite dishes, in the menu's order.
  public var favorites: [Dish.ID] { dishes.filter(\.isFavorite).map(\.id) }

  /// The custom date, else the last one, else this evening. Any write chooses the custom time.
  public var customTimeOrDefault: Date {
    get { if case .custom(let date) = time { date } else { lastCustomTime ?? evening } }
    set { time = .custom(newValue) }
  }

  /// How many days the row shows.
  private static let cards = 11

  /// Eleven cards from today. Selecting one moves ``selectedDay``; one cannot be deselected, only another selected.
  public var days: Identified<DayCard> {
    get {
      let dates = (0..<Menu.cards).map { today.advanced(by: $0) }
      return Identified(uniquing: dates.map { DayCard($0, isSelected: $0 == selectedDay) })
    }
    set {
      let row = today...today.advanced(by: Menu.cards - 1)
      let chosen = newValue.first { $0.isSelected && $0.date != selectedDay && row.contains($0.date) }
      if let chosen { selectedDay = chosen.date }
    }
  }

  /// `Today`, `Tomorrow`, or the name of the weekday.
  public var selectedDayLabel: String {
    switch selectedDay {
    case today: "Today"
    case today.advanced(by: 1): "Tomorrow"
    default: selectedDay.weekdayName
    }
  }
}

extension Menu: Model {
  public static let shape = Shape<Menu>.members(
    Menu.init(dishes:pinnedID:time:lastCustomTime:editing:today:selectedDay:evening:),
    Member("dishes", \.dishes),
    Member("pinnedID", \.pinnedID),
    Member("time", \.time),
    Member("lastCustomTime", readOnly: \.lastCustomTime),
    Member("editing", \.editing),
    Member("today", readOnly: \.today),
    Member("selectedDay", \.selectedDay),
    Member(hidden: "evening", \.evening, default: .distantPast),
    computed: [
      Computed("pinnedDish", \.pinnedDish, from: \.dishes, \.pinnedID, filling: .editsOnly),
      Computed("favorites", readOnly: \.favorites, from: \.dishes),
      Computed("customTimeOrDefault", \.customTimeOrDefault, from: \.time, \.lastCustomTime, \.evening),
      Computed("days", \.days, from: \.today, \.selectedDay, filling: .editsOnly),
      Computed("selectedDayLabel", readOnly: \.selectedDayLabel, from: \.today, \.selectedDay),
    ])

  public mutating func settle(from base: Menu) throws(InvalidState) {
    if case .custom(let date) = time { lastCustomTime = date }
    // Time only moves forward, also where an earlier revision is taken back.
    if today < base.today { (today, evening) = (base.today, base.evening) }
    if let pinnedID, !dishes.contains(id: pinnedID) {
      guard pinnedID == base.pinnedID else {
        throw InvalidState("pinnedID names no dish of the menu", at: "/pinnedID")
      }
      self.pinnedID = nil
    }
  }
}
