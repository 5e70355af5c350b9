import BinderyDigest
import BinderyHTTP
import BinderyText

/// The preconditions of a request (RFC 9110 §13.1).
struct Conditions: Sendable {
  /// A list of entity tags, or `*`.
  enum Tags: Equatable, Sendable {
    case any
    case list([Digest])
  }

  var ifMatch: Tags?
  var ifNoneMatch: Tags?
  /// Whether `If-Match` has a weak tag, which matches nothing.
  private(set) var hasWeakIfMatch = false

  var isEmpty: Bool { ifMatch == nil && ifNoneMatch == nil }

  /// - Throws: `malformed-header`.
  init(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) throws(Problem) {
    if head.contains(.ifMatch) { ifMatch = try Self.tags(.ifMatch, head, bytes, &hasWeakIfMatch) }
    var isWeak = false
    if head.contains(.ifNoneMatch) { ifNoneMatch = try Self.tags(.ifNoneMatch, head, bytes, &isWeak) }
  }

  /// Creates the conditions of a request that is suggested.
  ///
  /// - Throws: `malformed-header`.
  init(_ fields: [(name: FieldName, value: String)]) throws(Problem) {
    ifMatch = try Self.tags(.ifMatch, fields)
    ifNoneMatch = try Self.tags(.ifNoneMatch, fields)
  }

  private static func tags(_ name: FieldName, _ fields: [(name: FieldName, value: String)]) throws(Problem) -> Tags? {
    var tags: Tags?
    var isWeak = false
    for field in fields where field.name == name {
      try add(field.value.utf8.span, name, to: &tags, &isWeak)
      if tags == nil { throw .malformedTags(name, field.value.utf8.span) }
    }
    return tags
  }

  /// Returns the tags of all lines of a field.
  private static func tags(
    _ name: FieldName, _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ isWeak: inout Bool
  ) throws(Problem) -> Tags {
    var tags: Tags?
    try head.forEach(name) { range throws(Problem) in try add(bytes.extracting(range), name, to: &tags, &isWeak) }
    guard let tags else { throw .malformedTags(name, bytes.extracting(0..<0)) }
    return tags
  }

  /// Adds the tags of one line of a field to those of the lines before it.
  ///
  /// Weak tags can match in `If-None-Match` only: `If-Match` uses the strong comparison, in which a weak tag matches
  /// nothing (RFC 9110 §8.8.3.2).
  ///
  /// - Parameter hasWeak: Set if there is a weak tag.
  private static func add(
    _ line: Span<UInt8>, _ name: FieldName, to tags: inout Tags?, _ hasWeak: inout Bool
  ) throws(Problem) {
    var list = EntityTagList()
    var digests: [Digest] = []
    var hasTags = false
    while let element = list.next(in: line) {
      switch element {
      case .tag(let text, let isWeak) where tags != .any:
        hasTags = true
        if isWeak { hasWeak = true }
        // A tag that this server cannot have created matches nothing.
        if !isWeak || name == .ifNoneMatch, let digest = Digest(text: line.extracting(text)) { digests.append(digest) }
      // `*` is valid only alone (RFC 9110 §13.1.1).
      case .any where tags == nil && !hasTags: tags = .any
      default: throw .malformedTags(name, line)
      }
    }
    guard hasTags else { return }
    if case .list(let earlier)? = tags { digests = earlier + digests }
    tags = .list(digests)
  }

  /// Returns whether `If-Match` holds.
  ///
  /// - Parameter current: The digest of the current value, or nil if there is none.
  func ifMatchHolds(_ current: Digest?) -> Bool {
    switch ifMatch {
    case nil: true
    case .any: current != nil
    case .list(let digests): current.map(digests.contains) ?? false
    }
  }

  /// Returns whether the value of `If-Range` is the entity tag of a digest. A date never is, because this server sends
  /// no `Last-Modified` (RFC 9110 §13.1.5).
  static func isStrongMatch(_ value: Span<UInt8>, _ digest: Digest) -> Bool {
    var list = EntityTagList()
    guard case .tag(let text, isWeak: false)? = list.next(in: value), list.next(in: value) == nil else { return false }
    return Digest(text: value.extracting(text)) == digest
  }

  /// Returns whether `If-None-Match` holds.
  ///
  /// - Parameter current: The digest of the current value, or nil if there is none.
  func ifNoneMatchHolds(_ current: Digest?) -> Bool {
    switch ifNoneMatch {
    case nil: true
    case .any: current == nil
    case .list(let digests): current.map { !digests.contains($0) } ?? true
    }
  }

  /// Whether `If-None-Match` is `*`.
  var requiresAbsence: Bool { ifNoneMatch == .any }
}

extension Problem {
  /// Returns the problem for a field that is not a list of entity tags.
  fileprivate static func malformedTags(_ name: FieldName, _ value: Span<UInt8>) -> Problem {
    Problem(
      .malformedHeader,
      "The field \(name.spelling) is not valid: put each entity tag in double quotes, as in the ETag field of a "
        + "response, or send * alone; got “\(value.text(value.indices))”."
    ).with { $0.expected = "\(name.spelling): \"TAG\"" }
  }
}

/// Reads a list of entity tags in place (RFC 9110 §8.8.3). It may have empty elements (RFC 9110 §5.6.1.2).
private struct EntityTagList {
  enum Element: Equatable {
    case any
    /// The range of the text between the quotes.
    case tag(Range<Int>, isWeak: Bool)
    case malformed
  }

  /// The position after the last element.
  private var position = 0

  /// Returns the next element; nil at the end of the list.
  mutating func next(in line: Span<UInt8>) -> Element? {
    var hasComma = position == 0
    while position < line.count, line[position].isBlank || line[position] == UInt8(ascii: ",") {
      if line[position] == UInt8(ascii: ",") { hasComma = true }
      position += 1
    }
    guard position < line.count else { return nil }
    guard hasComma else { return .malformed }
    if line[position] == UInt8(ascii: "*") {
      position += 1
      return .any
    }
    let isWeak =
      line[position] == UInt8(ascii: "W") && line.count > position + 1 && line[position + 1] == UInt8(ascii: "/")
    var end = position + (isWeak ? 2 : 0)
    guard end < line.count, line[end] == UInt8(ascii: "\"") else { return .malformed }
    let start = end + 1
    end = start
    while end < line.count, line[end] != UInt8(ascii: "\"") { end += 1 }
    guard end < line.count else { return .malformed }
    position = end + 1
    return .tag(start..<end, isWeak: isWeak)
  }
}

extension Span<UInt8> {
  /// Returns a copy of a range of the bytes.
  func slice(_ range: Range<Int>) -> [UInt8] {
    Array(copying: extracting(range))
  }
}
