/// The parameters of a query, decoded as HTML forms encode them; parameters that nobody asks for are passed over.
package struct Query: Sendable {
  private var parameters: [(name: String, value: String)] = []

  private init() {}

  /// The query of a target, or an empty one where it has none.
  init(_ range: Range<Int>?, in bytes: Span<UInt8>) throws(Problem) {
    self = if let range { try Query(bytes.slice(range)[...]) } else { Query() }
  }

  init(_ raw: ArraySlice<UInt8>) throws(Problem) {
    for pair in raw.split(separator: UInt8(ascii: "&")) {
      let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let first = parts.first, let name = Self.text(first), let value = Self.text(parts.count > 1 ? parts[1] : [])
      else { throw Problem(.malformedQuery, "The query is not percent-encoded UTF-8.") }
      parameters.append((name, value))
    }
  }

  private static func text(_ raw: ArraySlice<UInt8>) -> String? {
    PercentCoding.decoded(raw, plusIsSpace: true).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// Nearly every request has no query.
  var isEmpty: Bool { parameters.isEmpty }

  subscript(name: String) -> String? { isEmpty ? nil : parameters.first { $0.name == name }?.value }

  /// All values of a parameter, in order.
  func all(_ name: String) -> [String] { parameters.filter { $0.name == name }.map(\.value) }

  /// A switch: on by its mere name.
  func flag(_ name: String) throws(Problem) -> Bool {
    switch self[name] {
    case nil, "0", "false": return false
    case "", "1", "true": return true
    default: throw Problem(.malformedQuery, "“\(name)” is a switch: name it, or give true or false.")
    }
  }

  /// A whole number in a range.
  func number(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
    guard let text = self[name] else { return nil }
    guard text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = Int(text), range.contains(number) else {
      throw Problem(
        .malformedQuery, "“\(name)” is a whole number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }
}
