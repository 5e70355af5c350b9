import BinderyCore
import BinderyHTTP
import BinderyText

/// The parameters of a query, decoded as `application/x-www-form-urlencoded`.
struct Query: Sendable {
  private var parameters: [(name: String, value: String)] = []

  private init() {}

  /// Parses the query of a request.
  ///
  /// - Parameters:
  ///   - accepted: Returns the names of the parameters that the request may have. Called only if it has a query.
  ///   - list: The name of the parameter that may be repeated.
  /// - Throws: `malformed-query`, also for a parameter that is unknown or repeated.
  init(
    _ head: borrowing RequestHead, _ bytes: Span<UInt8>, accepting accepted: @autoclosure () -> [String],
    list: String? = nil
  ) throws(Problem) {
    self.init()
    guard let range = head.query else { return }
    self = try Query(bytes.slice(range)[...], accepting: accepted(), list: list)
  }

  /// Parses the text after the question mark.
  ///
  /// - Throws: `malformed-query`.
  init(_ text: ArraySlice<UInt8>, accepting names: [String], list: String? = nil) throws(Problem) {
    for pair in text.split(separator: UInt8(ascii: "&")) {
      let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let first = parts.first, let name = Self.text(first), let value = Self.text(parts.count > 1 ? parts[1] : [])
      else { throw Problem(.malformedQuery, "The query is not valid: expected percent-encoded UTF-8.") }
      guard !name.hasTooManyMarks, !value.hasTooManyMarks else {
        throw Problem(.malformedQuery, "The query has more than 30 combining marks in a row.")
      }
      guard names.contains(name) else { throw .unknownParameter(name, accepted: names) }
      guard name == list || self[name] == nil else {
        throw Problem(.malformedQuery, "The query parameter “\(name)” occurs more than once; send it once.")
      }
      parameters.append((name, value))
    }
  }

  private static func text(_ raw: ArraySlice<UInt8>) -> String? {
    PercentCoding.decoded(raw, plusIsSpace: true).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// Whether there are no parameters, which is so for nearly every request.
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
    guard text.utf8.allSatisfy(\.isDigit), let number = Int(text), range.contains(number) else {
      throw Problem(
        .malformedQuery,
        "Expected “\(name)” to be an integer from \(range.lowerBound) to \(range.upperBound), got “\(text)”.")
    }
    return number
  }
}

extension Problem {
  /// Returns the problem for a query parameter that a request does not accept.
  fileprivate static func unknownParameter(_ name: String, accepted: [String]) -> Problem {
    guard !accepted.isEmpty else {
      return Problem(.malformedQuery, "This request accepts no query parameters, got “\(name)”.")
    }
    let suggestion = Spelling.suggestion(for: name, among: accepted)
    return Problem(.malformedQuery, "This request has no query parameter “\(name)”.\(suggestion)").with {
      $0.expected = "one of " + accepted.joined(separator: ", ")
    }
  }
}
