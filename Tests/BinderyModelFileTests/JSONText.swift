import BinderyTestKit

/// JSON that is compared as RFC 6902 does, independently of the order of members.
struct JSONText: Equatable {
  private let value: JSONValue

  init(_ text: String) throws { value = try JSONValue(parsing: text) }

  static func == (a: JSONText, b: JSONText) -> Bool { a.value.sorted.text == b.value.sorted.text }
}

extension JSONValue {
  fileprivate var sorted: JSONValue {
    switch self {
    case .scalar: self
    case .array(let elements): .array(elements.map(\.sorted))
    case .object(let members):
      .object(
        members.map { member in
          var member = member
          member.value = member.value.sorted
          return member
        }.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
    }
  }
}
