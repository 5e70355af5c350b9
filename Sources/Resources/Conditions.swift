import Digests
import HTTP

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
    ifMatch = Self.tags(.ifMatch, allowWeak: false, head, bytes)
    ifNoneMatch = Self.tags(.ifNoneMatch, allowWeak: true, head, bytes)
  }

  /// `If-Match` compares strongly: a weak tag matches nothing; `If-None-Match` takes weak ones too (RFC 9110 §8.8.3.2).
  private static func tags(
    _ name: FieldName, allowWeak: Bool, _ head: borrowing RequestHead, _ bytes: Span<UInt8>
  ) -> Tags? {
    var found = false
    var isAny = false
    var digests: [Digest] = []
    head.forEach(name) { range in
      found = true
      var list = TagList(bytes.slice(range))
      while let tag = list.next() {
        switch tag {
        case .any: isAny = true
        case .tag(let opaque, let isWeak):
          // A tag that this server never made matches nothing.
          if allowWeak || !isWeak, let digest = Digest(text: opaque.span) { digests.append(digest) }
        }
      }
    }
    guard found else { return nil }
    return isAny ? .any : .list(digests)
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

/// Takes entity tags off the front of a list (RFC 9110 §8.8.3); what is no tag ends it.
private struct TagList {
  enum Tag {
    case any
    case tag([UInt8], isWeak: Bool)
  }

  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  mutating func next() -> Tag? {
    rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") }
    guard let first = rest.first else { return nil }
    if first == UInt8(ascii: "*") {
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
}

extension Span<UInt8> {
  /// A copy of some of the bytes.
  func slice(_ range: Range<Int>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(range.count)
    for index in range { bytes.append(self[index]) }
    return bytes
  }
}
