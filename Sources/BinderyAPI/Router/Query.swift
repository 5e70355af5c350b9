/// The parameters of a query, decoded as `application/x-www-form-urlencoded`. Unknown parameters are ignored.
package struct Query: Sendable {
  private var parameters: [(name: String, value: String)] = []

  private init() {}

  /// Parses the query of a request target.
  ///
  /// - Parameter range: The range of the query in `bytes`, or nil if the target has none.
  /// - Throws: `malformed-query`.
  init(_ range: Range<Int>?, in bytes: Span<UInt8>) throws(Problem) {
    self = if let range { try Query(bytes.slice(range)[...]) } else { Query() }
  }

  init(_ raw: ArraySlice<UInt8>) throws(Problem) {
    for pair in raw.split(separator: UInt8(ascii: "&")) {
      let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let first = parts.first, let name = Self.text(first), let value = Self.text(parts.count > 1 ? parts[1] : [])
      else { throw Problem(.malformedQuery, "The query is not valid: expected percent-encoded UTF-8.") }
      parameters.append((name, value))
    }
  }

  private static func text(_ raw: ArraySlice<UInt8>) -> String? {
    PercentCoding.decoded(raw, plusIsSpace: true).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// Indicates whether there are no parameters, which is so for nearly every request.
  var isEmpty: Bool { parameters.isEmpty }

  /// The first value of a parameter.
  subscript(name: String) -> String? { isEmpty ? nil : parameters.first { $0.name == name }?.value }

  /// Returns all values of a parameter, in order.
  func all(_ name: String) -> [String] { parameters.filter { $0.name == name }.map(\.value) }

  /// Returns the value of a Boolean parameter. The name alone means true, and a missing parameter false.
  ///
  /// - Throws: `malformed-query`.
  func flag(_ name: String) throws(Problem) -> Bool {
    switch self[name] {
    case nil, "0", "false": return false
    case "", "1", "true": return true
    case let text?: throw Problem(.malformedQuery, "Expected “\(name)” to be true or false, got “\(text)”.")
    }
  }

  /// Returns the value of an integer parameter, or nil if it is missing.
  ///
  /// - Throws: `malformed-query` if the value is not an integer in the range.
  func number(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
    guard let text = self[name] else { return nil }
    guard text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = Int(text), range.contains(number) else {
      throw Problem(
        .malformedQuery,
        "Expected “\(name)” to be an integer from \(range.lowerBound) to \(range.upperBound), got “\(text)”.")
    }
    return number
  }
}
