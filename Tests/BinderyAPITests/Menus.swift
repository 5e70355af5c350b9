import BinderyCore
import BinderyMenu
import FoundationEssentials

/// Menus that the tests begin with, and ids and dates in them.
enum Menus {
  static let first = "b10de400-0000-8000-8000-000000000001"
  static let second = "b10de400-0000-8000-8000-000000000002"
  static let third = "b10de400-0000-8000-8000-000000000003"
  static let fourth = "b10de400-0000-8000-8000-000000000004"
  /// A well-formed id that no dish has.
  static let unknownID = "b10de400-0000-8000-8000-0000000000ff"

  /// A Saturday.
  static let today = CalendarDay(year: 2026, month: 11, day: 21)!
  static let date = "2026-12-24T18:30:00.000Z"
  static let evening = "2026-11-21T19:00:00.000Z"

  static let fresh = Menu(today: today, evening: Date(timeIntervalSince1970: 1_795_287_600))

  static func with(_ change: (inout Menu) -> Void) -> Menu {
    var menu = fresh
    change(&menu)
    return menu
  }

  static let unpinned = with { $0.pinnedID = nil }
  static let newDish = with { $0.editing = .some(.none) }
  static let editing = with { $0.editing = .some(.some(Dish.samples[0])) }
  static let custom = with {
    $0.time = .custom(Date(timeIntervalSince1970: 1_798_137_000))
    $0.lastCustomTime = Date(timeIntervalSince1970: 1_798_137_000)
  }

  /// Returns a dish as JSON.
  static func dish(_ id: String, _ name: String, quantity: Int = 1) -> String {
    #"{"id":"\#(id)","name":"\#(name)","isFavorite":false,"status":{"inStock":{"quantity":\#(quantity)}}}"#
  }
}
