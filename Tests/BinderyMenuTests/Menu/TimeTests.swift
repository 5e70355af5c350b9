import BinderyCore
import BinderyMenu
import FoundationEssentials
import Testing

struct TimeTests {
  private var menu = Menu.sample
  private let customDate = Date(timeIntervalSince1970: 1_800_000_000)

  @Test mutating func `the last custom date is preserved while another time is selected`() throws {
    try menu.write(.put, "/time/custom", "\"2027-01-15T08:00:00Z\"")
    #expect(menu.lastCustomTime == customDate)
    try menu.write(.put, "/time", "\"tomorrow\"")
    #expect(menu.time == .tomorrow)
    #expect(menu.lastCustomTime == customDate)
    #expect(menu.customTimeOrDefault == customDate)
  }

  @Test mutating func `the last custom date is the custom date at the end of the commit`() throws {
    let base = menu
    menu.time = .custom(.distantFuture)
    menu.time = .custom(customDate)
    try menu.settle(from: base)
    #expect(menu.lastCustomTime == customDate)
  }

  @Test func `the default custom date is this evening`() {
    #expect(menu.customTimeOrDefault == Menu.evening)
    #expect(menu.lastCustomTime == nil)
  }

  @Test mutating func `writing the current default selects the custom time`() throws {
    #expect(menu.time == .tonight)
    try menu.write(.patch, "/customTimeOrDefault", "\"2026-11-19T19:00:00Z\"")
    #expect(menu.time == .custom(Menu.evening))
    #expect(menu.lastCustomTime == Menu.evening)
  }

  @Test mutating func `the last custom date can be selected again`() throws {
    try menu.write(.patch, "/time", "{\"custom\":\"2027-01-15T08:00:00Z\"}")
    try menu.write(.patch, "/time", "\"tonight\"")
    menu.customTimeOrDefault = menu.customTimeOrDefault
    #expect(menu.time == .custom(customDate))
  }

  @Test mutating func `the last custom date cannot be written`() {
    #expect(throws: NoWritablePlace.self) { try menu.write(.put, "/lastCustomTime", "null") }
  }
}
