import BinderyJSON
import BinderyTestKit

/// JSON that is compared as RFC 6902 does, independently of the order of members.
struct JSONText: Equatable {
  private let value: JSONTree

  init(_ text: String) throws { value = try JSONTree(parsing: text) }

  static func == (a: JSONText, b: JSONText) -> Bool { a.value.sorted.text == b.value.sorted.text }
}

extension JSONTree {
  fileprivate var sorted: JSONTree {
    switch self {
    case .array(let elements): .array(elements.map(\.sorted))
    case .object(let members):
      .object(
        members.map { member in
          var member = member
          member.value = member.value.sorted
          return member
        }.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) })
    default: self
    }
  }
}
