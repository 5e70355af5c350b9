import BinderyCore
import BinderyDigest
import BinderyHTTP

/// The field `Idempotency-Key` of a write (draft-ietf-httpapi-idempotency-key-header).
///
/// The value is used as it was sent: the quotes of the draft's syntax are a part of the key.
struct IdempotencyKey: Sendable {
  private static let lengths = 1...64

  let text: String

  /// Reads the key of a request; nil if it has none.
  ///
  /// - Throws: `malformed-header`.
  init?(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) throws(Problem) {
    guard head.contains(.idempotencyKey) else { return nil }
    var values: [Range<Int>] = []
    head.forEach(.idempotencyKey) { values.append($0) }
    guard values.count == 1, Self.lengths.contains(values[0].count),
      bytes.slice(values[0]).allSatisfy({ (0x21...0x7E).contains($0) })
    else {
      throw Problem(
        .malformedHeader,
        "The field Idempotency-Key is not valid: send it once, with a text that is new for each change, such as a UUID."
      ).with { $0.expected = "1 to 64 visible ASCII characters without blanks" }
    }
    text = bytes.text(values[0])
  }
}

/// A write with an idempotency key: what must be equal in a repetition of it.
struct KeyedRequest {
  let key: String
  /// The digest of everything that decides what the write does: the method, the target as it was sent, the fields in
  /// ``fields`` and the body.
  let fingerprint: Digest
  /// The time of the request, in seconds since 1970.
  let time: Int64

  /// The header fields that a repetition must have in common with the first request.
  private static let fields: [FieldName] = [.contentType, .ifMatch, .ifNoneMatch, .prefer]

  init(
    _ key: IdempotencyKey, _ head: borrowing RequestHead, _ bytes: Span<UInt8>, body: Range<Int>,
    _ digestKey: DigestKey, now: Int64
  ) {
    self.key = key.text
    time = now
    var content: [UInt8] = []
    content.add(bytes.slice(head.methodRange))
    content.add(bytes.slice(head.path))
    content.add(head.query.map { [UInt8(ascii: "?")] + bytes.slice($0) } ?? [])
    for field in Self.fields {
      var lines: [[UInt8]] = []
      head.forEach(field) { lines.append(bytes.slice($0)) }
      content.add([UInt8](lines.joined(separator: [UInt8(ascii: ",")])))
    }
    content.add(bytes.slice(body))
    fingerprint = digestKey.leaf(content.span)
  }
}

extension [UInt8] {
  /// Appends a part with its length, so that no two lists of parts have the same bytes.
  fileprivate mutating func add(_ part: [UInt8]) {
    append(contentsOf: "\(part.count) ".utf8)
    append(contentsOf: part)
  }
}

extension Problem {
  /// The key of a write was used for another one.
  static var idempotencyKeyReused: Problem {
    Problem(
      .idempotencyKeyReused,
      """
      The Idempotency-Key of this request belongs to another one, which was sent before. Nothing was changed. Send \
      each change with a key of its own, and repeat a request without any difference.
      """)
  }
}
