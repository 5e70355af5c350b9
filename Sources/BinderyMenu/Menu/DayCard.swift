public import Bindery

/// A card in the row of days.
public struct DayCard: Hashable, Identifiable, Bindable {
  /// The date of the card.
  public let date: Day
  /// The English name of the weekday.
  public let weekday: String
  /// The day of the month.
  public let number: Int
  /// Indicates whether the day is selected.
  public var isSelected: Bool

  /// The date, which identifies the card.
  public var id: Day { date }

  init(date: Day, weekday: String, number: Int, isSelected: Bool) {
    self.date = date
    self.weekday = weekday
    self.number = number
    self.isSelected = isSelected
  }

  init(_ date: Day, isSelected: Bool) {
    self.init(date: date, weekday: date.weekdayName, number: date.components.day, isSelected: isSelected)
  }

  public static let shape = Shape<DayCard>.members(
    DayCard.init(date:weekday:number:isSelected:),
    Member("date", id: \.date),
    Member("weekday", readOnly: \.weekday),
    Member("number", readOnly: \.number),
    Member("isSelected", \.isSelected))
}

extension Day {
  /// The English name of the weekday.
  var weekdayName: String {
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"][weekday]
  }
}
