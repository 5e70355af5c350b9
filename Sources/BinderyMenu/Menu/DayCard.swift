public import Bindery

/// A card in the row of days.
public struct DayCard: Hashable, Identifiable, Editable {
  /// The date of the card.
  public let date: CalendarDay
  /// The English name of the weekday.
  public let weekday: String
  /// The day of the month.
  public let number: Int
  /// Whether the day is selected.
  public var isSelected: Bool

  /// The date, which identifies the card.
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

  public static let shape = EditableShape<DayCard>.members(
    DayCard.init(date:weekday:number:isSelected:),
    StoredMember("date", id: \.date),
    StoredMember("weekday", readOnly: \.weekday),
    StoredMember("number", readOnly: \.number),
    StoredMember("isSelected", \.isSelected))
}

extension CalendarDay {
  /// The English name of the weekday.
  var weekdayName: String {
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"][weekday]
  }
}
