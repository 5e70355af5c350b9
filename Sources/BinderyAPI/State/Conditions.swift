import BinderyDigest
import BinderyHTTP
import BinderyText

/// The preconditions of a request (RFC 9110 §13.1).
struct Conditions: Sendable {
  /// A list of entity tags, or `*`.
  enum Tags: Sendable {
    case any
    case list([Digest])
  }

  var ifMatch: Tags?
  var ifNoneMatch: Tags?

  var isEmpty: Bool { ifMatch == nil && ifNoneMatch == nil }

  /// - Throws: `malformed-header`.
  init(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) throws(Problem) {
    if head.contains(.ifMatch) { ifMatch = try Self.tags(.ifMatch, Self.lines(.ifMatch, head, bytes)) }
    if head.contains(.ifNoneMatch) { ifNoneMatch = try Self.tags(.ifNoneMatch, Self.lines(.ifNoneMatch, head, bytes)) }
  }

  /// Creates the conditions of a request that is suggested.
  ///
  /// - Throws: `malformed-header`.
  init(_ fields: [(name: FieldName, value: String)]) throws(Problem) {
    let lines = { name in fields.filter { $0.name == name }.map { Array($0.value.utf8) } }
    let (ifMatch, ifNoneMatch) = (lines(.ifMatch), lines(.ifNoneMatch))
    if !ifMatch.isEmpty { self.ifMatch = try Self.tags(.ifMatch, ifMatch) }
    if !ifNoneMatch.isEmpty { self.ifNoneMatch = try Self.tags(.ifNoneMatch, ifNoneMatch) }
  }

  private static func lines(_ name: FieldName, _ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    head.forEach(name) { lines.append(bytes.slice($0)) }
    return lines
  }

  /// Returns the tags of all lines of a field.
  ///
  /// Weak tags can match in `If-None-Match` only: `If-Match` uses the strong comparison, in which a weak tag matches
  /// nothing (RFC 9110 §8.8.3.2).
  private static func tags(_ name: FieldName, _ lines: [[UInt8]]) throws(Problem) -> Tags {
    var tags: [EntityTag] = []
    for line in lines {
      guard let parsed = EntityTag.list(line) else { throw .malformedTags(name, line) }
      tags += parsed
    }
    if case [.any] = tags { return .any }
    // `*` is valid only alone (RFC 9110 §13.1.1).
    guard !tags.isEmpty, !tags.contains(.any) else { throw .malformedTags(name, lines[0]) }
    // A tag that this server cannot have created matches nothing.
    return .list(tags.compactMap { $0.digest(allowWeak: name == .ifNoneMatch) })
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
  static func isStrongMatch(_ value: [UInt8], _ digest: Digest) -> Bool {
    guard let tags = EntityTag.list(value), tags.count == 1 else { return false }
    return tags[0].digest(allowWeak: false) == digest
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
}

extension Problem {
  /// Returns the problem for a field that is not a list of entity tags.
  fileprivate static func malformedTags(_ name: FieldName, _ value: [UInt8]) -> Problem {
    Problem(
      .malformedHeader,
      "The field \(name.spelling) is not valid: put each entity tag in double quotes, as in the ETag field of a "
        + "response, or send * alone; got “\(String(decoding: value, as: UTF8.self))”."
    ).with { $0.expected = "\(name.spelling): \"TAG\"" }
  }
}

/// One element of a list of entity tags (RFC 9110 §8.8.3).
private enum EntityTag: Equatable {
  case any
  case tag([UInt8], isWeak: Bool)

  /// Parses a list, which may have empty elements (RFC 9110 §5.6.1.2).
  ///
  /// - Returns: The tags, or nil if the list is malformed.
  static func list(_ bytes: [UInt8]) -> [EntityTag]? {
    var rest = bytes[...]
    var tags: [EntityTag] = []
    while true {
      rest = rest.drop { $0.isBlank || $0 == UInt8(ascii: ",") }
      if rest.isEmpty { return tags }
      guard let tag = take(from: &rest) else { return nil }
      tags.append(tag)
      rest = rest.drop(while: \.isBlank)
      guard rest.isEmpty || rest.first == UInt8(ascii: ",") else { return nil }
    }
  }

  /// Parses one tag and removes it from the front of the text.
  private static func take(from rest: inout ArraySlice<UInt8>) -> EntityTag? {
    if rest.first == UInt8(ascii: "*") {
      rest = rest.dropFirst()
      return .any
    }
    let isWeak = rest.starts(with: "W/".utf8)
    if isWeak { rest = rest.dropFirst(2) }
    guard rest.first == UInt8(ascii: "\"") else { return nil }
    let inside = rest.dropFirst()
    guard let end = inside.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
    rest = inside[inside.index(after: end)...]
    return .tag(Array(inside[..<end]), isWeak: isWeak)
  }

  /// Returns the digest in the tag, or nil if this server cannot have created the tag.
  func digest(allowWeak: Bool) -> Digest? {
    guard case .tag(let opaque, let isWeak) = self, allowWeak || !isWeak else { return nil }
    return Digest(text: opaque.span)
  }
}

extension UInt8 {
  fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 }
}

extension Span<UInt8> {
  /// Returns a copy of a range of the bytes.
  func slice(_ range: Range<Int>) -> [UInt8] {
    Array(copying: extracting(range))
  }
}
