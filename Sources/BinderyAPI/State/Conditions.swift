import BinderyDigest
import BinderyHTTP

/// What a request says about the value it expects (RFC 9110 §13.1).
struct Conditions: Sendable {
  /// A list of entity tags, or `*`.
  enum Tags: Sendable {
    case any
    case list([Digest])
  }

  var ifMatch: Tags?
  var ifNoneMatch: Tags?

  var isEmpty: Bool { ifMatch == nil && ifNoneMatch == nil }

  init(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) {
    if head.contains(.ifMatch) { ifMatch = Self.tags(.ifMatch, allowWeak: false, head, bytes) }
    if head.contains(.ifNoneMatch) { ifNoneMatch = Self.tags(.ifNoneMatch, allowWeak: true, head, bytes) }
  }

  /// `If-Match` compares strongly: a weak tag matches nothing; `If-None-Match` takes weak ones too (RFC 9110 §8.8.3.2).
  private static func tags(
    _ name: FieldName, allowWeak: Bool, _ head: borrowing RequestHead, _ bytes: Span<UInt8>
  ) -> Tags {
    var tags: [EntityTag]? = []
    head.forEach(name) { range in
      let more = EntityTag.list(bytes.slice(range))
      tags = if let some = tags, let more { some + more } else { nil }
    }
    // What is malformed matches nothing, and so does what this server never made; `*` stands alone.
    guard let tags else { return .list([]) }
    if case [.any] = tags { return .any }
    if tags.contains(.any) { return .list([]) }
    return .list(tags.compactMap { $0.digest(allowWeak: allowWeak) })
  }

  /// Whether `If-Match` holds for a value, nil being absent.
  func matchHolds(_ current: Digest?) -> Bool {
    switch ifMatch {
    case nil: true
    case .any: current != nil
    case .list(let digests): current.map(digests.contains) ?? false
    }
  }

  /// Whether `If-None-Match` holds.
  func noneMatchHolds(_ current: Digest?) -> Bool {
    switch ifNoneMatch {
    case nil: true
    case .any: current == nil
    case .list(let digests): current.map { !digests.contains($0) } ?? true
    }
  }
}

/// One element of a list of entity tags (RFC 9110 §8.8.3).
private enum EntityTag: Equatable {
  case any
  case tag([UInt8], isWeak: Bool)

  /// The elements of a list, of which some may be empty (RFC 9110 §5.6.1.2); nil where anything else stands in it.
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

  func digest(allowWeak: Bool) -> Digest? {
    guard case .tag(let opaque, let isWeak) = self, allowWeak || !isWeak else { return nil }
    return Digest(text: opaque.span)
  }
}

extension UInt8 {
  fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 }
}

extension Span<UInt8> {
  /// A copy of some of the bytes.
  func slice(_ range: Range<Int>) -> [UInt8] {
    // To append nothing to an empty array is to write 0 over the count of the one that all empty arrays share.
    if range.isEmpty { return [] }
    let part = extracting(range)
    var bytes: [UInt8] = []
    bytes.append(addingCapacity: part.count) { output in
      for index in part.indices { output.append(part[index]) }
    }
    return bytes
  }
}
