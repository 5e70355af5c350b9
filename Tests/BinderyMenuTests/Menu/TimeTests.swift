import BinderyCore
import BinderyMenu
import FoundationEssentials
import Testing

struct TimeTests {
  private var menu = Menu.sample
  private let party = Date(timeIntervalSince1970: 1_800_000_000)

  @Test mutating func `the last custom date is kept while another time is chosen`() throws {
    try menu.write(.put, "/time/custom", "\"2027-01-15T08:00:00Z\"")
    #expect(menu.lastCustomTime == party)
    try menu.write(.put, "/time", "\"tomorrow\"")
    #expect(menu.time == .tomorrow)
    #expect(menu.lastCustomTime == party)
    #expect(menu.customTimeOrDefault == party)
  }

  @Test mutating func `the last custom date follows the final time`() throws {
    let base = menu
    menu.time = .custom(.distantFuture)
    menu.time = .custom(party)
    try menu.settle(from: base)
    #expect(menu.lastCustomTime == party)
  }

  @Test func `the default of a custom time is this evening`() {
    #expect(menu.customTimeOrDefault == Menu.evening)
    #expect(menu.lastCustomTime == nil)
  }

  @Test mutating func `writing the custom time that shows chooses it`() throws {
    #expect(menu.time == .tonight)
    try menu.write(.patch, "/customTimeOrDefault", "\"2026-11-19T19:00:00Z\"")
    #expect(menu.time == .custom(Menu.evening))
    #expect(menu.lastCustomTime == Menu.evening)
  }

  @Test mutating func `the custom date comes back`() throws {
    try menu.write(.patch, "/time", "{\"custom\":\"2027-01-15T08:00:00Z\"}")
    try menu.write(.patch, "/time", "\"tonight\"")
    menu.customTimeOrDefault = menu.customTimeOrDefault
    #expect(menu.time == .custom(party))
  }

  @Test mutating func `the last custom date cannot be written`() {
    #expect(throws: NoWritablePlace.self) { try menu.write(.put, "/lastCustomTime", "null") }
  }
}
