import BinderyTestKit

/// One request of a client to the menu.
enum ReferenceStep {
  /// The members of a dish in a request body, each valid or invalid.
  struct PartialDish {
    var id: String?
    var name: SentValue<String>?
    var isFavorite: SentValue<Bool>?
    var status: SentValue<StatusValue>?

    var json: String {
      let members: [(String, String?)] = [
        ("id", id.map { "\"\($0)\"" }), ("name", name?.json), ("isFavorite", isFavorite?.json),
        ("status", status?.json),
      ]
      return "{" + members.compactMap { name, text in text.map { "\"\(name)\":\($0)" } }.joined(separator: ",") + "}"
    }
  }

  /// The payload of a status, with or without its label.
  enum StatusValue {
    case inStock(Int?)
    case outOfStock(Bool?)
  }

  /// A value in a request body, valid or invalid.
  enum SentValue<Value> {
    case valid(Value, json: String)
    case invalid(String)

    var json: String {
      switch self {
      case .valid(_, let json), .invalid(let json): json
      }
    }
  }

  /// A value that is written to a dish or to the sheet.
  enum DishValue {
    case null
    case part(PartialDish)

    var json: String { if case .part(let part) = self { part.json } else { "null" } }
  }

  /// The path of a dish: in the list, as the pinned dish, or on the sheet.
  enum Place {
    case listed(String)
    case pinned
    case edited

    var path: String {
      switch self {
      case .listed(let id): "/state/dishes/\(id)"
      case .pinned: "/state/pinnedDish"
      case .edited: "/state/editing/some"
      }
    }
  }

  /// A `PATCH`, or a `PUT` if `isPut` is true.
  case dish(Place, DishValue, isPut: Bool)
  case name(Place, SentValue<String>, isPut: Bool)
  case quantity(Place, SentValue<Int>, isPut: Bool)
  case backOrder(Place, SentValue<Bool>, isPut: Bool)
  case delete(Place)
  case post(PartialDish)
  case pin(SentValue<String?>, isPut: Bool)
  case time(SentValue<ReferenceMenu.Time>, isPut: Bool)
  case custom(SentValue<String>, isPut: Bool)
  case customOrDefault(SentValue<String>, isPut: Bool)
  /// A write to the outer optional of the sheet; nil hides the sheet.
  case sheet(DishValue?, isPut: Bool)
  case hide
  case selectDay(Int, isPut: Bool)
  case card(Int, Bool, isPut: Bool)
  case save
  case move(Int, Int)
  case failedTest(SentValue<String>)
  case readOnly(String, String)
  case malformed(String)

  var request: Request {
    switch self {
    case .dish(let place, let whole, let isPut): Self.write(place.path, whole.json, isPut)
    case .name(let place, let name, let isPut): Self.write(place.path + "/name", name.json, isPut)
    case .quantity(let place, let it, let isPut): Self.write(place.path + "/status/inStock/quantity", it.json, isPut)
    case .backOrder(let place, let it, let isPut):
      Self.write(place.path + "/status/outOfStock/isOnBackOrder", it.json, isPut)
    case .delete(let place): Request("DELETE", place.path)
    case .post(let part):
      Request("POST", "/state/dishes", fields: [("Content-Type", "application/json")], body: Array(part.json.utf8))
    case .pin(let id, let isPut): Self.write("/state/pinnedID", id.json, isPut)
    case .time(let time, let isPut): Self.write("/state/time", time.json, isPut)
    case .custom(let date, let isPut): Self.write("/state/time/custom", date.json, isPut)
    case .customOrDefault(let date, let isPut): Self.write("/state/customTimeOrDefault", date.json, isPut)
    case .sheet(let whole, let isPut):
      Self.write("/state/editing", whole.map { "{\"some\":\($0.json)}" } ?? "null", isPut)
    case .hide: Request("DELETE", "/state/editing")
    case .selectDay(let offset, let isPut):
      Self.write("/state/selectedDay", "\"\(ReferenceMenu.day(offset))\"", isPut)
    case .card(let offset, let isSelected, let isPut):
      Self.write("/state/days/\(ReferenceMenu.day(offset))/isSelected", "\(isSelected)", isPut)
    case .save:
      Self.patch(#"[{"op":"copy","from":"/editing/some","path":"/dishes/-"},{"op":"remove","path":"/editing"}]"#)
    case .move(let from, let to): Self.patch(#"[{"op":"move","from":"/dishes/\#(from)","path":"/dishes/\#(to)"}]"#)
    case .failedTest(let name):
      Self.patch(
        #"[{"op":"replace","path":"/time","value":"tomorrow"},{"op":"add","path":"/editing","value":null},"#
          + #"{"op":"test","path":"/today","value":\#(name.json)}]"#)
    case .readOnly(let method, let path): Request(method, path, body: Array("null".utf8))
    case .malformed(let path): Request("PATCH", path, body: Array("{\"name\":".utf8))
    }
  }

  private static func write(_ path: String, _ body: String, _ isPut: Bool) -> Request {
    Request(isPut ? "PUT" : "PATCH", path, body: Array(body.utf8))
  }

  private static func patch(_ body: String) -> Request {
    Request("PATCH", "/state", fields: [("Content-Type", "application/json-patch+json")], body: Array(body.utf8))
  }
}
