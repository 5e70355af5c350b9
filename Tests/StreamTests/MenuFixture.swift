import BinderyAPI
import BinderyCore
import BinderyMenu
import BinderyTestKit
import FoundationEssentials

/// The initial menu and the ids in it.
enum MenuFixture {
  static let first = "b10de400-0000-8000-8000-000000000001"
  static let second = "b10de400-0000-8000-8000-000000000002"
  /// A well-formed id that no dish has.
  static let unknownID = "b10de400-0000-8000-8000-0000000000ff"

  /// A Saturday.
  static let today = CalendarDay(year: 2026, month: 11, day: 21)!
  static let initial = Menu(today: today, evening: Date(timeIntervalSince1970: 1_795_287_600))

  static func loop(_ limits: StreamLimits = StreamLimits()) -> MemoryLoop<Menu> {
    MemoryLoop(Store(initial), streamLimits: limits)
  }
}

extension MemoryLoop {
  /// Commits a change from Swift and runs the event loop until it is idle.
  func commit(_ body: (inout Root) -> Void) {
    store.post(body)
    settle()
  }

  /// Returns the event id with a tag at the current revision.
  func id(_ tag: String) -> String { "\(tag)~\(store.revision)~\(store.history)" }

  /// Sends `POST /events` on a new connection.
  func post(
    events body: String, query: String = "", fields: [(name: String, value: String)] = []
  ) -> MemoryExchange {
    let standard = [(name: "Accept", value: "text/event-stream"), (name: "Content-Type", value: "application/json")]
    let kept = standard.filter { field in !fields.contains { $0.name == field.name } }
    return begin(Request("POST", "/events" + query, fields: kept + fields, body: Array(body.utf8)))
  }

  /// Opens a stream and discards its first event.
  func follow(_ target: String) -> MemoryExchange {
    let stream = listen(target)
    _ = stream.take()
    return stream
  }
}

extension Menu {
  /// The first dish.
  var firstDish: Dish {
    get { dishes[0] }
    set { dishes.edit(at: 0) { $0 = newValue } }
  }
}

extension Reply {
  /// The entity tag without its quotes.
  var digest: String? { etag.map { String($0.dropFirst().dropLast()) } }
}
