public import Bindery
public import FoundationEssentials

/// The demo model: the menu of a restaurant and the choices of a guest.
public struct Menu: Sendable {
  /// The dishes in the order of the menu.
  public var dishes: Identified<Dish>
  /// The id of the pinned dish, or nil if no dish is pinned.
  public var pinnedID: Dish.ID?
  /// The selected time of the visit.
  public var time: Time
  /// The last custom date. It is preserved while another time is selected.
  public var lastCustomTime: Date?
  /// The edit sheet: nil if it is closed, `.some(nil)` for a new dish without a name, `.some(dish)` for a dish.
  public var editing: Dish??
  /// The local date of the restaurant. The server's clock sets it, so that getters do not read the clock themselves.
  public var today: CalendarDay
  /// The selected day of the visit.
  public var selectedDay: CalendarDay
  /// Today at 19:00 local time of the restaurant. Set by the server's clock like ``today``.
  public var evening: Date

  /// Updates the date. Does nothing if the new date is before the current one.
  ///
  /// - Parameters:
  ///   - today: The local date of the restaurant.
  ///   - evening: 19:00 on that date.
  public mutating func advance(to today: CalendarDay, evening: Date) {
    guard today >= self.today else { return }
    self.today = today
    self.evening = evening
  }
}

extension Menu {
  /// The dish with the id ``pinnedID``.
  ///
  /// Setting a dish with the same id edits that dish. Setting nil unpins it. All other values are ignored.
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

  /// The ids of the favorite dishes, in the order of the menu.
  public var favorites: [Dish.ID] { dishes.filter(\.isFavorite).map(\.id) }

  /// The custom date, or the last custom date, or this evening. Setting any value selects the custom time.
  public var customTimeOrDefault: Date {
    get { if case .custom(let date) = time { date } else { lastCustomTime ?? evening } }
    set { time = .custom(newValue) }
  }

  /// The number of cards in the row of days.
  private static let cardCount = 11

  /// The cards of eleven days, starting today.
  ///
  /// Selecting a card changes ``selectedDay``. Deselecting a card has no effect.
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

  /// The label of the selected day: `Today`, `Tomorrow`, or the name of the weekday.
  public var selectedDayLabel: String {
    switch selectedDay {
    case today: "Today"
    case today.advanced(by: 1): "Tomorrow"
    default: selectedDay.weekdayName
    }
  }
}

extension Menu: StateModel {
  public static let shape = EditableShape<Menu>.members(
    Menu.init(dishes:pinnedID:time:lastCustomTime:editing:today:selectedDay:evening:),
    StoredMember("dishes", \.dishes),
    StoredMember("pinnedID", \.pinnedID),
    StoredMember("time", \.time),
    StoredMember("lastCustomTime", readOnly: \.lastCustomTime),
    StoredMember("editing", \.editing),
    StoredMember("today", readOnly: \.today),
    StoredMember("selectedDay", \.selectedDay),
    StoredMember(hidden: "evening", \.evening, default: .distantPast),
    computed: [
      ComputedMember("pinnedDish", \.pinnedDish, from: \.dishes, \.pinnedID, filling: .editsOnly),
      ComputedMember("favorites", readOnly: \.favorites, from: \.dishes),
      ComputedMember("customTimeOrDefault", \.customTimeOrDefault, from: \.time, \.lastCustomTime, \.evening),
      ComputedMember("days", \.days, from: \.today, \.selectedDay, filling: .editsOnly),
      ComputedMember("selectedDayLabel", readOnly: \.selectedDayLabel, from: \.today, \.selectedDay),
    ])

  /// Updates ``lastCustomTime``, and unpins a dish that was removed.
  ///
  /// - Throws: `InvalidState` if ``pinnedID`` was set to the id of a missing dish.
  public mutating func settle(from base: Menu) throws(InvalidState) {
    if case .custom(let date) = time { lastCustomTime = date }
    // The date never moves back, not even when an earlier revision is reverted.
    if today < base.today { (today, evening) = (base.today, base.evening) }
    // The dish that was pinned before is still there if dishes were only edited.
    let isPinnedKnown = pinnedID == base.pinnedID && dishes.isEditedVersion(of: base.dishes)
    if let pinnedID, !isPinnedKnown, !dishes.contains(id: pinnedID) {
      guard pinnedID == base.pinnedID else {
        throw InvalidState("the menu has no dish with the id in pinnedID", at: "/pinnedID")
      }
      self.pinnedID = nil
    }
  }
}
