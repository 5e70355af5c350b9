import BinderyAPI
import BinderyCore
import BinderyMenu
import BinderyTestKit
import FoundationEssentials

/// The menu to begin with, and what stands in it.
enum Menus {
  static let first = "b10de400-0000-8000-8000-000000000001"
  static let second = "b10de400-0000-8000-8000-000000000002"
  /// A well-formed id that no dish has.
  static let nobody = "b10de400-0000-8000-8000-0000000000ff"

  /// A Saturday.
  static let today = Day(year: 2026, month: 11, day: 21)!
  static let fresh = Menu(today: today, evening: Date(timeIntervalSince1970: 1_795_287_600))

  static func loop(_ limits: StreamLimits = StreamLimits()) -> MemoryLoop<Menu> {
    MemoryLoop(Store(fresh), streamLimits: limits)
  }
}

extension MemoryLoop<Menu> {
  /// A commit of Swift code, as another client's would be.
  func commit(_ body: (inout Menu) -> Void) {
    store.post(body)
    settle()
  }

  /// Opens a stream and passes over its first event.
  func follow(_ target: String) -> MemoryExchange {
    let stream = listen(target)
    _ = stream.take()
    return stream
  }
}

extension Menu {
  /// The first dish.
  var carbonara: Dish {
    get { dishes[0] }
    set { dishes.edit(at: 0) { $0 = newValue } }
  }
}

extension Reply {
  /// The entity tag without its quotes.
  var digest: String? { etag.map { String($0.dropFirst().dropLast()) } }
}
