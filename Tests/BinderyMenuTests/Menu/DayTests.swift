import BinderyCore
import BinderyMenu
import FoundationEssentials
import Testing

struct DayTests {
  private var menu = Menu.sample

  @Test func `the row has eleven cards starting today, and today is selected`() {
    #expect(menu.days.count == 11)
    #expect(menu.days.map(\.date) == (0..<11).map { Menu.day.advanced(by: $0) })
    #expect(menu.days.map(\.isSelected) == [true] + Array(repeating: false, count: 10))
    #expect(menu.days.prefix(4).map(\.weekday) == ["Thursday", "Friday", "Saturday", "Sunday"])
    #expect(menu.days.prefix(2).map(\.number) == [19, 20])
  }

  @Test mutating func `selecting a card changes the selected day`() throws {
    try menu.write(.patch, "/days/2026-11-21/isSelected", "true")
    #expect(menu.selectedDay.description == "2026-11-21")
    #expect(menu.days.filter(\.isSelected).map(\.date) == [menu.selectedDay])
  }

  @Test mutating func `deselecting the selected card does nothing`() throws {
    try menu.write(.patch, "/days/2026-11-19/isSelected", "false")
    #expect(menu.selectedDay == Menu.day)
  }

  @Test mutating func `deselecting another card does nothing`() throws {
    try menu.write(.patch, "/days/2026-11-22/isSelected", "false")
    #expect(menu.selectedDay == Menu.day)
  }

  @Test(arguments: ["date", "weekday", "number"])
  mutating func `only the selection of a card is writable`(member: String) {
    #expect(throws: NoWritablePlace.self) { try menu.write(.put, "/days/2026-11-20/\(member)", "1") }
  }

  @Test mutating func `a card outside the row cannot be created`() {
    let card = "{\"date\":\"2027-01-01\",\"weekday\":\"Friday\",\"number\":1,\"isSelected\":true}"
    #expect(throws: EditError.self) { try menu.write(.put, "/days/2027-01-01", card) }
  }

  @Test mutating func `a card outside the row cannot be selected`() throws {
    let card = "{\"date\":\"2027-01-01\",\"weekday\":\"Friday\",\"number\":1,\"isSelected\":true}"
    try menu.write(.put, "/days", "[\(card)]")
    #expect(menu.selectedDay == Menu.day)
  }

  @Test mutating func `the label is Today, Tomorrow or the weekday`() {
    let labels = (-1...8).map { offset in
      menu.selectedDay = Menu.day.advanced(by: offset)
      return menu.selectedDayLabel
    }
    #expect(
      labels == [
        "Wednesday", "Today", "Tomorrow", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday",
      ])
  }

  @Test mutating func `at midnight the row advances and the selection stays`() {
    let tomorrow = Menu.day.advanced(by: 1)
    menu.selectedDay = tomorrow
    #expect(menu.selectedDayLabel == "Tomorrow")
    menu.advance(to: tomorrow, evening: Menu.evening.addingTimeInterval(86_400))
    #expect(menu.selectedDayLabel == "Today")
    #expect(menu.selectedDay == tomorrow)
    #expect(menu.days.first?.date == tomorrow)
    #expect(menu.customTimeOrDefault == Menu.evening.addingTimeInterval(86_400))
  }

  @Test mutating func `today never moves back`() {
    menu.advance(to: Menu.day.advanced(by: -1), evening: .distantPast)
    #expect(menu.today == Menu.day)
    #expect(menu.customTimeOrDefault == Menu.evening)
  }

  @Test mutating func `today cannot be written`() {
    #expect(throws: NoWritablePlace.self) { try menu.write(.put, "/today", "\"2030-01-01\"") }
  }

  @Test(arguments: [CalendarDay.range.lowerBound, CalendarDay.range.upperBound])
  mutating func `the limits of the calendar do not trap`(day: CalendarDay) {
    var menu = Menu(today: day, evening: .distantFuture)
    #expect(menu.selectedDayLabel == "Today")
    #expect((1...11).contains(menu.days.count))
    menu.days = menu.days
    menu.selectedDay = CalendarDay.range.lowerBound
    menu.advance(to: CalendarDay.range.upperBound, evening: .distantPast)
    #expect(!menu.json.isEmpty)
  }
}
