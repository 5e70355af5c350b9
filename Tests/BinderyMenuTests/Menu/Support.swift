import BinderyCore
import BinderyJSON
import BinderyMenu
import FoundationEssentials

extension Menu {
  /// A new menu on Thursday, 2026-11-19.
  static var sample: Menu { Menu(today: day, evening: evening) }

  static let day = CalendarDay(number: 20_776)
  static let evening = Date(timeIntervalSince1970: 1_795_114_800)

  var json: String {
    var writer = JSONWriter()
    Menu.shape.encode(self, into: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

/// Writes like those of HTTP requests, without conditions.
extension Menu {
  enum Verb { case patch, put, delete }

  /// Writes a JSON value at a path and settles the menu.
  ///
  /// - Throws: `EditError`, `InvalidState` or ``NoWritablePlace``.
  @discardableResult
  mutating func write(_ verb: Verb, _ path: String, _ text: String = "null") throws -> Edit {
    let document = try JSONDocument(parsing: Array(text.utf8))
    guard let segments = Pointer.segments(of: path),
      let route = Route.root(Menu.shape.type).resolving(segments, form: .url), route.isWritable
    else { throw NoWritablePlace() }
    var edit =
      switch verb {
      case .patch: Edit(.merge(document.root), along: route)
      case .put: Edit(.replace(document.root), requiredSteps: 0, along: route)
      case .delete: Edit(.remove, along: route)
      }
    var draft = self
    try Menu.shape.apply(&draft, route, 0, &edit)
    try draft.settle(from: self)
    self = draft
    return edit
  }
}

/// The path does not exist or is read-only.
struct NoWritablePlace: Error {}
